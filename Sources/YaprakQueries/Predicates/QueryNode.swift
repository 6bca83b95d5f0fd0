import Foundation
import YaprakExtensions

/// An expression of a predicate that is compiled: to a closure, and to what indexes can answer of it.
///
/// The conformances below are conditional, all the way down: one cast says of a whole predicate that it is made of such
/// nodes, and everything below that cast is known to the compiler. (A cast at each node takes four times as long.) What is
/// not among them is evaluated by Foundation.
protocol QueryNode: PredicateExpression {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Output>?
    /// The question to a stored property of a usual type that it is; `nil` if it is none. Made without anything between.
    func propertyTest(for input: PredicateExpressions.VariableID) -> PropertyTest?
    /// What indexes can answer, of an expression that is true or false.
    func shape(for input: PredicateExpressions.VariableID) -> QueryShape
    /// The property of the object that it is; `nil` if it is none.
    func path(for input: PredicateExpressions.VariableID) -> AnyKeyPath?
    /// How many bytes into the object it stands; `nil` for anything else than a stored property.
    func offset(for input: PredicateExpressions.VariableID) -> Int?
    /// Whether it is the object.
    func isInput(_ input: PredicateExpressions.VariableID) -> Bool
    /// The value of a constant.
    var constant: Output? { get }
    /// Adds the parts that must all hold; of an expression that is true or false.
    func addConjuncts(for input: PredicateExpressions.VariableID, to conjuncts: inout [Conjunct])
}

/// A part of a condition that must hold, with the others.
struct Conjunct {
    let expression: any QueryNode
    let shape: QueryShape
}

extension QueryNode {
    func propertyTest(for input: PredicateExpressions.VariableID) -> PropertyTest? { nil }
    func shape(for input: PredicateExpressions.VariableID) -> QueryShape { .unknown }
    func path(for input: PredicateExpressions.VariableID) -> AnyKeyPath? { nil }
    func offset(for input: PredicateExpressions.VariableID) -> Int? { nil }
    func isInput(_ input: PredicateExpressions.VariableID) -> Bool { false }
    var constant: Output? { nil }
    func addConjuncts(for input: PredicateExpressions.VariableID, to conjuncts: inout [Conjunct]) {
        conjuncts.append(Conjunct(expression: self, shape: shape(for: input)))
    }

    /// The property that it is.
    func property(for input: PredicateExpressions.VariableID) -> QueryProperty? {
        guard let path = path(for: input) else { return nil }
        return QueryProperty(path: path, stored: offset(for: input).map { StoredProperty(Output.self, at: $0) })
    }

    /// As a closure over the address of the object, of an expression that is true or false; `nil` if it can't be one.
    func compiledTest(for input: PredicateExpressions.VariableID) -> CompiledExpression<Bool>? {
        compiled(for: input) as? CompiledExpression<Bool>
    }
}

// MARK: Leaves

extension PredicateExpressions.Variable: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Output>? {
        key == input ? CompiledExpression(offset: 0) { $0.assumingMemoryBound(to: Output.self).pointee } : nil
    }
    func path(for input: PredicateExpressions.VariableID) -> AnyKeyPath? { key == input ? \Output.self : nil }
    func offset(for input: PredicateExpressions.VariableID) -> Int? { key == input ? 0 : nil }
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
        root.isInput(input) ? keyPath : root.path(for: input)?.appending(path: keyPath)
    }

    func offset(for input: PredicateExpressions.VariableID) -> Int? {
        guard let start = root.offset(for: input), let own = MemoryLayout<Root.Output>.offset(of: keyPath) else {
            return nil
        }
        return start + own
    }

    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Output>? {
        if let offset = offset(for: input) {
            return CompiledExpression(offset: offset) { $0.property(Output.self, at: offset) }
        }
        guard let base = root.compiled(for: input) else { return nil }
        let (keyPath, call) = (keyPath, base.call)
        return CompiledExpression { call($0)[keyPath: keyPath] }
    }

    func propertyTest(for input: PredicateExpressions.VariableID) -> PropertyTest? {
        guard Output.self == Bool.self, let offset = offset(for: input) else { return nil }
        return PropertyTest { $0.property(Bool.self, at: offset) }
    }

    func shape(for input: PredicateExpressions.VariableID) -> QueryShape {
        guard Output.self == Bool.self, let property = property(for: input) else { return .unknown }
        return QueryShape(.equal(property, true))
    }
}

