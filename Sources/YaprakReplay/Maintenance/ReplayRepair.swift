public import SystemPackage
import YaprakCBOR
import YaprakCore
import YaprakLocks
public import YaprakModel
import YaprakStorage

public import struct Foundation.Date

/// What can be recovered of a damaged database, and how.
///
///     let repair = try reader.repair()
///     print(repair.lastCommitNumber, repair.losses)            // nothing is written yet
///     let verification = try repair.perform(to: "repaired.yaprak")
///
/// The source is only read. The result is another directory, with an identity of its own.
public struct ReplayRepair: Sendable {
    /// What to recover.
    public struct Options: Sendable {
        /// Step over commits that can't be read instead of ending there. Empty commits with the origin
        /// ``ReplayRepair/lostOrigin`` stand in their places, and every file of the result says so: what later commits
        /// changed may then build on what is missing.
        public var salvages = false
        /// Leave out everything that is kept of views, not only what is damaged: it is recomputed.
        public var dropsDerived = false
        /// A copy of the directory, such as a backup, which may have what this one lacks.
        public var donor: FilePath?
        /// The newest state that can be reached, and all history before it that can be read.
        public init() {}
    }

    /// Commits that will not be in the result.
    public struct Loss: Sendable, Hashable {
        /// Their numbers.
        public let commits: ClosedRange<CommitNumber>
        /// The file and the byte in it where they should be.
        public let place: DatabaseError.Place
        /// What is wrong there.
        public let message: String

        fileprivate init(_ loss: RepairPlan.Loss) {
            commits = loss.commits
            place = .init(
                file: loss.file.isEmpty ? nil : loss.file, offset: loss.file.isEmpty ? nil : loss.offset,
                commits: loss.commits)
            message = loss.what
        }
    }

    /// Commits that can't be read, although later states of the result include them.
    ///
    /// The result keeps what is before and after them. It has a mark in their place: reading the log leaves them out, a
    /// state between them and ``nextStateCommitNumber`` is `corruptLog` with their numbers, and verification mentions them.
    public struct Hole: Sendable, Hashable {
        /// The commits whose changes are lost.
        public let loss: Loss
        /// The first commit after them whose state can be reached: that of a checkpoint. Changes of the commits between can
        /// be read, their states can't.
        public let nextStateCommitNumber: CommitNumber
    }

    /// A commit that can be read and is lost nevertheless, since one before it is.
    public struct LostCommit: Sendable, Hashable {
        /// The number.
        public let commitNumber: CommitNumber
        /// When it was made.
        public var time: Date { Date(timeIntervalSince1970: Double(nanosecondsSince1970) / 1e9) }
        /// The same in nanoseconds since 1970.
        public let nanosecondsSince1970: Int64
        /// Who made it.
        public let origin: String
        /// The collections it changed.
        public let collections: [String]
    }

    /// The origin of the commits that stand in the place of lost ones.
    public static var lostOrigin: String { SalvageMark.origin }

    /// The state the history of the result begins with: a checkpoint's commit, or 0.
    public let firstCommitNumber: CommitNumber
    /// The last commit of the result.
    public let lastCommitNumber: CommitNumber
    /// Commits that are lost.
    public let losses: [Loss]
    /// Commits that are missing within the history of the result, in order.
    public let holes: [Hole]
    /// Commits of ``losses`` that can be read, at most ten thousand.
    public let lostCommits: [LostCommit]
    /// Checkpoints that come along.
    public let checkpoints: [CommitNumber]
    /// Those of them that lose what they keep of views.
    public let checkpointsWithoutDerived: [CommitNumber]
    /// Files of checkpoints that are left out, since they are damaged.
    public let damagedCheckpoints: [String]
    /// Whether commits are missing in the middle of the result.
    public let isSalvaged: Bool

    private let repair: Repair
    private let tags: [LogTag]

