public import Foundation
public import YaprakCore
public import YaprakExtensions
import YaprakTrees

/// What the rows of a ``RecordQuery`` are sorted by. Equal rows stand in the order of their keys, whatever the order.
///
///     RecordSort(\.salesRank, .descending)
///
/// Values are compared by `<`, never by a locale; `nil` comes first, and NaN last. A sort of a property is
/// served by an index of it, if the type is one whose `<` is the order of an index.
public struct RecordSort<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sendable {
    let rule: SortRule

    private init<Value: Comparable & Sendable>(
        path: (any AnyKeyPath & Sendable)?, part: Aspects, _ order: ViewOrder, isStored: Bool,
        property: StoredProperty? = nil, stored: RecordComparison? = nil,
        _ value: @escaping @Sendable (RecordBox) -> Value
    ) {
        let type = NaturalOrder.indexType(Value.self)
        let compare = stored ?? RecordComparison { YaprakQueries.order(value($0), value($1)) }
        rule = SortRule(
            path: path, stored: property, part: part, type: path == nil ? nil : type,
            isDescending: order == .descending, isPure: isStored && type != nil, compare: compare.compare)
    }

    private init<Value: Comparable & Sendable>(
        path: (any AnyKeyPath & Sendable)?, part: Aspects, _ order: ViewOrder, isStored: Bool,
        optional value: @escaping @Sendable (RecordBox) -> Value?
    ) {
        let type = NaturalOrder.indexType(Value.self)
        rule = SortRule(
            path: path, part: part, type: path == nil ? nil : type.map { IndexType($0.kind, optionals: 1) },
            isDescending: order == .descending, isPure: isStored && type != nil,
            compare: { a, b in
                switch (value(a), value(b)) {
                case (nil, nil): 0
                case (nil, _): -1
                case (_, nil): 1
                case (let a?, let b?): YaprakQueries.order(a, b)
                }
            })
    }

    /// By a property of the object.
    public init<Value: Comparable & Sendable>(
        _ path: any KeyPath<Object, Value> & Sendable, _ order: ViewOrder = .ascending
    ) {
        let offset = MemoryLayout<Object>.offset(of: path)
        let stored = offset.flatMap {
            RecordComparison.stored(Value.self, at: TypedRecord<Object, Metadata>.objectOffset + $0)
        }
        let property = offset.map { StoredProperty(Value.self, at: $0) }
        self.init(
            path: path, part: .object, order, isStored: offset != nil, property: property, stored: stored,
            TypedRecord<Object, Metadata>.reading(path))
    }

    /// By a property of the object that may be missing.
    public init<Value: Comparable & Sendable>(
        _ path: any KeyPath<Object, Value?> & Sendable, _ order: ViewOrder = .ascending
    ) {
        self.init(
            path: path, part: .object, order, isStored: MemoryLayout<Object>.offset(of: path) != nil,
            optional: TypedRecord<Object, Metadata>.reading(path))
    }

    /// By what a closure makes of a record.
    public init<Value: Comparable & Sendable>(
        _ order: ViewOrder = .ascending, by value: @escaping @Sendable (Record<Object, Metadata>) -> Value
    ) {
        self.init(path: nil, part: .row, order, isStored: false) { value(Record(box: $0)) }
    }

    /// By a property of the metadata; records without metadata come first.
    public static func metadata<Value: Comparable & Sendable>(
        _ path: any KeyPath<Metadata, Value> & Sendable, _ order: ViewOrder = .ascending
    ) -> Self {
        Self(
            path: path, part: .metadata, order, isStored: MemoryLayout<Metadata>.offset(of: path) != nil,
            optional: { Record<Object, Metadata>(box: $0).metadata?[keyPath: path] })
    }

    /// By the key.
    public static func key(_ order: ViewOrder = .ascending) -> Self {
        Self(path: nil, part: .key, order, isStored: true) { $0.key }
    }

    /// As a sort descriptor of Foundation compares.
    ///
    ///     RecordSort(SortDescriptor(\Book.salesRank, order: .reverse))
    ///
    /// One that compares a property of the object by `<` is the same as a sort of that property, and is served by an index of
    /// it; NaN comes last then, while Foundation gives it no place. One with a comparator of strings compares
    /// as that says, perhaps by the locale of the machine, and no index serves it.
    public init(_ descriptor: SortDescriptor<Object>) {
        self = Self.natural(descriptor) ?? Self(comparing: descriptor)
    }

    private init(comparing descriptor: SortDescriptor<Object>) {
        rule = SortRule(path: nil, part: .object, type: nil, isDescending: false) { a, b in
            descriptor.compare(
                Record<Object, Metadata>(box: a).object, Record<Object, Metadata>(box: b).object
            ).rawValue
        }
    }

    /// The sort of the property that a descriptor compares by `<`; `nil` if it compares otherwise, or a type of the program.
    private static func natural(_ descriptor: SortDescriptor<Object>) -> Self? {
        guard descriptor.stringComparator == nil, let path = descriptor.keyPath else { return nil }
        let order: ViewOrder = descriptor.order == .forward ? .ascending : .descending
        func sort<Value: Comparable & Sendable>(_ type: Value.Type) -> Self? {
            // The descriptor is `Sendable`, so its path is, which casts can't be asked for.
            if let path = path as? KeyPath<Object, Value> {
                return Self(unsafeBitCast(path, to: (any KeyPath<Object, Value> & Sendable).self), order)
            }
            if let path = path as? KeyPath<Object, Value?> {
                return Self(unsafeBitCast(path, to: (any KeyPath<Object, Value?> & Sendable).self), order)
            }
            return nil
        }
        for type in NaturalOrder.types {
            if let sort = sort(type) { return sort }
        }
        return nil
    }
}
