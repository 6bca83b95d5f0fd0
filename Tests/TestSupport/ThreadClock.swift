#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The time the calling thread has spent on a processor.
///
/// For laws of growth: what runs beside a test does not count. Measure between two calls on one thread, so without a
/// suspension in between.
public enum ThreadClock {
    /// Seconds of processor time of this thread.
    public static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