    fileprivate init(_ reader: ReplayReader, _ options: Options) throws {
        var storeOptions = RepairOptions()
        storeOptions.salvages = options.salvages
        storeOptions.dropsDerived = options.dropsDerived
        storeOptions.donor = options.donor
        repair = try Repair(reader.store, storeOptions) { number, item in
            (try? LoggedCommit(item[...]).number.rawValue) == number
        }
        let plan = repair.plan
        firstCommitNumber = plan.first
        lastCommitNumber = plan.last
        losses = plan.losses.map { Loss($0) }
        holes = plan.holes.map { Hole(loss: Loss($0.loss), nextStateCommitNumber: $0.nextState) }
        checkpoints = plan.checkpoints
        checkpointsWithoutDerived = plan.checkpointsWithoutDerived
        damagedCheckpoints = plan.damagedCheckpoints
        isSalvaged = plan.isSalvaged
        var lost: [LostCommit] = []
        try repair.forEachLostCommit { number, item in
            guard lost.count < 10_000, let commit = try? LoggedCommit(item[...]) else { return }
            lost.append(
                LostCommit(
                    commitNumber: number, nanosecondsSince1970: commit.nanoseconds,
                    origin: commit.origin, collections: commit.collections.map(\.name)))
        }
        lostCommits = lost
        // Names of commits are a convenience: damage to them is no reason to lose the rest.
        let known = (try? reader.tags()) ?? []
        tags = known.filter { [last = plan.last] in $0.number <= last }
    }

    /// Writes the result and verifies it, up to ``ReplayVerification/Level/replay``.
    ///
    /// - Returns: what the verification found; nothing, if all is well.
    /// - Throws: `alreadyOpen` if the source is in use; `alreadyExists`, `notFound` if there is no such parent directory;
    ///   `diskFull`, `writeFailed`, `syncFailed`. There is no new directory then, unless the error says that it is
    ///   complete: the sync of its name alone failed.
    /// - Complexity: O(bytes of the result).
    public func perform(
        to path: FilePath, progress: @escaping (ReplayProgress) -> Void = { _ in }
    ) throws(DatabaseError) -> ReplayVerification {
        try write(to: path)
        return try ReplayReader(path).verify(.replay, progress: progress)
    }

    /// The same, unless nobody waits for the verification any more.
    ///
    /// - Throws: also `CancellationError` if `isCancelled` was true before it was verified: the result is there, and complete.
    package func perform(
        to path: FilePath, unless isCancelled: @escaping @Sendable () -> Bool,
        progress: @escaping (ReplayProgress) -> Void
    ) throws -> ReplayVerification {
        try write(to: path)
        return try ReplayReader(path).reading(unless: isCancelled) { try $0.verify(.replay, progress: progress) }
    }

    private func write(to path: FilePath) throws(DatabaseError) {
        let lines = tags.flatMap { Array("\($0.name) \($0.number)\n".utf8) }
        try repair.perform(to: path, tags: lines) { number, previous in
            Self.placeholder(number, after: previous)
        }
    }

    /// A commit that changes nothing, made when the one before it was.
    private static func placeholder(_ number: CommitNumber, after previous: [UInt8]?) -> [UInt8] {
        let time = previous.flatMap { try? LoggedCommit($0[...]).nanoseconds } ?? 0
        let writer = CBORWriter(capacity: 64)
        writer.writeMapHead(count: 4)
        writer.write(text: "c")
        writer.writeArrayHead(count: 0)
        writer.write(text: "n")
        writer.write(unsigned: number.rawValue)
        writer.write(text: "o")
        writer.write(text: SalvageMark.origin)
        writer.write(text: "t")
        writer.write(integer: Int64(time))
        return writer.bytes
    }
}

extension ReplayReader {
    /// Finds out what can be recovered of a damaged database. Reads only.
    ///
    /// By default the newest state that can be reached without a gap, and all history before it that can be read. Commits
    /// after that state are ``ReplayRepair/losses``; missing commits before it, which a later checkpoint includes, are
    /// ``ReplayRepair/holes``. A directory without damage gives all of it.
    /// - Throws: `notADatabase` if nothing can be recovered, `newerFormat`, `permissionDenied`, `ioFailed`, `overLimit`; errors
    ///   of opening the donor.
    /// - Complexity: O(bytes of the directory).
    public func repair(_ options: ReplayRepair.Options = .init()) throws -> ReplayRepair {
        try ReplayRepair(self, options)
    }

    /// The same, unless nobody waits for it any more. Performing it is not cancelled by that.
    ///
    /// - Throws: also `CancellationError` if `isCancelled` was true meanwhile.
    package func repair(
        _ options: ReplayRepair.Options, unless isCancelled: @escaping @Sendable () -> Bool
    ) throws -> ReplayRepair {
        let isFound = Mutex(false)
        return try reading(unless: { !isFound.withLock { $0 } && isCancelled() }) { reader in
            let repair = try ReplayRepair(reader, options)
            // What could not be read for it looks like damage.
            if isCancelled() { throw CancellationError() }
            isFound.withLock { $0 = true }
            return repair
        }
    }
}
