// The lock of the whole package: the standard library's, except under the thread sanitizer.
//
// The sanitizer sees a lock only through the calls it knows. On Linux the standard library's `Mutex` is a futex in inline
// code, which it takes for a race at every value a lock protects: a counter behind a `Mutex` alone is reported, though its
// count is exact. `Scripts/test --sanitize thread` therefore builds with `YAPRAK_TSAN`, and the same code runs over
// pthread mutexes, so that what is reported is ours.

#if YAPRAK_TSAN
    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A value behind a lock, as `Synchronization.Mutex`, made of a pthread mutex.
    package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        // The pointers are made and freed with the lock, and what they point to is touched under it only.
        private let lock: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        /// A lock around a value.
        package init(_ initial: consuming sending Value) {
            lock = .allocate(capacity: 1)
            lock.initialize(to: pthread_mutex_t())
            precondition(pthread_mutex_init(lock, nil) == 0, "a lock can be made")
            value = .allocate(capacity: 1)
            value.initialize(to: initial)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            pthread_mutex_destroy(lock)
            lock.deallocate()
        }

        /// Runs `body` with the value while nobody else does.
        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(lock)
            defer { pthread_mutex_unlock(lock) }
            return try body(&value.pointee)
        }

        /// Runs `body` with the value unless somebody else does; `nil` then.
        package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result? {
            guard pthread_mutex_trylock(lock) == 0 else { return nil }
            defer { pthread_mutex_unlock(lock) }
            return try body(&value.pointee)
        }
    }
#else
    @_exported import Synchronization
#endif
