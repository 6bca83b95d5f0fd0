public import Foundation

// The types of the standard library and of Foundation. Each writes what the table of IndexKeyWriter says.

extension Bool: IndexValue {
    /// `bool`.
    public static var indexType: IndexType { IndexType(.bool) }
    /// Writes one byte.
    public func write(to writer: inout IndexKeyWriter) { writer.append(self ? 2 : 1) }
    /// Reads one byte.
    public static func read(from reader: inout IndexKeyReader) -> Bool? { reader.next().map { $0 == 2 } }
}

extension Double: IndexValue {
    /// `real`.
    public static var indexType: IndexType { IndexType(.real) }
    /// Writes ten bytes.
    public func write(to writer: inout IndexKeyWriter) { writer.real(self) }
    /// Reads ten bytes. −0 comes back as 0.
    public static func read(from reader: inout IndexKeyReader) -> Double? { reader.real() }
}

extension String: IndexValue {
    /// `string`.
    public static var indexType: IndexType { IndexType(.string) }
    /// Writes the NFC form.
    public func write(to writer: inout IndexKeyWriter) {
        writer.text(self)
        writer.append(0)
    }
    /// Reads the NFC form, which is equal to what was written.
    public static func read(from reader: inout IndexKeyReader) -> String? { reader.text() }
    /// Whether both have the same bytes. Equal strings may not: what `==` and the NFC form know of a character need not be of one
    /// version of Unicode.
    public func hasSameEntries(as other: String) -> Bool { hasSameBytes(as: other) }
}

extension String {
    @inline(__always)
    func hasSameBytes(as other: String) -> Bool {
        utf8.withContiguousStorageIfAvailable { a in
            other.utf8.withContiguousStorageIfAvailable { b in
                a.count == b.count && (a.count == 0 || memcmp(a.baseAddress!, b.baseAddress!, a.count) == 0)
            }
        }.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
    }
}

extension Date: IndexValue {
    /// `date`.
    public static var indexType: IndexType { IndexType(.date) }
    /// Writes ten bytes.
    public func write(to writer: inout IndexKeyWriter) { writer.real(timeIntervalSinceReferenceDate) }
    /// Reads ten bytes.
    public static func read(from reader: inout IndexKeyReader) -> Date? {
        reader.real().map { Date(timeIntervalSinceReferenceDate: $0) }
    }
}

extension UUID: IndexValue {
    /// `uuid`.
    public static var indexType: IndexType { IndexType(.uuid) }
    /// Writes 19 bytes.
    public func write(to writer: inout IndexKeyWriter) {
        writer.wideFixed(withUnsafeBytes(of: uuid) { $0.reduce(0) { $0 << 8 | UInt128($1) } })
    }
    /// Reads 19 bytes.
    public static func read(from reader: inout IndexKeyReader) -> UUID? {
        reader.wideFixed().map { bits in
            var uuid = UUID().uuid
            withUnsafeMutableBytes(of: &uuid) { bytes in
                for i in 0..<16 { bytes[i] = UInt8(truncatingIfNeeded: bits >> UInt128(8 * (15 - i))) }
            }
            return UUID(uuid: uuid)
        }
    }
}

extension Data: IndexValue {
    /// `data`.
    public static var indexType: IndexType { IndexType(.data) }
    /// Writes two bytes for each, and one.
    public func write(to writer: inout IndexKeyWriter) { withUnsafeBytes { writer.data($0) } }
    /// Reads two bytes for each, and one.
    public static func read(from reader: inout IndexKeyReader) -> Data? { reader.data().map { Data($0) } }
}

extension Optional: IndexColumnValue, IndexValue where Wrapped: IndexValue {
    /// The type of the value, and that it may be missing.
    public static var indexType: IndexType {
        IndexType(Wrapped.indexType.kind, optionals: Wrapped.indexType.optionals + 1)
    }
    /// Writes one byte, and the value if there is one.
    public func write(to writer: inout IndexKeyWriter) {
        writer.append(self == nil ? 1 : 2)
        self?.write(to: &writer)
    }
    /// Whether both are missing, or neither is and the values have the same entries.
    public func hasSameEntries(as other: Self) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let a?, let b?): a.hasSameEntries(as: b)
        default: false
        }
    }
    /// Reads one byte, and the value if there is one.
    public static func read(from reader: inout IndexKeyReader) -> Wrapped?? {
        guard let mark = reader.next() else { return nil }
        if mark == 1 { return .some(nil) }
        guard let value = Wrapped.read(from: &reader) else { return nil }
        return .some(value)
    }
}
