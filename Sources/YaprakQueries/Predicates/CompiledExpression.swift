import YaprakExtensions

/// A part of a predicate as a closure over the address of an object, and what is known of it.
final class CompiledExpression<Output> {
    let call: (UnsafeRawPointer) -> Output
    /// Where it is stored in the object; `nil` for anything else than a stored property.
    let offset: Int?
    /// The value, if it is the same for all objects.
    let constant: Output?
    /// Whether it says the same of the same object each time, for sure: no code of the program takes part.
    let isPure: Bool

    init(
        offset: Int? = nil, constant: Output? = nil, isPure: Bool = false,
        _ call: @escaping (UnsafeRawPointer) -> Output
    ) {
        self.call = call
        self.isPure = isPure || offset != nil || constant != nil
        self.offset = offset
        self.constant = constant
    }

    /// Whether a comparison of the two, or of their elements, by `==` says the same of the same object each time, for sure.
    func isEqualityPure<Other>(with other: CompiledExpression<Other>) -> Bool {
        isPure && other.isPure && isPlainIndexValue(Output.self)
            && (Other.self == Output.self || isPlainIndexValue(Other.self))
    }
}

extension UnsafeRawPointer {
    /// The property at an offset.
    @inline(__always)
    func property<Value>(_: Value.Type, at offset: Int) -> Value {
        (self + offset).assumingMemoryBound(to: Value.self).pointee
    }
}
