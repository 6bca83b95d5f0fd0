import Foundation
import TestSupport
import Yaprak

/// Random predicates of goods, of everything that is compiled and some that is not.
struct RandomPredicates {
    typealias Expressions = PredicateExpressions
    typealias Condition = any StandardPredicateExpression<Bool>

    var random: SplitMix64

    mutating func predicate(depth: Int = 3) -> Predicate<Goods> {
        var copy = self
        let predicate = Predicate<Goods> { copy.tree($0, depth) }
        self = copy
        return predicate
    }

    private mutating func tree(_ goods: Expressions.Variable<Goods>, _ depth: Int) -> Condition {
        if depth == 0 || random.chance(20) { return leaf(goods) }
        func and(_ a: some StandardPredicateExpression<Bool>, _ b: some StandardPredicateExpression<Bool>) -> Condition
        {
            Expressions.build_Conjunction(lhs: a, rhs: b)
        }
        func or(_ a: some StandardPredicateExpression<Bool>, _ b: some StandardPredicateExpression<Bool>) -> Condition {
            Expressions.build_Disjunction(lhs: a, rhs: b)
        }
        func not(_ a: some StandardPredicateExpression<Bool>) -> Condition { Expressions.build_Negation(a) }
        switch random.below(10) {
        case 0..<5: return and(tree(goods, depth - 1), tree(goods, depth - 1))
        case 5..<8: return or(tree(goods, depth - 1), tree(goods, depth - 1))
        default: return not(tree(goods, depth - 1))
        }
    }

    private mutating func leaf(_ goods: Expressions.Variable<Goods>) -> Condition {
        func property<Value>(_ path: any KeyPath<Goods, Value> & Sendable)
            -> Expressions.KeyPath<Expressions.Variable<Goods>, Value>
        {
            Expressions.build_KeyPath(root: Expressions.build_Arg(goods), keyPath: path)
        }
        let genre = Goods.genres[random.below(Goods.genres.count)]
        let low = random.below(30) - 10
        let high = low + random.below(10)
        let price = Goods.prices[random.below(Goods.prices.count)]
        let operators: [Expressions.ComparisonOperator] = [
            .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual,
        ]
        let op = operators[random.below(4)]
        let country = Expressions.build_KeyPath(root: property(\.maker), keyPath: \.country)
        switch random.below(26) {
        case 0, 1: return Expressions.build_Equal(lhs: property(\.genre), rhs: Expressions.build_Arg(genre))
        case 2: return Expressions.build_Equal(lhs: Expressions.build_Arg(low), rhs: property(\.rank))
        case 3: return Expressions.build_NotEqual(lhs: property(\.genre), rhs: Expressions.build_Arg(genre))
        case 4: return Expressions.build_Comparison(lhs: property(\.genre), rhs: Expressions.build_Arg(genre), op: op)
        case 5, 6: return Expressions.build_Comparison(lhs: property(\.rank), rhs: Expressions.build_Arg(low), op: op)
        case 7: return Expressions.build_Comparison(lhs: Expressions.build_Arg(high), rhs: property(\.rank), op: op)
        case 8:
            return Expressions.build_contains(
                Expressions.build_Range(lower: Expressions.build_Arg(low), upper: Expressions.build_Arg(high)),
                property(\.rank))
        case 9: return Expressions.build_contains(Expressions.build_Arg(low...high), property(\.rank))
        case 10: return Expressions.build_contains(Expressions.build_Arg([low, high, low]), property(\.rank))
        case 11: return Expressions.build_contains(Expressions.build_Arg([genre, "a", "e\u{301}"]), property(\.genre))
        case 12:
            return Expressions.build_starts(property(\.genre), with: Expressions.build_Arg(String(genre.prefix(1))))
        case 13: return Expressions.build_Comparison(lhs: property(\.price), rhs: Expressions.build_Arg(price), op: op)
        case 14: return Expressions.build_Equal(lhs: property(\.price), rhs: Expressions.build_Arg(price))
        case 15:
            let discount: Double? = random.chance(40) ? nil : price
            return Expressions.build_Equal(lhs: property(\.discount), rhs: Expressions.build_Arg(discount))
        case 16:
            return Expressions.build_Equal(
                lhs: country, rhs: Expressions.build_Arg(random.chance(30) ? nil : "c\(random.below(4))" as String?))
        case 17: return Expressions.build_Equal(lhs: country, rhs: Expressions.build_NilLiteral())
        case 18:
            return Expressions.build_contains(
                property(\.tags), Expressions.build_Arg(["x", "y", "é", "t1"][random.below(4)]))
        case 19: return property(\.isNew)
        case 20: return Expressions.build_Negation(property(\.isNew))
        case 21:
            // It throws where there is none: then the whole predicate does not hold.
            return Expressions.build_Comparison(
                lhs: Expressions.build_ForcedUnwrap(property(\.discount)), rhs: Expressions.build_Arg(price), op: op)
        case 22:
            return Expressions.build_Comparison(
                lhs: Expressions.build_NilCoalesce(lhs: property(\.discount), rhs: Expressions.build_Arg(1.5)),
                rhs: Expressions.build_Arg(price), op: op)
        case 23:
            return Expressions.build_Comparison(
                lhs: Expressions.build_Arithmetic(lhs: property(\.rank), rhs: Expressions.build_Arg(3), op: .multiply),
                rhs: Expressions.build_Arg(low), op: op)
        case 24:
            return Expressions.build_Equal(
                lhs: property(\.shape), rhs: Expressions.build_Arg(Goods.Shape.allCases[random.below(3)]))
        default:
            let made = Date(timeIntervalSinceReferenceDate: Double(random.below(9)) * 1e8 - 4e8)
            return Expressions.build_Comparison(lhs: property(\.made), rhs: Expressions.build_Arg(made), op: op)
        }
    }
}

