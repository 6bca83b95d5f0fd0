import YaprakCBOR
import YaprakCore

/// A part of an expression.
///
/// - Invariant: `and` and `or` have two operands or more; a path has a step or more and its base is no path; a literal is
///   null, a truth value, a text, or a number that is not negative. That makes the tree of a text unique.
indirect enum ExpressionNode: Sendable, Hashable {
    case literal(CBORValue)
    /// What a function such as `any` looks at, or the record that the expression is about.
    case element(ExpressionElement.Part)
    /// A collection; stands only where a record of it is asked for, or all.
    case collection(String)
    case path(ExpressionNode, [Step])
    case negated(ExpressionNode)
    case not(ExpressionNode)
    case and([ExpressionNode])
    case or([ExpressionNode])
    case comparison(Comparison, ExpressionNode, ExpressionNode)
    /// The object before, or after, the commit that the expression is about.
    case side(Side)
    /// Whether the first is the second after the commit, and was not before it.
    case became(ExpressionNode, ExpressionNode)
    case arithmetic(Arithmetic, ExpressionNode, ExpressionNode)
    case call(ExpressionFunction, [ExpressionNode])

    /// One step into a value.
    enum Step: Sendable, Hashable {
        case field(String)
        case index(ExpressionNode)
    }

    enum Side: String, Sendable, Hashable, CaseIterable { case before, after }

    enum Comparison: String, Sendable, Hashable, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case atMost = "<="
        case greater = ">"
        case atLeast = ">="
    }

    enum Arithmetic: String, Sendable, Hashable, CaseIterable {
        case plus = "+"
        case minus = "-"
        case times = "*"
        case by = "/"
        case modulo = "%"

        var rank: ExpressionRank { self == .plus || self == .minus ? .sum : .product }
    }
}

extension ExpressionNode {
    /// Adds the names of the collections in it.
    func collectCollections(into names: inout Set<String>) {
        switch self {
        case .collection(let name): names.insert(name)
        case .literal, .element, .side: return
        case .path(let base, let steps):
            base.collectCollections(into: &names)
            for case .index(let node) in steps { node.collectCollections(into: &names) }
        case .negated(let operand), .not(let operand): operand.collectCollections(into: &names)
        case .and(let parts), .or(let parts), .call(_, let parts):
            for part in parts { part.collectCollections(into: &names) }
        case .comparison(_, let a, let b), .arithmetic(_, let a, let b), .became(let a, let b):
            a.collectCollections(into: &names)
            b.collectCollections(into: &names)
        }
    }
}

/// How tightly a part of an expression holds together; the least first.
enum ExpressionRank: Int, Comparable {
    case or, and, not, comparison, sum, product, negated, path

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    var next: Self { Self(rawValue: rawValue + 1) ?? .path }
}

/// What can be called.
enum ExpressionFunction: String, Sendable, Hashable, CaseIterable {
    case all, any, average, contains, count, endsWith, exists, max, min, startsWith, sum, type

    /// Whether the first argument is a collection, an array or a map, whose elements the second is asked of.
    var looksAtElements: Bool {
        switch self {
        case .all, .any, .average, .count, .max, .min, .sum: true
        case .contains, .endsWith, .exists, .startsWith, .type: false
        }
    }

    /// How many arguments it takes.
    var argumentCounts: ClosedRange<Int> {
        switch self {
        case .all, .any, .average, .contains, .endsWith, .max, .min, .startsWith, .sum: 2...2
        case .count: 1...2
        case .exists, .type: 1...1
        }
    }

    /// How it is written.
    var usage: String {
        switch self {
        case .contains, .endsWith, .startsWith: "\(rawValue)(text, text)"
        case .exists, .type: "\(rawValue)(value)"
        case .count: "count(collection) or count(collection, condition)"
        case .all, .any: "\(rawValue)(collection, condition)"
        case .average, .max, .min, .sum: "\(rawValue)(collection, value)"
        }
    }
}

/// What became of the record that an expression is about.
struct ExpressionChange {
    let before: ExpressionElement?
    let after: ExpressionElement?
    /// The database before.
    let past: Snapshot
}

/// What the dot stands for.
struct ExpressionElement {
    enum Part: String, Sendable, Hashable, CaseIterable {
        case object = "."
        case key = "$key"
        case metadata = "$metadata"
        case version = "$version"
    }

    var object: CBORValue
    var key: CBORValue?
    var metadata: CBORValue?
    var version: Int?

    init(object: CBORValue, key: CBORValue?) {
        self.object = object
        self.key = key
    }

    init(_ record: ReplayRecord) {
        object = record.object
        key = .text(record.key)
        metadata = record.metadata
        version = record.version
    }

    subscript(_ part: Part) -> CBORValue? {
        switch part {
        case .object: object
        case .key: key
        case .metadata: metadata
        case .version: version.map { .integer(Int64($0)) }
        }
    }
}
