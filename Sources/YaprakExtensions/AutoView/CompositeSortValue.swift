/// A sort value made of others, ordered part by part as views order each of them. With `<` alone NaN would have no place in
/// the order, and a view that holds one would find no row any more.
protocol CompositeSortValue: Comparable, Sendable {
    /// A `SortValueKind<Self>`.
    static func makeKind() -> any Sendable
}

extension SortValueKind {
    /// The order of a type that is made of others; `nil` if it is none of those.
    static var composite: Self? {
        (Key.self as? any CompositeSortValue.Type).map { $0.makeKind() as! Self }
    }

    /// The whole order of two values: less than 0, 0, or more than 0.
    func order(_ a: Key, _ b: Key) -> Int {
        if let hint {
            let (first, second) = (hint(a), hint(b))
            if first != second { return first < second ? -1 : 1 }
        }
        return compare?(a, b) ?? 0
    }
}

extension MissingFirst: CompositeSortValue {
    static func makeKind() -> any Sendable {
        let kind = SortValueKind<Value>()
        let hint = kind.hint
        // Values take the upper half of the words, which costs their last bit; none is 0.
        let word: @Sendable (Self) -> UInt64 = { $0.value.map { (hint?($0) ?? 0) >> 1 | 1 << 63 } ?? 0 }
        let compare: @Sendable (Self, Self) -> Int = { a, b in
            guard let second = b.value else { return a.value == nil ? 0 : 1 }
            guard let first = a.value else { return -1 }
            return kind.order(first, second)
        }
        return SortValueKind<Self>(prepare: { Self($0.value.map(kind.prepare)) }, word: word, compare: compare)
    }
}

extension ValuePair: CompositeSortValue {
    static func makeKind() -> any Sendable {
        let (first, second) = (SortValueKind<First>(), SortValueKind<Second>())
        let hint = first.hint
        let word: @Sendable (Self) -> UInt64 = { hint?($0.first) ?? 0 }
        let compare: @Sendable (Self, Self) -> Int = { a, b in
            let order = first.order(a.first, b.first)
            return order == 0 ? second.order(a.second, b.second) : order
        }
        return SortValueKind<Self>(
            prepare: { Self(first.prepare($0.first), second.prepare($0.second)) }, word: word, compare: compare)
    }
}
