import YaprakCBOR
import YaprakCore

/// Finds the value of an expression. Total: what has no value is `nil`, which reads as null.
struct ExpressionEvaluator {
    let snapshot: Snapshot
    /// What the expression is about, if that is a change.
    let change: ExpressionChange?
    /// The positions of the records that collections are taken to have; `nil` for all.
    let parts: [String: [Int]]?
    /// Whether nobody waits for the value any more: it is none then, and comes soon.
    let isCancelled: (() -> Bool)?
    /// Whether it looks at the state before the change.
    private var isPast = false

    init(
        _ snapshot: Snapshot, _ change: ExpressionChange? = nil, parts: [String: [Int]]? = nil,
        isCancelled: (() -> Bool)? = nil
    ) {
        self.snapshot = snapshot
        self.change = change
        self.parts = parts
        self.isCancelled = isCancelled
    }

    func value(of node: ExpressionNode, for element: ExpressionElement?) -> CBORValue? {
        switch node {
        case .literal(let value): value
        case .element(let part): element?[part]
        case .collection: nil
        case .path(let base, let steps): follow(steps[...], from: base, element)
        case .negated(let operand): value(of: operand, for: element)?.negated
        case .not(let operand): .bool(!holds(operand, element))
        case .and(let operands): .bool(operands.allSatisfy { holds($0, element) })
        case .or(let operands): .bool(operands.contains { holds($0, element) })
        case .comparison(let operation, let a, let b):
            .bool(operation.holds(value(of: a, for: element) ?? .null, value(of: b, for: element) ?? .null))
        case .side(.before): change?.before?.object
        case .side(.after): change?.after?.object
        case .became(let a, let b): .bool(became(a, b))
        case .arithmetic(let operation, let a, let b):
            operation.apply(value(of: a, for: element), value(of: b, for: element))
        case .call(let function, let arguments): call(function, arguments, element)
        }
    }

    private func holds(_ node: ExpressionNode, _ element: ExpressionElement?) -> Bool {
        value(of: node, for: element) == .bool(true)
    }

    private func became(_ node: ExpressionNode, _ target: ExpressionNode) -> Bool {
        // Before the commit nothing had become anything. So one within another is asked once more, not twice as often.
        guard let change, !isPast else { return false }
        var past = ExpressionEvaluator(change.past, change, isCancelled: isCancelled)
        past.isPast = true
        func holds(_ evaluator: Self, _ element: ExpressionElement?) -> Bool {
            ExpressionNode.Comparison.equal.holds(
                evaluator.value(of: node, for: element) ?? .null, evaluator.value(of: target, for: element) ?? .null)
        }
        return holds(self, change.after) && !holds(past, change.before)
    }

    // MARK: Paths

    private func follow(
        _ steps: ArraySlice<ExpressionNode.Step>, from base: ExpressionNode, _ element: ExpressionElement?
    ) -> CBORValue? {
        var steps = steps
        var here: CBORValue?
        if case .collection(let name) = base {
            guard case .index(let index)? = steps.popFirst(),
                let key = value(of: index, for: element)?.untagged.text
            else { return nil }
            here = snapshot.untyped(name)[key]?.object
        } else {
            here = value(of: base, for: element)
        }
        for step in steps {
            guard let value = here?.untagged else { return nil }
            switch step {
            case .field(let name): here = value[name]
            case .index(let node):
                switch self.value(of: node, for: element)?.untagged {
                case .text(let name)?: here = value[name]
                case let key?: here = value.part(under: key)
                case nil: here = nil
                }
            }
        }
        return here
    }

    // MARK: Functions

