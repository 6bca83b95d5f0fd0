import YaprakModel
import YaprakTrees

// What the columns say, without reading records.
extension IndexRows {
    /// The values of a column, in order, one for each entry that has one: what is missing is left out, and so is what does not
    /// fit into the type. No record is read. Strings are in NFC, and −0 is 0.
    ///
    ///     for genre in try snapshot[genreRank].values(ofColumn: 0, as: String.self) { … }
    ///
    /// - Throws: `invalidQuery` if there is no such column, or if it is of another type.
    /// - Complexity: lazy; O(length of an entry) for each.
    public func values<Value: IndexValue>(ofColumn column: Int, as type: Value.Type) throws -> some Sequence<Value> {
        let configuration = source.configuration
        try configuration.check(Value.indexType, column: column)
        // Without the optionals that the caller does not ask for: a value that is missing is left out.
        let optionals = configuration.columns[column].type.optionals - Value.indexType.optionals
        return IndexEntrySequence(source: source, ranges: ranges) { entry in
            entry.withKey { bytes in
                var reader = IndexKeyReader(bytes)
                for earlier in configuration.columns.prefix(column) { guard reader.skip(earlier) else { return nil } }
                reader.enter(configuration.columns[column])
                for _ in 0..<optionals { guard reader.next() == 2 else { return nil } }
                return Value.read(from: &reader)
            }
        }
    }

    /// The least value of the next column; `nil` if there is none. Missing values and NaN do not count.
    ///
    ///     let cheapest = try index.equal("sci-fi").minimum(as: Double.self)
    ///
    /// - Throws: `invalidQuery` if there is no next column, if it is of another type, or if the value does not fit into the type.
    /// - Complexity: O(log *n*); O(*k* log *n*) behind ``oneOf(_:)``.
    public func minimum<Value: IndexValue & Comparable>(as type: Value.Type = Value.self) throws -> Value? {
        try extremes(type) { $0.isDescending ? \.last : \.first }.min()
    }

    /// The greatest value of the next column; `nil` if there is none. See ``minimum(as:)``.
    public func maximum<Value: IndexValue & Comparable>(as type: Value.Type = Value.self) throws -> Value? {
        try extremes(type) { $0.isDescending ? \.first : \.last }.max()
    }

    private func extremes<Value: IndexValue>(
        _: Value.Type, _ end: (ColumnRule) -> KeyPath<Range<Int>, Int?>
    ) throws -> [Value] {
        let configuration = source.configuration
        guard let prefixes else {
            throw DatabaseError(
                .invalidQuery,
                """
                a least or greatest value of index "\(configuration.name)" is one of a column behind equal ones. Ask for it \
                before a range or a prefix, or go through values(ofColumn:as:).
                """)
        }
        try configuration.check(Value.indexType, column: depth)
        let column = configuration.columns[depth]
        return try prefixes.compactMap { prefix -> Value? in
            let positions = source.positions(column.spanOfValues, behind: prefix)
            guard let position = positions[keyPath: end(column)] else { return nil }
            let one = Self(source, IndexRanges(position..<position + 1), depth: depth)
            guard let value = try one.values(ofColumn: depth, as: Value.self).first(where: { _ in true }) else {
                throw DatabaseError(
                    .invalidQuery,
                    """
                    a least or greatest value of column \(depth) of index "\(configuration.name)" does not fit into \
                    \(Value.self). Ask for it as a type that has all values of the column.
                    """)
            }
            return value
        }
    }

    /// The sum of a column of integers, exactly. What is missing counts as 0.
    ///
    ///     let stock = try index.equal("sci-fi").sum(ofColumn: 1)
    ///
    /// - Throws: `sumOverflow` if it is out of the range of `Int128`; `invalidQuery` if there is no such column, or if it
    ///   is not one of integers.
    /// - Complexity: O(number of entries). No record is read.
    public func sum(ofColumn column: Int) throws -> Int128 {
        let configuration = source.configuration
        // Modulo 2^128, and how often that was left: what counts is the sum, not what it is on the way.
        var sum: Int128 = 0, carry = 0
        for value in try values(ofColumn: column, as: WideInteger.self) {
            let (next, isOver) = sum.addingReportingOverflow(value.low)
            if isOver { carry += value.low < 0 ? -1 : 1 }
            carry += value.carry
            sum = next
        }
        guard carry == 0 else {
            throw DatabaseError(
                .sumOverflow,
                """
                the sum of column \(column) of index "\(configuration.name)" is out of the range of 128 bits. Add in smaller \
                groups.
                """)
        }
        return sum
    }

    /// The sum of a column of numbers of type `Double`, added in the order of the index. What is missing counts as 0.
    /// - Throws: `invalidQuery` if there is no such column, or if it is of another type.
    /// - Complexity: O(number of entries). No record is read.
    public func sum(ofColumn column: Int, as type: Double.Type) throws -> Double {
        try values(ofColumn: column, as: Double.self).reduce(0, +)
    }
}

/// An integer of up to 128 bits without a sign: `low`, and 2^128 for each of `carry`.
private struct WideInteger: IndexValue {
    let low: Int128
    let carry: Int

    static var indexType: IndexType { IndexType(.integer) }
    func write(to writer: inout IndexKeyWriter) { low.write(to: &writer) }
    static func read(from reader: inout IndexKeyReader) -> WideInteger? {
        guard let (magnitude, isNegative) = reader.wideInteger() else { return nil }
        let low = Int128(truncatingIfNeeded: magnitude)
        return isNegative ? WideInteger(low: ~low, carry: 0) : WideInteger(low: low, carry: low < 0 ? 1 : 0)
    }
}
