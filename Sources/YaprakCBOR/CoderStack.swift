import YaprakLocks

/// A ``DeepStack`` on which types encode and decode themselves where they nest deep.
enum CoderStack {
    private static let isHere = ThreadFlag()

    /// Whether the caller is on one. What a type kept while it was on one may be used on another stack.
    static var isCurrent: Bool { isHere.isSet }

    /// Runs `body` on a new one, and waits for it.
    @inline(never)
    static func run<Value>(_ body: () throws -> Value) throws -> Value {
        try DeepStack.run { () throws(any Error) in
            var result: Result<Value, any Error>?
            func work() { result = Result { try body() } }
            // It is set already where one coder is called by what another one decodes.
            if !isHere.unlessSet(work) { work() }
            guard let result else { preconditionFailure("a body that ran has a result") }
            return try result.get()
        }
    }
}
