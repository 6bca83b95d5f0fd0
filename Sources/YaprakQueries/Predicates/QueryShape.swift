import YaprakExtensions

/// What indexes can answer of a condition.
indirect enum QueryShape {
    case all([QueryShape])
    case any([QueryShape])
    case term(QueryTerm)
    /// It holds for no record.
    case never
    /// No index knows.
    case unknown
}

/// Records whose property has one of some values.
final class QueryTerm {
    /// The property.
    let path: AnyKeyPath
    /// Whether the values are those of elements.
    let isOfElements: Bool
    /// Whether entries with these values are the matches, and not only among others.
    let isExact: Bool
    /// The values as a column of the property has them, ascending and apart; `nil` if the column is not of their type.
    let spans: (ColumnRule) -> [IndexSpan]?

    init(
        _ path: AnyKeyPath, isOfElements: Bool = false, isExact: Bool = true,
        _ spans: @escaping (ColumnRule) -> [IndexSpan]?
    ) {
        self.path = path
        self.isOfElements = isOfElements
        self.isExact = isExact
        self.spans = spans
    }

    /// Records whose property is equal to a value; `nil` if no index can have it. What is not a number is equal to nothing.
    static func equal<Value>(_ path: AnyKeyPath, _ value: Value, isOfElements: Bool = false) -> QueryTerm? {
        oneOf(path, [value], isOfElements: isOfElements)
    }

    /// Records whose property is equal to one of some values.
    static func oneOf<Value>(_ path: AnyKeyPath, _ values: [Value], isOfElements: Bool = false) -> QueryTerm? {
        // By the type: a cast of the value would take its optionals off.
        guard let type = Value.self as? any IndexValue.Type else { return nil }
        func open<V: IndexValue>(_: V.Type) -> QueryTerm {
            let values = values.map { unsafeBitCast($0, to: V.self) }
            return QueryTerm(path, isOfElements: isOfElements) { column in
                guard column.type.accepts(V.indexType) else { return nil }
                if values.count == 1 { return column.span(equal: values[0]).map { [$0] } ?? [] }
                return Set(values.compactMap { column.span(equal: $0) })
                    .sorted { $0.lower.lexicographicallyPrecedes($1.lower) }
            }
        }
        return open(type)
    }

    /// Records whose property lies between two values; `nil` if `<` may mean something else than the order of an index.
    static func between<Value>(
        _ path: AnyKeyPath, _ low: IndexBound<Value>, _ high: IndexBound<Value>
    ) -> QueryTerm? {
        guard NaturalOrder.isOf(Value.self), let type = Value.self as? any IndexValue.Type else { return nil }
        func open<V: IndexValue>(_: V.Type) -> QueryTerm {
            let (low, high) = (low.map { unsafeBitCast($0, to: V.self) }, high.map { unsafeBitCast($0, to: V.self) })
            return QueryTerm(path) { column in
                guard column.type.accepts(V.indexType) else { return nil }
                return column.span(from: low, to: high).map { $0.isEmpty ? [] : [$0] } ?? []
            }
        }
        return open(type)
    }

    /// Records whose property begins with a string, and perhaps others: `starts(with:)` compares characters.
    static func prefixed(_ path: AnyKeyPath, by prefix: String) -> QueryTerm {
        QueryTerm(path, isExact: false) { column in
            column.type.accepts(String.indexType) ? [column.span(prefix: prefix)] : nil
        }
    }
}

extension IndexBound {
    fileprivate func map<Other>(_ make: (Value) -> Other) -> IndexBound<Other> {
        switch self {
        case .unbounded: .unbounded
        case .including(let value): .including(make(value))
        case .excluding(let value): .excluding(make(value))
        }
    }
}
