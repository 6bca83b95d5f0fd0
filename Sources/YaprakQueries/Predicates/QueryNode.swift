import Foundation
import YaprakExtensions

/// An expression of a predicate that is compiled: to a closure, and to what indexes can answer of it.
///
/// The conformances below are conditional, all the way down: one cast says of a whole predicate that it is made of such
/// nodes, and everything below that cast is known to the compiler. (A cast at each node takes four times as long.) What is
/// not among them is evaluated by Foundation.
protocol QueryNode: PredicateExpression {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Output>?
    /// What indexes can answer, of an expression that is true or false.
    func shape(for input: PredicateExpressions.VariableID) -> QueryShape
    /// The property of the object that it is; `nil` if it is none.
    func path(for input: PredicateExpressions.VariableID) -> AnyKeyPath?
    /// The value of a constant.
    var constant: Output? { get }
    /// The parts that must all hold; of an expression that is true or false.
    func conjuncts(for input: PredicateExpressions.VariableID) -> [Conjunct]
}

/// A part of a condition that must hold, with the others.
struct Conjunct {
    let expression: any QueryNode
    let shape: QueryShape
    /// Makes it a closure over the address of the object; `nil` if it can't be one.
    let compile: () -> CompiledExpression<Bool>?
}

extension QueryNode {
    func shape(for input: PredicateExpressions.VariableID) -> QueryShape { .unknown }
    func path(for input: PredicateExpressions.VariableID) -> AnyKeyPath? { nil }
    var constant: Output? { nil }
    func conjuncts(for input: PredicateExpressions.VariableID) -> [Conjunct] {
        [
            Conjunct(expression: self, shape: shape(for: input)) {
                compiled(for: input) as? CompiledExpression<Bool>
            }
        ]
    }
}

// MARK: Leaves

extension PredicateExpressions.Variable: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Output>? {
        key == input ? CompiledExpression(offset: 0) { $0.assumingMemoryBound(to: Output.self).pointee } : nil
    }
    func path(for input: PredicateExpressions.VariableID) -> AnyKeyPath? { key == input ? \Output.self : nil }
    func isInput(_ input: PredicateExpressions.VariableID) -> Bool { key == input }
}

extension PredicateExpressions.Value: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Output>? {
        let value = value
        return CompiledExpression(constant: value) { _ in value }
    }
    var constant: Output? { value }
}

extension PredicateExpressions.NilLiteral: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Output>? {
        CompiledExpression(constant: .some(nil)) { _ in nil }
    }
    var constant: Output? { .some(nil) }
}

extension PredicateExpressions.KeyPath: QueryNode where Root: QueryNode {
    func path(for input: PredicateExpressions.VariableID) -> AnyKeyPath? {
        if let variable = root as? PredicateExpressions.Variable<Root.Output> {
            return variable.isInput(input) ? keyPath : nil
        }
        return root.path(for: input)?.appending(path: keyPath)
    }

    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Output>? {
        guard let base = root.compiled(for: input) else { return nil }
        let keyPath = keyPath
        if let start = base.offset, let offset = MemoryLayout<Root.Output>.offset(of: keyPath) {
            return CompiledExpression(offset: start + offset) { $0.property(Output.self, at: start + offset) }
        }
        let call = base.call
        return CompiledExpression { call($0)[keyPath: keyPath] }
    }

    func shape(for input: PredicateExpressions.VariableID) -> QueryShape {
        guard Output.self == Bool.self, let path = path(for: input) else { return .unknown }
        return QueryTerm.equal(path, true).map { .term($0) } ?? .unknown
    }
}

// MARK: Comparisons

extension PredicateExpressions.Equal: QueryNode where LHS: QueryNode, RHS: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Bool>? {
        guard let a = lhs.compiled(for: input), let b = rhs.compiled(for: input) else { return nil }
        return equality(a, b, true)
    }
    func shape(for input: PredicateExpressions.VariableID) -> QueryShape {
        let term =
            if let value = rhs.constant { lhs.path(for: input).flatMap { QueryTerm.equal($0, value) } } else {
                lhs.constant.flatMap { value in rhs.path(for: input).flatMap { QueryTerm.equal($0, value) } }
            }
        return term.map { .term($0) } ?? .unknown
    }
}

extension PredicateExpressions.NotEqual: QueryNode where LHS: QueryNode, RHS: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Bool>? {
        guard let a = lhs.compiled(for: input), let b = rhs.compiled(for: input) else { return nil }
        return equality(a, b, false)
    }
}

