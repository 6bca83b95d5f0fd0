// The lock of the whole package: the standard library's, but never inlined into its callers; under the thread sanitizer a
// pthread mutex.
//
// *Why not inlined.* On Linux the standard library's `Mutex` is a futex in inline code that reads the thread's number from a
// thread-local variable. Inlined into an async function, the optimizer may keep that variable's address across a
// suspension, after which the function runs on another thread: the unlock then finds another thread's number and traps.
// Here the whole critical section is one function that never suspends. `Scripts/check-thread-locals` looks at the built
// binaries; decision 18 has the reduced program.
//
// *Why pthread under the sanitizer.* It sees a lock only through the calls it knows, and takes the inline futex for a race
// at every value a lock protects: a counter behind a `Mutex` alone is reported, though its count is exact.
// `Scripts/test --sanitize thread` builds with `YAPRAK_TSAN`, so that what is reported is ours.

#if YAPRAK_TSAN
    #if canImport(Darwin)
        public import Darwin
    #elseif canImport(Glibc)
        public import Glibc
    #elseif canImport(Musl)
        public import Musl
    #endif
#else
    public import Synchronization
#endif

/// A value behind a lock.
///
///     private let state = Mutex(State(), rank: .publication)
///     let newest = state.withLock { $0.newest }
///
/// Critical sections are short and run no user code: values of users are moved out and released after the lock.
/// ``LockRank`` says which locks may be taken while another is held; debug builds check it.
@usableFromInline
package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    #if YAPRAK_TSAN
        // The pointers are made and freed with the lock, and what they point to is touched under it only.
        @usableFromInline let lock: UnsafeMutablePointer<pthread_mutex_t>
        @usableFromInline let value: UnsafeMutablePointer<Value>
    #else
        @usableFromInline let base: Synchronization.Mutex<Value>
    #endif
    #if DEBUG
        @usableFromInline let rank: LockRank
    #endif

    /// A lock around a value. Inlined, so that a new lock costs no look at the runtime's metadata of generic types.
    @inlinable @inline(__always)
    package init(_ initial: consuming sending Value, rank: LockRank = .leaf) {
        #if YAPRAK_TSAN
            lock = .allocate(capacity: 1)
            lock.initialize(to: pthread_mutex_t())
            precondition(pthread_mutex_init(lock, nil) == 0, "a lock can be made")
            value = .allocate(capacity: 1)
            value.initialize(to: initial)
        #else
            base = Synchronization.Mutex(initial)
        #endif
        #if DEBUG
            self.rank = rank
        #endif
    }

    #if YAPRAK_TSAN
        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            pthread_mutex_destroy(lock)
            lock.deallocate()
        }
    #endif
}

extension Mutex where Value: ~Copyable {
    /// Runs `body` with exclusive access to the value.
    ///
    /// Never inlined: see the head of the file.
    @inlinable @inline(never)
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if DEBUG
            willTake()
            defer { didRelease() }
        #endif
        #if YAPRAK_TSAN
            pthread_mutex_lock(lock)
            defer { pthread_mutex_unlock(lock) }
            return try body(&value.pointee)
        #else
            return try base.withLock(body)
        #endif
    }

    /// The same, inlined: for the hottest places, and only inside a function that is `@inline(never)`, or in a module that has no
    /// async functions. `Scripts/check-thread-locals` finds the place where that was forgotten.
    @inlinable @inline(__always)
    package borrowing func withLockInlined<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if DEBUG || YAPRAK_TSAN
            return try withLock(body)
        #else
            return try base.withLock(body)
        #endif
    }

    /// Runs `body` with exclusive access to the value; returns `nil` at once if the lock is taken.
    ///
    /// Never inlined: see the head of the file.
    @inlinable @inline(never)
    package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        #if DEBUG
            willTake()
            defer { didRelease() }
        #endif
        #if YAPRAK_TSAN
            guard pthread_mutex_trylock(lock) == 0 else { return nil }
            defer { pthread_mutex_unlock(lock) }
            return try body(&value.pointee)
        #else
            return try base.withLockIfAvailable(body)
        #endif
    }

    #if DEBUG
        @usableFromInline
        package func willTake() { HeldRanks.willTake(rank) }

        @usableFromInline
        package func didRelease() { HeldRanks.didRelease(rank) }
    #endif
}
