import YaprakExtensions

/// What indexes can answer of a condition.
enum QueryShape {
    case all([QueryShape])
    case any([QueryShape])
    case term(QueryTerm)
    /// It holds for no record.
    case never
    /// No index knows.
    case unknown

    init(_ term: QueryTerm?) { self = term.map { .term($0) } ?? .unknown }
}

/// A property of the object that a condition is about.
struct QueryProperty {
    let path: AnyKeyPath
    /// The same, if it is stored in the object.
    let stored: StoredProperty?
}

/// Records whose property has one of some values.
final class QueryTerm {
    /// The property.
    let property: QueryProperty
    /// Whether the values are those of elements.
    let isOfElements: Bool
    /// Whether entries with these values are the matches, and not only among others.
    let isExact: Bool
    /// The values as a column of the property has them, ascending and apart; `nil` if the column is not of their type.
    let spans: (ColumnRule) -> [IndexSpan]?

    init(
        _ property: QueryProperty, isOfElements: Bool = false, isExact: Bool = true,
        _ spans: @escaping (ColumnRule) -> [IndexSpan]?
    ) {
        self.property = property
        self.isOfElements = isOfElements
        self.isExact = isExact
        self.spans = spans
    }

    /// Records whose property is equal to a value; `nil` if no index can have it. NaN is equal to nothing.
    static func equal<Value>(_ property: QueryProperty, _ value: Value, isOfElements: Bool = false) -> QueryTerm? {
        // The types that are most common, by code that knows them.
        if Value.self == String.self {
            return equal(property, indexed: unsafeBitCast(value, to: String.self), isOfElements)
        }
        if Value.self == Int.self { return equal(property, indexed: unsafeBitCast(value, to: Int.self), isOfElements) }
        // By the type: a cast of the value would take its optionals off.
        guard let type = Value.self as? any IndexValue.Type else { return nil }
        func open<V: IndexValue>(_: V.Type) -> QueryTerm {
            equal(property, indexed: unsafeBitCast(value, to: V.self), isOfElements)
        }
        return open(type)
    }

    @inline(__always)
    private static func equal<V: IndexValue>(
        _ property: QueryProperty, indexed value: V, _ isOfElements: Bool
    ) -> QueryTerm {
        QueryTerm(property, isOfElements: isOfElements) { column in
            guard column.type.accepts(V.indexType) else { return nil }
            return column.span(equal: value).map { [$0] } ?? []
        }
    }

    /// Records whose property is equal to one of some values.
    static func oneOf<Value>(_ property: QueryProperty, _ values: [Value]) -> QueryTerm? {
        guard let type = Value.self as? any IndexValue.Type else { return nil }
        func open<V: IndexValue>(_: V.Type) -> QueryTerm {
            let values = values.map { unsafeBitCast($0, to: V.self) }
            return QueryTerm(property) { column in
                guard column.type.accepts(V.indexType) else { return nil }
                return Set(values.compactMap { column.span(equal: $0) })
                    .sorted { $0.lower.lexicographicallyPrecedes($1.lower) }
            }
        }
        return open(type)
    }

    /// Records whose property stands in an order to a value; `nil` if `<` may mean something else than the order of an index.
    static func compared<Value>(
        _ property: QueryProperty, _ comparison: ValueComparison, _ value: Value
    ) -> QueryTerm? {
        if Value.self == Int.self { return compared(property, comparison, indexed: unsafeBitCast(value, to: Int.self)) }
        if Value.self == String.self {
            return compared(property, comparison, indexed: unsafeBitCast(value, to: String.self))
        }
        guard NaturalOrder.isOf(Value.self), let type = Value.self as? any IndexValue.Type else { return nil }
        func open<V: IndexValue>(_: V.Type) -> QueryTerm {
            compared(property, comparison, indexed: unsafeBitCast(value, to: V.self))
        }
        return open(type)
    }

    @inline(__always)
    private static func compared<V: IndexValue>(
        _ property: QueryProperty, _ comparison: ValueComparison, indexed value: V
    ) -> QueryTerm {
        switch comparison {
        case .less: between(property, indexed: .unbounded, .excluding(value))
        case .lessOrEqual: between(property, indexed: .unbounded, .including(value))
        case .greater: between(property, indexed: .excluding(value), .unbounded)
        case .greaterOrEqual: between(property, indexed: .including(value), .unbounded)
        }
    }

    /// Records whose property lies between two values; `nil` if `<` may mean something else than the order of an index.
    static func between<Value>(
        _ property: QueryProperty, _ low: IndexBound<Value>, _ high: IndexBound<Value>
    ) -> QueryTerm? {
        guard NaturalOrder.isOf(Value.self), let type = Value.self as? any IndexValue.Type else { return nil }
        func open<V: IndexValue>(_: V.Type) -> QueryTerm {
            between(
                property, indexed: low.map { unsafeBitCast($0, to: V.self) },
                high.map { unsafeBitCast($0, to: V.self) })
        }
        return open(type)
    }

    @inline(__always)
    private static func between<V: IndexValue>(
        _ property: QueryProperty, indexed low: IndexBound<V>, _ high: IndexBound<V>
    ) -> QueryTerm {
        QueryTerm(property) { column in
            guard column.type.accepts(V.indexType) else { return nil }
            return column.span(from: low, to: high).map { $0.isEmpty ? [] : [$0] } ?? []
        }
    }

    /// Records whose property begins with a string, and perhaps others: `starts(with:)` compares characters.
    static func prefixed(_ property: QueryProperty, by prefix: String) -> QueryTerm {
        QueryTerm(property, isExact: false) { column in
            column.type.accepts(String.indexType) ? [column.span(prefix: prefix)] : nil
        }
    }
}

/// How a property stands to a value.
enum ValueComparison {
    case less, lessOrEqual, greater, greaterOrEqual

    /// How the value stands to the property.
    var reversed: ValueComparison {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
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
