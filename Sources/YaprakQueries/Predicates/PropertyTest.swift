import Foundation

/// A question to a stored property of a usual type, at the address of the object: how it stands to a constant.
///
/// Not generic, and made by code that knows the type: a closure in a generic context loads values by witnesses, and is wrapped
/// when it is called. Not a bare closure: one that goes through an optional is wrapped as well.
struct PropertyTest {
    let holds: (UnsafeRawPointer) -> Bool

    /// Whether a property and a constant, in either order, are equal, or are not.
    static func equality<A: QueryNode, B: QueryNode>(
        _ a: A, _ b: B, for input: PredicateExpressions.VariableID, wanted: Bool
    ) -> PropertyTest? where A.Output == B.Output {
        if let value = b.constant { return a.offset(for: input).flatMap { equality(at: $0, value, wanted) } }
        guard let value = a.constant else { return nil }
        return b.offset(for: input).flatMap { equality(at: $0, value, wanted) }
    }

    private static func equality<Value>(at offset: Int, _ value: Value, _ wanted: Bool) -> PropertyTest? {
        if Value.self == String.self { return usual(at: offset, unsafeBitCast(value, to: String.self), wanted) }
        if Value.self == Int.self { return usual(at: offset, unsafeBitCast(value, to: Int.self), wanted) }
        if Value.self == Bool.self { return usual(at: offset, unsafeBitCast(value, to: Bool.self), wanted) }
        if Value.self == Double.self { return usual(at: offset, unsafeBitCast(value, to: Double.self), wanted) }
        return nil
    }

    @inline(__always)
    private static func usual<Value: Equatable>(at offset: Int, _ value: Value, _ wanted: Bool) -> PropertyTest {
        PropertyTest { ($0.property(Value.self, at: offset) == value) == wanted }
    }

    /// How a property stands to a constant.
    static func comparison<Value>(at offset: Int, _ comparison: ValueComparison, _ value: Value) -> PropertyTest? {
        if Value.self == Int.self { return usual(at: offset, comparison, unsafeBitCast(value, to: Int.self)) }
        if Value.self == Double.self { return usual(at: offset, comparison, unsafeBitCast(value, to: Double.self)) }
        if Value.self == String.self { return usual(at: offset, comparison, unsafeBitCast(value, to: String.self)) }
        return nil
    }

    @inline(__always)
    private static func usual<Value: Comparable>(
        at offset: Int, _ comparison: ValueComparison, _ value: Value
    ) -> PropertyTest {
        switch comparison {
        case .less: PropertyTest { $0.property(Value.self, at: offset) < value }
        case .lessOrEqual: PropertyTest { $0.property(Value.self, at: offset) <= value }
        case .greater: PropertyTest { $0.property(Value.self, at: offset) > value }
        case .greaterOrEqual: PropertyTest { $0.property(Value.self, at: offset) >= value }
        }
    }
}

extension CompiledExpression<Bool> {
    /// A question to a stored property.
    convenience init(_ test: PropertyTest) { self.init(isPure: true, test.holds) }
}
