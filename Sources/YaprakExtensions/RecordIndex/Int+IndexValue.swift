// Integers of all sizes have the same bytes, so that a column of one can be searched for a value of another.

extension Int: IndexValue {
    /// `integer`.
    public static var indexType: IndexType { IndexType(.integer) }
    /// Writes 1 to 11 bytes.
    public func write(to writer: inout IndexKeyWriter) { writer.integer(Int64(self)) }
    /// Reads an integer; `nil` if it is out of range.
    public static func read(from reader: inout IndexKeyReader) -> Int? { reader.integer() }
}

extension Int8: IndexValue {
    /// `integer`.
    public static var indexType: IndexType { IndexType(.integer) }
    /// Writes 1 to 11 bytes.
    public func write(to writer: inout IndexKeyWriter) { writer.integer(Int64(self)) }
    /// Reads an integer; `nil` if it is out of range.
    public static func read(from reader: inout IndexKeyReader) -> Int8? { reader.integer() }
}

extension Int16: IndexValue {
    /// `integer`.
    public static var indexType: IndexType { IndexType(.integer) }
    /// Writes 1 to 11 bytes.
    public func write(to writer: inout IndexKeyWriter) { writer.integer(Int64(self)) }
    /// Reads an integer; `nil` if it is out of range.
    public static func read(from reader: inout IndexKeyReader) -> Int16? { reader.integer() }
}

extension Int32: IndexValue {
    /// `integer`.
    public static var indexType: IndexType { IndexType(.integer) }
    /// Writes 1 to 11 bytes.
    public func write(to writer: inout IndexKeyWriter) { writer.integer(Int64(self)) }
    /// Reads an integer; `nil` if it is out of range.
    public static func read(from reader: inout IndexKeyReader) -> Int32? { reader.integer() }
}

extension Int64: IndexValue {
    /// `integer`.
    public static var indexType: IndexType { IndexType(.integer) }
    /// Writes 1 to 11 bytes.
    public func write(to writer: inout IndexKeyWriter) { writer.integer(Int64(self)) }
    /// Reads an integer; `nil` if it is out of range.
    public static func read(from reader: inout IndexKeyReader) -> Int64? { reader.integer() }
}

extension UInt: IndexValue {
    /// `integer`.
    public static var indexType: IndexType { IndexType(.integer) }
    /// Writes 1 to 11 bytes.
    public func write(to writer: inout IndexKeyWriter) { writer.integer(magnitude: UInt64(self), isNegative: false) }
    /// Reads an integer; `nil` if it is out of range.
    public static func read(from reader: inout IndexKeyReader) -> UInt? { reader.integer() }
}

extension UInt8: IndexValue {
    /// `integer`.
    public static var indexType: IndexType { IndexType(.integer) }
    /// Writes 1 to 11 bytes.
    public func write(to writer: inout IndexKeyWriter) { writer.integer(magnitude: UInt64(self), isNegative: false) }
    /// Reads an integer; `nil` if it is out of range.
    public static func read(from reader: inout IndexKeyReader) -> UInt8? { reader.integer() }
}

extension UInt16: IndexValue {
    /// `integer`.
    public static var indexType: IndexType { IndexType(.integer) }
    /// Writes 1 to 11 bytes.
    public func write(to writer: inout IndexKeyWriter) { writer.integer(magnitude: UInt64(self), isNegative: false) }
    /// Reads an integer; `nil` if it is out of range.
    public static func read(from reader: inout IndexKeyReader) -> UInt16? { reader.integer() }
}

extension UInt32: IndexValue {
    /// `integer`.
    public static var indexType: IndexType { IndexType(.integer) }
    /// Writes 1 to 11 bytes.
    public func write(to writer: inout IndexKeyWriter) { writer.integer(magnitude: UInt64(self), isNegative: false) }
    /// Reads an integer; `nil` if it is out of range.
    public static func read(from reader: inout IndexKeyReader) -> UInt32? { reader.integer() }
}

extension UInt64: IndexValue {
    /// `integer`.
    public static var indexType: IndexType { IndexType(.integer) }
    /// Writes 1 to 11 bytes.
    public func write(to writer: inout IndexKeyWriter) { writer.integer(magnitude: UInt64(self), isNegative: false) }
    /// Reads an integer; `nil` if it is out of range.
    public static func read(from reader: inout IndexKeyReader) -> UInt64? { reader.integer() }
}

extension Int128: IndexValue {
    /// `integer`.
    public static var indexType: IndexType { IndexType(.integer) }
    /// Writes 1 to 20 bytes.
    public func write(to writer: inout IndexKeyWriter) {
        writer.wideInteger(magnitude: UInt128(self < 0 ? ~self : self), isNegative: self < 0)
    }
    /// Reads an integer; `nil` if it is out of range.
    public static func read(from reader: inout IndexKeyReader) -> Int128? { reader.integer() }
}

extension UInt128: IndexValue {
    /// `integer`.
    public static var indexType: IndexType { IndexType(.integer) }
    /// Writes 1 to 20 bytes.
    public func write(to writer: inout IndexKeyWriter) { writer.wideInteger(magnitude: self, isNegative: false) }
    /// Reads an integer; `nil` if it is out of range.
    public static func read(from reader: inout IndexKeyReader) -> UInt128? { reader.integer() }
}
