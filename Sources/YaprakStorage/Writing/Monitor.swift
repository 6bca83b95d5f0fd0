#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A value behind a lock with a condition variable, on which the log's thread sleeps. `Mutex` has none.
final class Monitor<State>: @unchecked Sendable {
    // Pthread objects must not move, so they have memory of their own.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    init(_ state: sending State) {
        self.state = state
        lock.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(lock, nil)
        #if canImport(Darwin)
            pthread_cond_init(condition, nil)
        #else
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            // Changing the wall clock must not delay a sync.
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(lock)
        condition.deallocate()
        lock.deallocate()
    }

    /// Runs `body` with the lock held.
    func withLock<T>(_ body: (inout State) -> T) -> T {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body(&state)
    }

    /// Wakes one waiting thread.
    func signal() { pthread_cond_signal(condition) }

    /// Wakes all waiting threads.
    func broadcast() { pthread_cond_broadcast(condition) }

    /// Runs `body` with the lock held until it returns a value. Between runs it sleeps until it is woken, or until the
    /// deadline that `body` has set, in nanoseconds of `monotonicNanoseconds`.
    func waitFor<T>(_ body: (inout State, inout UInt64?) -> T?) -> T {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while true {
            var deadline: UInt64?
            if let result = body(&state, &deadline) { return result }
            guard let deadline else {
                pthread_cond_wait(condition, lock)
                continue
            }
            #if canImport(Darwin)
                let now = monotonicNanoseconds()
                let left = deadline > now ? deadline - now : 0
                var time = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
                pthread_cond_timedwait_relative_np(condition, lock, &time)
            #else
                var time = timespec()
                time.tv_sec = time_t(deadline / 1_000_000_000)
                time.tv_nsec = .init(deadline % 1_000_000_000)
                pthread_cond_timedwait(condition, lock, &time)
            #endif
        }
    }
}

/// The monotonic clock, in nanoseconds.
func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

extension Duration {
    /// The duration in whole nanoseconds, zero if negative, clamped at a century.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 3_000_000_000 else { return 3_000_000_000_000_000_000 }
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}

/// Lets other threads run, where any waits for this core.
func yieldThread() { sched_yield() }

/// Starts a thread that runs `body` once. False if the system can't start one.
func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let box = Unmanaged.passRetained(Box(body))
    #if canImport(Darwin)
        var thread: pthread_t?
        let result = pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        if result == 0, let thread { pthread_detach(thread) }
    #else
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            }, box.toOpaque())
        if result == 0 { pthread_detach(thread) }
    #endif
    if result != 0 { box.release() }
    return result == 0
}