/// Whether two values are equal, or are not. A stored property of a usual type is compared where it stands.
private func equality<Value: Equatable>(
    _ a: CompiledExpression<Value>, _ b: CompiledExpression<Value>, _ wanted: Bool
) -> CompiledExpression<Bool> {
    let (property, constant) = a.constant == nil ? (a, b.constant) : (b, a.constant)
    if let offset = property.offset, let constant {
        func stored<Usual: Equatable>(_: Usual.Type, _ make: (Usual) -> CompiledExpression<Bool>) -> CompiledExpression<
            Bool
        >? {
            Value.self == Usual.self ? make(unsafeBitCast(constant, to: Usual.self)) : nil
        }
        let usual =
            stored(String.self) { value in
                .init(isPure: true) { ($0.property(String.self, at: offset) == value) == wanted }
            }
            ?? stored(Int.self) { value in
                .init(isPure: true) { ($0.property(Int.self, at: offset) == value) == wanted }
            }
            ?? stored(Bool.self) { value in
                .init(isPure: true) { ($0.property(Bool.self, at: offset) == value) == wanted }
            }
            ?? stored(Double.self) { value in
                .init(isPure: true) { ($0.property(Double.self, at: offset) == value) == wanted }
            }
        if let usual { return usual }
    }
    let (first, second) = (a.call, b.call)
    return CompiledExpression { (first($0) == second($0)) == wanted }
}

extension PredicateExpressions.Comparison: QueryNode where LHS: QueryNode, RHS: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Bool>? {
        guard let a = lhs.compiled(for: input), let b = rhs.compiled(for: input) else { return nil }
        if let offset = a.offset, let value = b.constant {
            if LHS.Output.self == Int.self {
                return storedComparison(op, at: offset, unsafeBitCast(value, to: Int.self))
            }
            if LHS.Output.self == Double.self {
                return storedComparison(op, at: offset, unsafeBitCast(value, to: Double.self))
            }
            if LHS.Output.self == String.self {
                return storedComparison(op, at: offset, unsafeBitCast(value, to: String.self))
            }
        }
        let (first, second) = (a.call, b.call)
        switch op {
        case .lessThan: return CompiledExpression { first($0) < second($0) }
        case .lessThanOrEqual: return CompiledExpression { first($0) <= second($0) }
        case .greaterThan: return CompiledExpression { first($0) > second($0) }
        case .greaterThanOrEqual: return CompiledExpression { first($0) >= second($0) }
        @unknown default: return nil
        }
    }

    func shape(for input: PredicateExpressions.VariableID) -> QueryShape {
        let term: QueryTerm?
        if let value = rhs.constant, let path = lhs.path(for: input) {
            switch op {
            case .lessThan: term = .between(path, .unbounded, .excluding(value))
            case .lessThanOrEqual: term = .between(path, .unbounded, .including(value))
            case .greaterThan: term = .between(path, .excluding(value), .unbounded)
            case .greaterThanOrEqual: term = .between(path, .including(value), .unbounded)
            @unknown default: term = nil
            }
        } else if let value = lhs.constant, let path = rhs.path(for: input) {
            switch op {
            case .lessThan: term = .between(path, .excluding(value), .unbounded)
            case .lessThanOrEqual: term = .between(path, .including(value), .unbounded)
            case .greaterThan: term = .between(path, .unbounded, .excluding(value))
            case .greaterThanOrEqual: term = .between(path, .unbounded, .including(value))
            @unknown default: term = nil
            }
        } else {
            term = nil
        }
        return term.map { .term($0) } ?? .unknown
    }
}

// A stored property of a usual type and a constant. Not generic: closures in a generic context load values by witnesses.

private func storedComparison(
    _ op: PredicateExpressions.ComparisonOperator, at offset: Int, _ value: Int
) -> CompiledExpression<Bool>? {
    switch op {
    case .lessThan: return CompiledExpression(isPure: true) { $0.property(Int.self, at: offset) < value }
    case .lessThanOrEqual: return CompiledExpression(isPure: true) { $0.property(Int.self, at: offset) <= value }
    case .greaterThan: return CompiledExpression(isPure: true) { $0.property(Int.self, at: offset) > value }
    case .greaterThanOrEqual: return CompiledExpression(isPure: true) { $0.property(Int.self, at: offset) >= value }
    @unknown default: return nil
    }
}

private func storedComparison(
    _ op: PredicateExpressions.ComparisonOperator, at offset: Int, _ value: Double
) -> CompiledExpression<Bool>? {
    switch op {
    case .lessThan: return CompiledExpression(isPure: true) { $0.property(Double.self, at: offset) < value }
    case .lessThanOrEqual: return CompiledExpression(isPure: true) { $0.property(Double.self, at: offset) <= value }
    case .greaterThan: return CompiledExpression(isPure: true) { $0.property(Double.self, at: offset) > value }
    case .greaterThanOrEqual: return CompiledExpression(isPure: true) { $0.property(Double.self, at: offset) >= value }
    @unknown default: return nil
    }
}

private func storedComparison(
    _ op: PredicateExpressions.ComparisonOperator, at offset: Int, _ value: String
) -> CompiledExpression<Bool>? {
    switch op {
    case .lessThan: return CompiledExpression(isPure: true) { $0.property(String.self, at: offset) < value }
    case .lessThanOrEqual: return CompiledExpression(isPure: true) { $0.property(String.self, at: offset) <= value }
    case .greaterThan: return CompiledExpression(isPure: true) { $0.property(String.self, at: offset) > value }
    case .greaterThanOrEqual: return CompiledExpression(isPure: true) { $0.property(String.self, at: offset) >= value }
    @unknown default: return nil
    }
}
