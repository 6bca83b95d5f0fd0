import Foundation
import YaprakExtensions

extension PredicateExpressions.Conjunction: QueryNode where LHS: QueryNode, RHS: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Bool>? {
        guard let a = lhs.compiled(for: input), let b = rhs.compiled(for: input) else { return nil }
        let (first, second) = (a.call, b.call)
        return CompiledExpression(isPure: a.isPure && b.isPure) { first($0) && second($0) }
    }
    func shape(for input: PredicateExpressions.VariableID) -> QueryShape {
        .all(
            [lhs.shape(for: input), rhs.shape(for: input)].flatMap {
                if case .all(let parts) = $0 { parts } else { [$0] }
            })
    }
    func addConjuncts(for input: PredicateExpressions.VariableID, to conjuncts: inout [Conjunct]) {
        lhs.addConjuncts(for: input, to: &conjuncts)
        rhs.addConjuncts(for: input, to: &conjuncts)
    }
}

extension PredicateExpressions.Disjunction: QueryNode where LHS: QueryNode, RHS: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Bool>? {
        guard let a = lhs.compiled(for: input), let b = rhs.compiled(for: input) else { return nil }
        let (first, second) = (a.call, b.call)
        return CompiledExpression(isPure: a.isPure && b.isPure) { first($0) || second($0) }
    }
    func shape(for input: PredicateExpressions.VariableID) -> QueryShape {
        .any(
            [lhs.shape(for: input), rhs.shape(for: input)].flatMap {
                if case .any(let parts) = $0 { parts } else { [$0] }
            })
    }
}

extension PredicateExpressions.Negation: QueryNode where Wrapped: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Bool>? {
        guard let wrapped = wrapped.compiled(for: input) else { return nil }
        let call = wrapped.call
        return CompiledExpression(isPure: wrapped.isPure) { !call($0) }
    }
    func shape(for input: PredicateExpressions.VariableID) -> QueryShape {
        // Of a property that is true or false.
        QueryShape(wrapped.property(for: input).flatMap { .equal($0, false) })
    }
}

extension PredicateExpressions.Conditional: QueryNode where Test: QueryNode, If: QueryNode, Else: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Output>? {
        guard let test = test.compiled(for: input), let a = trueBranch.compiled(for: input),
            let b = falseBranch.compiled(for: input)
        else { return nil }
        let (isTrue, first, second) = (test.call, a.call, b.call)
        return CompiledExpression(isPure: test.isPure && a.isPure && b.isPure) {
            isTrue($0) ? first($0) : second($0)
        }
    }
}

extension PredicateExpressions.NilCoalesce: QueryNode where LHS: QueryNode, RHS: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Output>? {
        guard let a = lhs.compiled(for: input), let b = rhs.compiled(for: input) else { return nil }
        let (first, second) = (a.call, b.call)
        return CompiledExpression(isPure: a.isPure && b.isPure) { first($0) ?? second($0) }
    }
}

// MARK: Sequences

extension PredicateExpressions.SequenceContains: QueryNode where LHS: QueryNode, RHS: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Bool>? {
        if let test = propertyTest(for: input) { return CompiledExpression(test) }
        guard let a = sequence.compiled(for: input), let b = element.compiled(for: input) else { return nil }
        let (list, element) = (a.call, b.call)
        return CompiledExpression(isPure: a.isEqualityPure(with: b)) { object in
            let element = element(object)
            return list(object).contains { $0 == element }
        }
    }

    func propertyTest(for input: PredicateExpressions.VariableID) -> PropertyTest? {
        guard let list = sequence.constant, let offset = element.offset(for: input) else { return nil }
        // By the type of the property: an array of something else casts where none of its elements says no.
        if RHS.Output.self == String.self {
            let set = Set(list.map { unsafeBitCast($0, to: String.self) })
            return PropertyTest { set.contains($0.property(String.self, at: offset)) }
        }
        guard RHS.Output.self == Int.self else { return nil }
        let set = Set(list.map { unsafeBitCast($0, to: Int.self) })
        return PropertyTest { set.contains($0.property(Int.self, at: offset)) }
    }

    func shape(for input: PredicateExpressions.VariableID) -> QueryShape {
        if let values = sequence.constant, let property = element.property(for: input) {
            return QueryShape(.oneOf(property, Array(values)))
        }
        guard let value = element.constant, let property = sequence.property(for: input) else { return .unknown }
        return QueryShape(.equal(property, value, isOfElements: true))
    }
}

