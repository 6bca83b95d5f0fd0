package import YaprakModel

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// How a store behaves. The defaults are what a database should use; tests turn the screws.
package struct StoreOptions: Sendable {
    /// When an append is acknowledged.
    package var durability: Durability = .always
    /// How far back commits stay.
    package var retention: Retention = .checkpoints(2)
    /// Whether an absent directory is made.
    package var createsIfMissing = true
    /// A segment that is longer than this is followed by the next.
    package var segmentBytesMax = 64 << 20
    /// Space is taken from the file system in steps of so many bytes, so that a sync has no length to write.
    package var preallocationBytes = 1 << 20
    /// A frame holds at most so many uncompressed bytes; a commit larger than that goes on in the next frame.
    package var frameBytesMax = 4 << 20
    /// A group takes at most so many uncompressed bytes, unless its first commit alone is larger.
    package var groupBytesMax = 4 << 20
    /// A group takes at most so many commits.
    package var groupCommitsMax = 4096
    /// Each synced group ends on a multiple of 2 to this power, so that no append rewrites a durable sector.
    package var padShift: UInt8 = 9
    /// After so long without work the log says what is durable. Zero: at once after each group.
    package var attestAfter: Duration = .milliseconds(20)
    /// Whether groups and chunks are compressed when that pays.
    package var compresses = true
    /// A chunk of a checkpoint is cut when it has so many uncompressed bytes.
    package var chunkBytes = 1 << 20
    /// A checkpoint is synced each time it has grown by so many bytes.
    package var checkpointSyncBytes = 16 << 20
    /// Nanoseconds since 1970.
    package var now: @Sendable () -> Int64 = { wallClockNanoseconds() }
    /// Random bits for salts and identities.
    package var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }

    package init() {}
}

/// The wall clock, in nanoseconds since 1970; the last moment there is a number for from the year 2262 on.
package func wallClockNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return nanoseconds(Int64(time.tv_sec), Int64(time.tv_nsec))
}

/// Seconds and nanoseconds as nanoseconds; the nearest there is where that is too many.
func nanoseconds(_ seconds: Int64, _ rest: Int64) -> Int64 {
    let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isLarger) = whole.addingReportingOverflow(rest)
    return isTooLarge || isLarger ? (seconds < 0 ? .min : .max) : sum
}
