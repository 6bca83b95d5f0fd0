/// A value by which records can be found in a ``RecordIndex``.
///
/// Conforming types: `Bool`, all integers, `Double`, `String`, `Date`, `UUID`, `Data`, and optionals of them. An enumeration
/// conforms through its raw value, and needs no code:
///
///     enum Genre: String, Codable, Sendable, IndexValue { case fantasy, sciFi }
///
/// Values order as `<` orders them, `nil` first, `false` before `true`, UUIDs and data by their bytes, enumerations by their
/// raw values. NaN comes last. No locale takes part.
///
/// An entry has the raw value, and a type whose `==` says of two raw values that they are one is not one to look for by an index:
/// it finds what has the same raw value.
///
/// Not a protocol to implement: ``IndexKeyWriter`` is opaque.
public protocol IndexValue: Equatable, IndexColumnValue {
    /// What kind of value it is.
    static var indexType: IndexType { get }
    /// Writes bytes that order as the values do.
    func write(to writer: inout IndexKeyWriter)
    /// Reads back what was written; `nil` if it is not a value of this type.
    static func read(from reader: inout IndexKeyReader) -> Self?
}

/// What a column of an index may be of: an ``IndexValue``, or an array or a set of them, which makes an entry for each.
///
/// Not a protocol to implement.
public protocol IndexColumnValue: Sendable {
    /// What the entries of a column are of.
    static var columnType: IndexType { get }
    /// Whether there is an entry for each element.
    static var isMultiple: Bool { get }
    /// Hands over each value, written.
    func forEachIndexed(_ writer: inout IndexKeyWriter, _ body: (inout IndexKeyWriter) -> Void)
    /// Whether another value has the same entries for sure: the same bytes, whatever `==` says.
    func hasSameEntries(as other: Self) -> Bool
}

/// What values of an index are, as far as their bytes go. Opaque.
public struct IndexType: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable {
        case bool, integer, real, date, string, uuid, data
    }

    package let kind: Kind
    /// How many optionals are around it.
    package let optionals: Int

    package init(_ kind: Kind, optionals: Int = 0) {
        self.kind = kind
        self.optionals = optionals
    }

    /// Its name, with a question mark for each optional.
    public var description: String { kind.rawValue + String(repeating: "?", count: optionals) }

    /// Whether values of another type can be looked for in a column of this one.
    package func accepts(_ other: IndexType) -> Bool { kind == other.kind && other.optionals <= optionals }

    var isText: Bool { kind == .string }
}

extension IndexValue {
    /// The type of the value. O(1).
    public static var columnType: IndexType { indexType }
    /// No.
    public static var isMultiple: Bool { false }
    /// Hands over the value, written.
    public func forEachIndexed(_ writer: inout IndexKeyWriter, _ body: (inout IndexKeyWriter) -> Void) {
        write(to: &writer)
        body(&writer)
    }
    /// Whether both are equal.
    public func hasSameEntries(as other: Self) -> Bool { self == other }
}

extension IndexValue where Self: RawRepresentable, RawValue: IndexValue {
    /// Whether both have the same raw value.
    public func hasSameEntries(as other: Self) -> Bool { rawValue.hasSameEntries(as: other.rawValue) }
    /// That of the raw value. O(1).
    public static var indexType: IndexType { RawValue.indexType }
    /// Writes the raw value.
    public func write(to writer: inout IndexKeyWriter) { rawValue.write(to: &writer) }
    /// Reads a raw value; `nil` if there is no value of it.
    public static func read(from reader: inout IndexKeyReader) -> Self? {
        RawValue.read(from: &reader).flatMap { Self(rawValue: $0) }
    }
}

extension Sequence where Element: IndexValue {
    fileprivate func forEachElement(_ writer: inout IndexKeyWriter, _ body: (inout IndexKeyWriter) -> Void) {
        let start = writer.count
        for element in self {
            writer.truncate(to: start)
            element.write(to: &writer)
            body(&writer)
        }
        writer.truncate(to: start)
    }
}

extension Array: IndexColumnValue where Element: IndexValue {
    /// The type of the elements. O(1).
    public static var columnType: IndexType { Element.indexType }
    /// Yes.
    public static var isMultiple: Bool { true }
    /// Hands over each element, written.
    public func forEachIndexed(_ writer: inout IndexKeyWriter, _ body: (inout IndexKeyWriter) -> Void) {
        forEachElement(&writer, body)
    }
    /// Whether both have the same elements in the same order.
    public func hasSameEntries(as other: Self) -> Bool { elementsEqual(other) { $0.hasSameEntries(as: $1) } }
}

extension Set: IndexColumnValue where Element: IndexValue {
    /// The type of the elements. O(1).
    public static var columnType: IndexType { Element.indexType }
    /// Yes.
    public static var isMultiple: Bool { true }
    /// Hands over each element, written.
    public func forEachIndexed(_ writer: inout IndexKeyWriter, _ body: (inout IndexKeyWriter) -> Void) {
        forEachElement(&writer, body)
    }
    /// Whether both are the same elements, found in the same order: two copies of one set.
    public func hasSameEntries(as other: Self) -> Bool {
        count == other.count && elementsEqual(other) { $0.hasSameEntries(as: $1) }
    }
}
