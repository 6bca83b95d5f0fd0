public import Logging
public import YaprakModel
package import YaprakStorage

/// How a database behaves. The defaults are what a program should use.
///
///     var options = DatabaseOptions()
///     options.retention = .all                    // travel to any commit
///     let database = try await Database.open(at: path, options: options, collections: .books)
public struct DatabaseOptions: Sendable {
    /// When a commit is acknowledged: after its bytes are synced (the default), or before. See ``Durability``.
    public var durability: Durability = .always
    /// How far back commits stay reachable. ``Retention/checkpoints(_:)`` of 2 by default.
    public var retention: Retention = .checkpoints(2)
    /// When checkpoints are written without being asked for.
    public var checkpoints: CheckpointPolicy = .automatic
    /// How large things may get.
    public var limits = DatabaseLimits()
    /// A stream of changesets that fell so many commits behind ends with the error `laggedBehind`, in memory; with a file it
    /// goes on from the log. Looked after once in 256 commits, and each time a sixteenth of ``lagBytesLimit`` was published.
    ///
    /// A stream that goes on from the log holds a copy of the whole database from then until it has caught up; see
    /// ``ChangesetSequence``. A limit so low that a consumer reaches it now and then does not save memory.
    public var lagLimit = 100_000
    /// The same in bytes: what the changesets that a stream has not read yet keep in memory, about.
    ///
    /// A commit counts with the bytes the log has for it and 128 for each record it changed. In memory, where nothing is
    /// encoded, the size of a value is not known, and each record counts as 256 bytes: choose ``lagLimit`` by the size of
    /// your records there. 256 MiB by default.
    public var lagBytesLimit = 256 << 20
    /// What a commit takes for the time: nanoseconds since 1970. Give one of your own for reproducible logs.
    public var clock: @Sendable () -> Int64 = { wallClockNanoseconds() }
    /// Where the engine logs what it does in the background. Says nothing by default.
    public var logger = Logger(label: "yaprak", factory: { _ in SwiftLogNoOpLogHandler() })
    /// What observes each write, for metrics and traces. None by default. See ``WriteInstrument``.
    public var instruments: [any WriteInstrument] = []
    /// Sizes and timings of the files, for tests.
    package var store = StoreOptions()

    /// The defaults.
    public init() {}

    var lag: LagLimit { LagLimit(commits: lagLimit, bytes: lagBytesLimit) }
}

/// When checkpoints are written without being asked for.
///
/// With all but `manual`, one is also written when the log has more than 2048 files since the newest, at the latest by
/// ``Database/close()``: each opening that writes makes a file, and their folder has room for 131,072. Where the folder is full
/// nevertheless, commits throw `overLimit`. Closing then writes a checkpoint if that leads to room: two of them do, unless
/// ``DatabaseOptions/retention`` keeps what there is, so that the second opening after that writes again. A program that goes on
/// calls ``Database/checkpoint()``, with `manual` as well.
public enum CheckpointPolicy: Sendable, Hashable {
    /// When the log has grown by 64 MiB, or by the size of the newest checkpoint before compression if that is larger. After
    /// a launch that checkpoint is the one that was loaded.
    case automatic
    /// When the log has grown by so many bytes.
    case every(bytes: Int)
    /// Only by ``Database/checkpoint()``.
    case manual
}
