#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A thread-local flag: whether the thread is inside a piece of work already.
///
///     private static let isReclaiming = ThreadFlag()
///     isReclaiming.unlessSet { … }            // not called by what it calls
package struct ThreadFlag: Sendable {
    private let key: pthread_key_t

    /// A flag that is not set. There are few in a process: keep it in a static property.
    package init() { key = ThreadWords.makeFlag() }

    /// Whether the thread is inside such a call.
    @inline(never)
    package var isSet: Bool { pthread_getspecific(key) != nil }

    /// Runs `body` with the flag set, unless the thread is inside such a call.
    /// - Returns: whether it was run.
    @inline(never)
    package func unlessSet(_ body: () -> Void) -> Bool {
        if pthread_getspecific(key) != nil { return false }
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
        body()
        pthread_setspecific(key, nil)
        return true
    }
}