// MARK: Comparisons

extension PredicateExpressions.Equal: QueryNode where LHS: QueryNode, RHS: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Bool>? {
        if let test = propertyTest(for: input) { return CompiledExpression(test) }
        guard let a = lhs.compiled(for: input), let b = rhs.compiled(for: input) else { return nil }
        let (first, second) = (a.call, b.call)
        return CompiledExpression(isPure: a.isEqualityPure(with: b)) { first($0) == second($0) }
    }
    func propertyTest(for input: PredicateExpressions.VariableID) -> PropertyTest? {
        PropertyTest.equality(lhs, rhs, for: input, wanted: true)
    }
    func shape(for input: PredicateExpressions.VariableID) -> QueryShape {
        if let value = rhs.constant { return QueryShape(lhs.property(for: input).flatMap { .equal($0, value) }) }
        guard let value = lhs.constant else { return .unknown }
        return QueryShape(rhs.property(for: input).flatMap { .equal($0, value) })
    }
}

extension PredicateExpressions.NotEqual: QueryNode where LHS: QueryNode, RHS: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Bool>? {
        if let test = propertyTest(for: input) { return CompiledExpression(test) }
        guard let a = lhs.compiled(for: input), let b = rhs.compiled(for: input) else { return nil }
        let (first, second) = (a.call, b.call)
        return CompiledExpression(isPure: a.isEqualityPure(with: b)) { first($0) != second($0) }
    }
    func propertyTest(for input: PredicateExpressions.VariableID) -> PropertyTest? {
        PropertyTest.equality(lhs, rhs, for: input, wanted: false)
    }
}

extension PredicateExpressions.Comparison: QueryNode where LHS: QueryNode, RHS: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Bool>? {
        if let test = propertyTest(for: input) { return CompiledExpression(test) }
        guard let a = lhs.compiled(for: input), let b = rhs.compiled(for: input) else { return nil }
        let (first, second) = (a.call, b.call)
        let isPure = a.isPure && b.isPure && NaturalOrder.isOf(LHS.Output.self)
        switch op {
        case .lessThan: return CompiledExpression(isPure: isPure) { first($0) < second($0) }
        case .lessThanOrEqual: return CompiledExpression(isPure: isPure) { first($0) <= second($0) }
        case .greaterThan: return CompiledExpression(isPure: isPure) { first($0) > second($0) }
        case .greaterThanOrEqual: return CompiledExpression(isPure: isPure) { first($0) >= second($0) }
        @unknown default: return nil
        }
    }

    private var comparison: ValueComparison? {
        switch op {
        case .lessThan: .less
        case .lessThanOrEqual: .lessOrEqual
        case .greaterThan: .greater
        case .greaterThanOrEqual: .greaterOrEqual
        @unknown default: nil
        }
    }

    func propertyTest(for input: PredicateExpressions.VariableID) -> PropertyTest? {
        guard let comparison, let value = rhs.constant, let offset = lhs.offset(for: input) else { return nil }
        return PropertyTest.comparison(at: offset, comparison, value)
    }

    func shape(for input: PredicateExpressions.VariableID) -> QueryShape {
        guard let comparison else { return .unknown }
        if let value = rhs.constant, let property = lhs.property(for: input) {
            return QueryShape(.compared(property, comparison, value))
        }
        guard let value = lhs.constant, let property = rhs.property(for: input) else { return .unknown }
        return QueryShape(.compared(property, comparison.reversed, value))
    }
}