extension RandomPredicates {
    /// A predicate of keys "g0" to "g119", and of odd ones.
    mutating func keyPredicate(depth: Int = 2) -> Predicate<String> {
        var copy = self
        let predicate = Predicate<String> { copy.keys($0, depth) }
        self = copy
        return predicate
    }

    private mutating func keys(_ key: Expressions.Variable<String>, _ depth: Int) -> Condition {
        func and(_ a: some StandardPredicateExpression<Bool>, _ b: some StandardPredicateExpression<Bool>) -> Condition
        {
            Expressions.build_Conjunction(lhs: a, rhs: b)
        }
        func or(_ a: some StandardPredicateExpression<Bool>, _ b: some StandardPredicateExpression<Bool>) -> Condition {
            Expressions.build_Disjunction(lhs: a, rhs: b)
        }
        if depth > 0, random.chance(50) {
            return random.chance(70) ? and(keys(key, depth - 1), keys(key, depth - 1)) : or(keys(key, 0), keys(key, 0))
        }
        let arg = Expressions.build_Arg(key)
        func name() -> String {
            switch random.below(12) {
            case 0: ["", "g", "h", "\u{0}", "é", "g1\u{0}", "f", "g\u{301}"][random.below(8)]
            default: ["", "g", "goods/é"][random.below(3)] + "\(random.below(120))"
            }
        }
        let operators: [Expressions.ComparisonOperator] = [
            .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual,
        ]
        switch random.below(8) {
        case 0, 1: return Expressions.build_Equal(lhs: arg, rhs: Expressions.build_Arg(name()))
        case 2:
            return Expressions.build_Comparison(
                lhs: arg, rhs: Expressions.build_Arg(name()), op: operators[random.below(4)])
        case 3:
            return Expressions.build_Comparison(
                lhs: Expressions.build_Arg(name()), rhs: arg, op: operators[random.below(4)])
        case 4: return Expressions.build_starts(arg, with: Expressions.build_Arg(String(name().prefix(2))))
        case 5: return Expressions.build_contains(Expressions.build_Arg([name(), name(), name()]), arg)
        case 6: return Expressions.build_NotEqual(lhs: arg, rhs: Expressions.build_Arg(name()))
        default:
            return Expressions.build_Negation(Expressions.build_Equal(lhs: arg, rhs: Expressions.build_Arg(name())))
        }
    }
}

/// A sort, and the cells it compares.
struct RandomSort {
    let sort: RecordSort<Goods, String>
    let cell: (GoodsRecord) -> Cell
    let isDescending: Bool

    init(_ random: inout SplitMix64) {
        isDescending = random.chance(50)
        let order: ViewOrder = isDescending ? .descending : .ascending
        let foundation: SortOrder = isDescending ? .reverse : .forward
        switch random.below(12) {
        case 9: (sort, cell) = (RecordSort(SortDescriptor(\.rank, order: foundation)), { Cell($0.object.rank) })
        case 10: (sort, cell) = (RecordSort(SortDescriptor(\.price, order: foundation)), { Cell($0.object.price) })
        case 11:
            (sort, cell) = (RecordSort(SortDescriptor(\.discount, order: foundation)), { Cell($0.object.discount) })
        case 0, 1: (sort, cell) = (RecordSort(\.rank, order), { Cell($0.object.rank) })
        case 2: (sort, cell) = (RecordSort(\.genre, order), { Cell($0.object.genre) })
        case 3: (sort, cell) = (RecordSort(\.price, order), { Cell($0.object.price) })
        case 4: (sort, cell) = (RecordSort(\.discount, order), { Cell($0.object.discount) })
        case 5: (sort, cell) = (RecordSort(\.made, order), { Cell($0.object.made) })
        case 6: (sort, cell) = (RecordSort(\.code, order), { Cell($0.object.code) })
        case 7: (sort, cell) = (RecordSort(order) { $0.object.title.count }, { Cell($0.object.title.count) })
        default: (sort, cell) = (.key(order), { Cell($0.key) })
        }
    }
}

extension [RandomSort] {
    /// Whether one record stands before another.
    func areInOrder(_ a: GoodsRecord, _ b: GoodsRecord) -> Bool {
        for sort in self {
            let (x, y) = (sort.cell(a), sort.cell(b))
            if x != y { return sort.isDescending ? y < x : x < y }
        }
        return a.key.utf8.lexicographicallyPrecedes(b.key.utf8)
    }
}