    private func call(
        _ function: ExpressionFunction, _ arguments: [ExpressionNode], _ element: ExpressionElement?
    ) -> CBORValue? {
        if function.looksAtElements { return lookAtElements(function, arguments, element) }
        let first = value(of: arguments[0], for: element)
        switch function {
        case .exists: return .bool(first != nil)
        case .type: return .text((first ?? .null).kindName)
        default: break
        }
        let second = value(of: arguments[1], for: element)?.untagged
        switch (first?.untagged, second) {
        case (.text(let text)?, .text(let part)?):
            switch function {
            case .contains: return .bool(text.utf8.firstRange(of: part.utf8) != nil)
            case .startsWith: return .bool(text.utf8.starts(with: part.utf8))
            case .endsWith: return .bool(text.utf8.reversed().starts(with: part.utf8.reversed()))
            default: return nil
            }
        case (.array(let items)?, let part?) where function == .contains:
            return .bool(items.contains { $0.isSame(as: part) })
        default: return .bool(false)
        }
    }

    private func lookAtElements(
        _ function: ExpressionFunction, _ arguments: [ExpressionNode], _ element: ExpressionElement?
    ) -> CBORValue? {
        let source = arguments[0]
        guard arguments.count == 2 else { return count(source, element) }
        let body = arguments[1]
        var tally = ExpressionTally(function)
        forEachElement(of: source, element) { inner in
            tally.add(value(of: body, for: inner))
            return !tally.isDecided
        }
        return tally.result
    }

    private func count(_ source: ExpressionNode, _ element: ExpressionElement?) -> CBORValue? {
        if case .collection(let name) = source {
            return .integer(Int64(parts.map { $0[name]?.count ?? 0 } ?? snapshot.count(inCollectionNamed: name)))
        }
        switch value(of: source, for: element)?.untagged {
        case .array(let items)?: return .integer(Int64(items.count))
        case .map(let pairs)?: return .integer(Int64(pairs.count))
        case .text(let text)?: return .integer(Int64(text.count))
        case .bytes(let bytes)?: return .integer(Int64(bytes.count))
        default: return nil
        }
    }

    /// Hands over the elements until `body` has seen enough. What has no elements has none.
    private func forEachElement(
        of source: ExpressionNode, _ element: ExpressionElement?, _ body: (ExpressionElement) -> Bool
    ) {
        if case .collection(let name) = source, let parts {
            let records = snapshot.untyped(name)
            for position in parts[name] ?? [] {
                if isCancelled?() == true || !body(ExpressionElement(records[position])) { return }
            }
            return
        }
        if case .collection(let name) = source {
            for record in snapshot.untyped(name) {
                if isCancelled?() == true || !body(ExpressionElement(record)) { return }
            }
            return
        }
        switch value(of: source, for: element)?.untagged {
        case .array(let items)?:
            for item in items {
                if isCancelled?() == true || !body(ExpressionElement(object: item, key: nil)) { return }
            }
        case .map(let pairs)?:
            for pair in pairs {
                if isCancelled?() == true || !body(ExpressionElement(object: pair.value, key: pair.key)) { return }
            }
        default: return
        }
    }
}

/// What a function that looks at elements has found so far.
struct ExpressionTally {
    private let function: ExpressionFunction
    private var count: Int64 = 0
    private var best: CBORValue?
    /// Whether the elements that are left can't change the result.
    private(set) var isDecided = false

    init(_ function: ExpressionFunction) { self.function = function }

    mutating func add(_ value: CBORValue?) {
        switch function {
        case .any: isDecided = value == .bool(true)
        case .all: isDecided = value != .bool(true)
        case .count: if value == .bool(true) { count += 1 }
        case .sum, .average:
            guard let value, value.untagged.number != nil else { return }
            count += 1
            best = best == nil ? value.untagged : ExpressionNode.Arithmetic.plus.apply(best, value)
        default:
            guard let value = value?.untagged, let order = value.order(to: best ?? value) else { return }
            if best == nil || (function == .min ? order < 0 : order > 0) { best = value }
        }
    }

    var result: CBORValue? {
        switch function {
        case .any: .bool(isDecided)
        case .all: .bool(!isDecided)
        case .count: .integer(count)
        case .sum: best ?? .integer(0)
        case .average: count == 0 ? nil : ExpressionNode.Arithmetic.by.apply(best, .integer(count))
        default: best
        }
    }
}
