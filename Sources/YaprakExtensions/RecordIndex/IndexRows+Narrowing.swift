import YaprakModel

// Questions about the next column.
extension IndexRows {
    /// Those whose next column is `value`.
    ///
    ///     try index.equal("sci-fi").equal(1965)
    ///
    /// - Throws: `invalidQuery` if the column is of another type, if there is none, or if `value` is NaN.
    /// - Complexity: O(log *n*).
    public func equal<Value: IndexValue>(_ value: Value) throws -> Self {
        let column = try nextColumn(Value.indexType)
        guard let span = column.span(equal: value) else { throw source.configuration.notANumber() }
        return narrowed(to: [span])
    }

    /// Those whose next column is one of several values, in the order of the index. O(*k* log *n*).
    ///
    ///     try index.oneOf(["sci-fi", "fantasy"])
    ///
    /// - Throws: `invalidQuery` as ``equal(_:)``.
    public func oneOf<Value: IndexValue>(_ values: some Sequence<Value>) throws -> Self {
        let column = try nextColumn(Value.indexType)
        var spans: Set<IndexSpan> = []
        for value in values {
            guard let span = column.span(equal: value) else { throw source.configuration.notANumber() }
            spans.insert(span)
        }
        return narrowed(to: spans.sorted { $0.lower.lexicographicallyPrecedes($1.lower) })
    }

    /// Those whose next column, of strings, begins with `prefix`.
    ///
    /// The prefix is compared by Unicode scalars, in NFC: `"e"` is no prefix of `"é"`.
    /// - Throws: `invalidQuery` if the column is not of strings.
    /// - Complexity: O(log *n*).
    public func starting(with prefix: String) throws -> Self {
        narrowed(to: [try nextColumn(String.indexType).span(prefix: prefix)], arePoints: false)
    }

    /// Those whose next column is in a range. `nil` and NaN are in none.
    ///
    ///     try index.equal("sci-fi").range(10..<100)
    ///
    /// - Throws: `invalidQuery` if the column is of another type, if there is none, or if an end is NaN.
    /// - Complexity: O(log *n*).
    public func range<Value: IndexValue>(_ range: Range<Value>) throws -> Self {
        try self.range(.including(range.lowerBound), .excluding(range.upperBound))
    }

    /// Those whose next column is in a range that includes its end. See ``range(_:)-(Range<Value>)``.
    public func range<Value: IndexValue>(_ range: ClosedRange<Value>) throws -> Self {
        try self.range(.including(range.lowerBound), .including(range.upperBound))
    }

    /// Those whose next column is `range.lowerBound` or more. See ``range(_:)-(Range<Value>)``.
    public func range<Value: IndexValue>(_ range: PartialRangeFrom<Value>) throws -> Self {
        try self.range(.including(range.lowerBound), .unbounded)
    }

    /// Those whose next column is less than `range.upperBound`. See ``range(_:)-(Range<Value>)``.
    public func range<Value: IndexValue>(_ range: PartialRangeUpTo<Value>) throws -> Self {
        try self.range(.unbounded, .excluding(range.upperBound))
    }

    /// Those whose next column is `range.upperBound` or less. See ``range(_:)-(Range<Value>)``.
    public func range<Value: IndexValue>(_ range: PartialRangeThrough<Value>) throws -> Self {
        try self.range(.unbounded, .including(range.upperBound))
    }

    private func range<Value: IndexValue>(_ low: IndexBound<Value>, _ high: IndexBound<Value>) throws -> Self {
        let column = try nextColumn(Value.indexType)
        guard let span = column.span(from: low, to: high) else { throw source.configuration.notANumber() }
        return narrowed(to: [span], arePoints: false)
    }

    /// The column that the next question is about.
    private func nextColumn(_ type: IndexType) throws -> ColumnRule {
        guard prefixes != nil, depth < source.configuration.columns.count else {
            throw DatabaseError(
                .invalidQuery,
                """
                index "\(source.configuration.name)" is asked for a column behind its \(depth). Only the last question may be \
                for a range or a prefix, and there are \(source.configuration.columns.count) columns.
                """)
        }
        try source.configuration.check(type, column: depth)
        return source.configuration.columns[depth]
    }

    private func narrowed(to spans: [IndexSpan], arePoints: Bool = true) -> Self {
        let prefixes = prefixes ?? []
        if prefixes.count == 1, spans.count == 1 {
            let range = source.positions(spans[0], behind: prefixes[0])
            return Self(
                source, IndexRanges(range), prefixes: arePoints ? [prefixes[0] + spans[0].lower] : nil, depth: depth + 1
            )
        }
        var ranges: [Range<Int>] = []
        var longer: [[UInt8]] = []
        for prefix in prefixes {
            for span in spans {
                ranges.append(source.positions(span, behind: prefix))
                if arePoints { longer.append(prefix + span.lower) }
            }
        }
        return Self(source, IndexRanges(ranges), prefixes: arePoints ? longer : nil, depth: depth + 1)
    }
}

extension IndexConfiguration {
    /// - Throws: `invalidQuery` if a column does not have values of a type.
    func check(_ type: IndexType, column: Int) throws {
        guard columns.indices.contains(column) else {
            throw DatabaseError(
                .invalidQuery,
                """
                index "\(name)" has \(columns.count.counted("column")), counted from 0, and is asked for column \(column). Ask \
                for one that it has.
                """)
        }
        if columns[column].type.accepts(type) { return }
        throw DatabaseError(
            .invalidQuery,
            """
            column \(column) of index "\(name)" has values of type \(columns[column].type), and is asked for one of type \
            \(type). Ask for a value of the column's type.
            """)
    }

    func notANumber() -> DatabaseError {
        DatabaseError(
            .invalidQuery,
            "index \"\(name)\" is asked for NaN, and no record is found by it. Check the number with isNaN before.")
    }
}