extension PredicateExpressions.SequenceStartsWith: QueryNode where Base: QueryNode, Prefix: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Bool>? {
        if let test = propertyTest(for: input) { return CompiledExpression(test) }
        guard let a = base.compiled(for: input), let b = prefix.compiled(for: input) else { return nil }
        let (first, second) = (a.call, b.call)
        return CompiledExpression(isPure: a.isEqualityPure(with: b)) { first($0).starts(with: second($0)) }
    }
    func propertyTest(for input: PredicateExpressions.VariableID) -> PropertyTest? {
        guard Base.Output.self == String.self, let offset = base.offset(for: input),
            let prefix = prefix.constant as? String
        else { return nil }
        return PropertyTest { $0.property(String.self, at: offset).starts(with: prefix) }
    }
    func shape(for input: PredicateExpressions.VariableID) -> QueryShape {
        guard Base.Output.self == String.self, let property = base.property(for: input),
            let prefix = prefix.constant as? String
        else { return .unknown }
        return .term(.prefixed(property, by: prefix))
    }
}

extension PredicateExpressions.CollectionContainsCollection: QueryNode where Base: QueryNode, Other: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Bool>? {
        guard let a = base.compiled(for: input), let b = other.compiled(for: input) else { return nil }
        let (first, second) = (a.call, b.call)
        return CompiledExpression(isPure: a.isEqualityPure(with: b)) { object in
            let wanted = second(object)
            return wanted.isEmpty || first(object).firstRange(of: wanted) != nil
        }
    }
}

// MARK: Ranges

extension PredicateExpressions.Range: QueryNode where LHS: QueryNode, RHS: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Output>? {
        // With ends in disorder it stops the program: Foundation's business.
        constant.map { range in CompiledExpression(constant: range) { _ in range } }
    }
    var constant: Output? {
        guard let low = lower.constant, let high = upper.constant, low <= high else { return nil }
        return low..<high
    }
}

extension PredicateExpressions.ClosedRange: QueryNode where LHS: QueryNode, RHS: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Output>? {
        constant.map { range in CompiledExpression(constant: range) { _ in range } }
    }
    var constant: Output? {
        guard let low = lower.constant, let high = upper.constant, low <= high else { return nil }
        return low...high
    }
}

extension PredicateExpressions.RangeExpressionContains: QueryNode where RangeExpression: QueryNode, Element: QueryNode {
    func compiled(for input: PredicateExpressions.VariableID) -> CompiledExpression<Bool>? {
        if let test = propertyTest(for: input) { return CompiledExpression(test) }
        guard let a = range.compiled(for: input), let b = element.compiled(for: input) else { return nil }
        let (range, element) = (a.call, b.call)
        // A range of the program's own type may say anything.
        let isPlain = NaturalOrder.isOf(Element.Output.self) && RangeExpression.Output.self is any IndexableRange.Type
        return CompiledExpression(isPure: a.isPure && b.isPure && isPlain) { range($0).contains(element($0)) }
    }
    func propertyTest(for input: PredicateExpressions.VariableID) -> PropertyTest? {
        guard let offset = element.offset(for: input), let range = range.constant else { return nil }
        if let range = range as? Range<Int> {
            return PropertyTest { range.contains($0.property(Int.self, at: offset)) }
        }
        guard let range = range as? ClosedRange<Int> else { return nil }
        return PropertyTest { range.contains($0.property(Int.self, at: offset)) }
    }
    func shape(for input: PredicateExpressions.VariableID) -> QueryShape {
        guard let property = element.property(for: input), let range = range.constant as? any IndexableRange else {
            return .unknown
        }
        return QueryShape(range.term(property))
    }
}

/// A range as two ends.
private protocol IndexableRange {
    func term(_ property: QueryProperty) -> QueryTerm?
}

extension Range: IndexableRange {
    fileprivate func term(_ property: QueryProperty) -> QueryTerm? {
        .between(property, .including(lowerBound), .excluding(upperBound))
    }
}

extension ClosedRange: IndexableRange {
    fileprivate func term(_ property: QueryProperty) -> QueryTerm? {
        .between(property, .including(lowerBound), .including(upperBound))
    }
}
