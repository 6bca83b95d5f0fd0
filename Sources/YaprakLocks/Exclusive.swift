#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An object that one thread at a time uses. The use may be long and may run user code.
///
///     private let history = Exclusive(History())
///     let step = try history.use { try $0.next() }        // decodes records: the user's code
///
/// Not a lock: nothing is held while the body runs, so user code may take any of our locks meanwhile. Another thread
/// waits until the object is returned. A body that requests its own object again would wait for itself; it stops the
/// program with a message instead.
package final class Exclusive<Object>: @unchecked Sendable {
    // Only the thread that has taken the object touches it; the monitor passes it from one thread to the next.
    private let object: Object
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let isBack = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    /// The thread that has it, or the one that works for that: see ``ThreadWords/name``.
    private var user: UInt?

    /// - Parameter object: nothing else may use it from here on.
    package init(_ object: sending Object) {
        self.object = object
        lock.initialize(to: pthread_mutex_t())
        isBack.initialize(to: pthread_cond_t())
        precondition(pthread_mutex_init(lock, nil) == 0 && pthread_cond_init(isBack, nil) == 0, "a monitor can be made")
    }

    deinit {
        pthread_cond_destroy(isBack)
        pthread_mutex_destroy(lock)
        isBack.deallocate()
        lock.deallocate()
    }

    /// Runs `body` with exclusive use of the object. Blocks the thread until the object is free.
    /// - Precondition: `body` does not use this object again.
    package func use<Result>(_ body: (Object) throws -> Result) rethrows -> Result {
        takeOut()
        defer { putBack() }
        return try body(object)
    }

    @inline(never)
    private func takeOut() {
        let name = ThreadWords.name
        pthread_mutex_lock(lock)
        while let user {
            precondition(
                user != name,
                """
                an object that one thread at a time uses is used from within its own use: by the decoder or the view of \
                a history that moves that same history
                """)
            pthread_cond_wait(isBack, lock)
        }
        user = name
        pthread_mutex_unlock(lock)
    }

    @inline(never)
    private func putBack() {
        pthread_mutex_lock(lock)
        user = nil
        pthread_cond_signal(isBack)
        pthread_mutex_unlock(lock)
    }
}
