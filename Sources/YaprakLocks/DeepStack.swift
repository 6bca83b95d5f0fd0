#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A stack of known size for deep recursions, on whatever thread they begin.
///
///     try DeepStack.run(if: value.isDeep) { try walk(value) }
///
/// Recursions over values from files go as deep as the format allows, and a thread may have 512 kB of stack. Those over a
/// value of few levels stay on the caller's stack, and cost nothing; others run on a thread made for it while the caller
/// waits: the whole of them, for a value may have a million items at one level. Decision 32 has the figures.
@usableFromInline
package enum DeepStack {
    /// How many levels stay on the stack of the caller.
    @inlinable package static var levelsBefore: Int { 16 }
    /// Address space; only pages that are touched take memory.
    private static let bytes = 16 << 20

    private struct Call {
        let body: () -> Void
        let words: ThreadWords
    }

    /// Runs `body` on a stack of 16 MiB if that is needed, else where the caller is.
    package static func run<Value, Failure: Error>(
        if isNeeded: Bool, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        if isNeeded { return try run(body) }
        return try body()
    }

    /// Runs `body` on a stack of 16 MiB, and waits for it.
    ///
    /// The thread counts as the caller's: ``ThreadFlag`` and ``Exclusive`` see no difference. Task-local values are not
    /// there. Where the system has no thread to give, `body` runs on the caller's stack.
    /// - Complexity: some 30 µs.
    @inline(never)
    package static func run<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var result: Result<Value, Failure>?
        withoutActuallyEscaping({
            do throws(Failure) { result = .success(try body()) } catch { result = .failure(error) }
        }) {
            work in
            var call = Call(body: work, words: ThreadWords.current())
            let isDone = withUnsafeMutablePointer(to: &call) { onThread(UnsafeMutableRawPointer($0)) }
            if !isDone { work() }
        }
        guard let result else { preconditionFailure("a body that ran has a result") }
        return try result.get()
    }

    /// Runs the call on a new thread and joins it. False if there is none.
    private static func onThread(_ call: UnsafeMutableRawPointer) -> Bool {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return false }
        defer { pthread_attr_destroy(&attributes) }
        guard pthread_attr_setstacksize(&attributes, bytes) == 0 else { return false }
        #if canImport(Darwin)
            pthread_attr_set_qos_class_np(&attributes, qos_class_self(), 0)
            var thread: pthread_t?
            let status = pthread_create(&thread, &attributes, { argument in DeepStack.start(argument) }, call)
            guard status == 0, let thread else { return false }
        #else
            var thread = pthread_t()
            let status = pthread_create(
                &thread, &attributes, { argument in argument.flatMap { DeepStack.start($0) } }, call)
            guard status == 0 else { return false }
        #endif
        pthread_join(thread, nil)
        return true
    }

    private static func start(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        // The caller waits, so what it lent is there.
        let call = argument.assumingMemoryBound(to: Call.self)
        call.pointee.words.adopt()
        call.pointee.body()
        return nil
    }
}
