package import YaprakModel

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The settings of a store. Databases use the defaults; tests change them.
package struct StoreOptions: Sendable {
    /// When an append is acknowledged.
    package var durability: Durability = .always
    /// How far back commits stay.
    package var retention: Retention = .checkpoints(2)
    /// Whether an absent directory is created.
    package var createsIfMissing = true
    /// A segment that is longer than this is followed by a new one.
    package var segmentBytesMax = 64 << 20
    /// Space is allocated in steps of this size, so that a sync has no change of length to write.
    package var preallocationBytes = 1 << 20
    /// The uncompressed bytes of a frame; a larger commit continues in the next frame.
    package var frameBytesMax = 4 << 20
    /// The uncompressed bytes of a group, unless its first commit alone is larger.
    package var groupBytesMax = 4 << 20
    /// The commits of a group.
    package var groupCommitsMax = 4096
    /// The files in the folder of the log; further segments are refused.
    package var logFilesMax = FormatLimits.directoryEntriesMax
    /// The files in the folder of the checkpoints; further checkpoints are refused.
    package var checkpointFilesMax = FormatLimits.directoryEntriesMax
    /// Each synced group ends on a multiple of 2 to this power, so that no append rewrites a durable sector.
    package var padShift: UInt8 = 9
    /// After this time without work a durability marker is written. Zero: at once after each group.
    package var attestAfter: Duration = .milliseconds(20)
    /// Whether groups and chunks are compressed if that saves space.
    package var compresses = true
    /// A chunk of a checkpoint is cut at this number of uncompressed bytes.
    package var chunkBytes = 1 << 20
    /// The uncompressed bytes of an item of a checkpoint, which is never cut; one that is larger is refused.
    package var itemBytesMax = Int(FormatLimits.frameRawMax)
    /// A checkpoint is synced each time it has grown by this number of bytes.
    package var checkpointSyncBytes = 16 << 20
    /// Nanoseconds since 1970.
    package var now: @Sendable () -> Int64 = { wallClockNanoseconds() }
    /// Random bits for salts and identities.
    package var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }

    /// What runs the log and blocking work; threads if nil. See `WorkScheduler`.
    package var scheduler: (any WorkScheduler)?
    /// Lets the encoding of a record fail; none does if nil.
    package var encodingFault: (@Sendable (_ collection: String, _ key: String) -> (any Error)?)?

    package init() {}

    /// The names that the folder of the log may have.
    var logEntriesMax: Int { min(logFilesMax, FormatLimits.directoryEntriesMax) }

    /// More segments than these since the newest checkpoint make the next one due, however few bytes they have: long before the
    /// folder is full, also where dozens of checkpoints are retained.
    var segmentsUntilCheckpoint: Int { max(1, logEntriesMax / 64) }
}

/// The wall clock, in nanoseconds since 1970; clamped to the maximum from the year 2262 on.
package func wallClockNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return nanoseconds(Int64(time.tv_sec), Int64(time.tv_nsec))
}

/// Seconds and nanoseconds as nanoseconds, clamped.
func nanoseconds(_ seconds: Int64, _ rest: Int64) -> Int64 {
    let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isLarger) = whole.addingReportingOverflow(rest)
    return isTooLarge || isLarger ? (seconds < 0 ? .min : .max) : sum
}
