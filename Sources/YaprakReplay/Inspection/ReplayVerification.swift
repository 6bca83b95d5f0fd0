import YaprakCore
public import YaprakModel
import YaprakStorage

/// What a check of a database directory found.
///
///     let report = try reader.verify()
///     for finding in report.findings { print(finding.severity, finding.message) }
public struct ReplayVerification: Sendable {
    /// How thorough a check is.
    public enum Level: Int, Sendable, CaseIterable {
        /// Names, headers, the chain from segment to segment, gaps.
        case structure = 0
        /// Also every checksum, decompression and every item.
        case contents = 1
        /// Also a replay of the log from each checkpoint to the next, and to the newest commit: what each leads to must be
        /// what the next one holds. Memory is that of the database's state.
        case replay = 2
    }

    /// How bad a finding is.
    public enum Severity: String, Sendable, CaseIterable {
        /// Worth mentioning; nothing is wrong.
        case clean
        /// Bytes at the end that were never acknowledged.
        case torn
        /// Only what can be rebuilt is damaged.
        case derived
        /// Written by a newer version.
        case newer
        /// The file system refused to read.
        case unreadable
        /// An acknowledged byte is not what was written.
        case corrupt

        /// 0 clean, 2 torn, 4 corrupt, 6 unreadable, 7 newer, 8 derived.
        public var exitCode: Int32 {
            switch self {
            case .clean: 0
            case .torn: 2
            case .corrupt: 4
            case .unreadable: 6
            case .newer: 7
            case .derived: 8
            }
        }

        init(_ severity: VerifyReport.Severity) {
            self =
                switch severity {
                case .clean: .clean
                case .torn: .torn
                case .derived: .derived
                case .newer: .newer
                case .unreadable: .unreadable
                case .corrupt: .corrupt
                }
        }
    }

    /// One finding.
    public struct Finding: Sendable {
        /// How bad it is.
        public let severity: Severity
        /// The file, relative to the directory; the byte; the commits concerned.
        public let place: DatabaseError.Place
        /// What it is and what to do about it.
        public let message: String
    }

    /// A record that was set aside because it does not decode to the type of its collection.
    public struct SetAside: Sendable, Hashable {
        /// The name of the collection.
        public let collectionName: String
        /// The key.
        public let key: String
    }

    /// Everything found, in the order of the files.
    public let findings: [Finding]
    /// The worst finding; `clean` if there is none.
    public let severity: Severity
    /// Checkpoints looked at.
    public let checkpointCount: Int
    /// Segments looked at.
    public let segmentCount: Int
    /// Frames whose sums were verified.
    public let frameCount: Int
    /// Commits seen.
    public let commitCount: Int
    /// The newest complete commit.
    public let newestCommitNumber: CommitNumber
    /// Checkpoints that were compared with a replay of the log, or that one started from; 0 below that level.
    public let comparedCheckpointCount: Int
    /// Records of the newest checkpoint that were set aside, at most a thousand of them; empty below that level.
    public let setAside: [SetAside]
    /// The number of records set aside in the newest checkpoint.
    public let setAsideRecordCount: Int
}

extension ReplayReader {
    /// Checks the directory. Reads only, also while a program is writing.
    ///
    ///     let report = try reader.verify(.replay)
    ///     guard [.clean, .torn].contains(report.severity) else { … }
    ///
    /// Finds as much as it can: behind damage it continues with the next frame that verifies. What a program writes or prunes
    /// meanwhile is no finding.
    /// - Parameters:
    ///   - level: how thorough the check is.
    ///   - progress: is called now and then with how far it is.
    /// - Throws: `permissionDenied`, `ioFailed`, `overLimit` if the directory can't be listed. What is wrong with files is a
    ///   finding.
    /// - Complexity: O(bytes of the directory); at level ``ReplayVerification/Level/replay`` the memory of one state, else of
    ///   one frame.
    public func verify(
        _ level: ReplayVerification.Level = .contents, progress: @escaping (ReplayProgress) -> Void = { _ in }
    ) throws(DatabaseError) -> ReplayVerification {
        let report = try store.verify(level: level.rawValue) { done, total, commits in
            progress(ReplayProgress(phase: .checking, done: done, total: total, commitCount: commits))
        }
        var audit = CheckpointAudit(store)
        if level == .replay {
            try audit.run { done, total in
                progress(
                    ReplayProgress(phase: .replaying, done: done, total: total, commitCount: Int(clamping: done)))
            }
        }
        let findings =
            report.findings.map {
                ReplayVerification.Finding(
                    severity: .init($0.severity),
                    place: .init(file: $0.file.isEmpty ? nil : $0.file, offset: $0.offset, commits: $0.commits),
                    message: $0.message)
            }
            + audit.findings.map {
                ReplayVerification.Finding(
                    severity: .init($0.severity),
                    place: .init(file: $0.file, commits: $0.commits, collectionName: $0.collection, key: $0.key),
                    message: $0.message)
            }
        let worst = max(report.severity, audit.findings.map(\.severity).max() ?? .clean)
        return ReplayVerification(
            findings: findings, severity: .init(worst), checkpointCount: report.checkpoints,
            segmentCount: report.segments, frameCount: report.frames, commitCount: report.commits,
            newestCommitNumber: max(report.newest, audit.newest), comparedCheckpointCount: audit.compared,
            setAside: audit.setAside.map { .init(collectionName: $0.collection, key: $0.key) },
            setAsideRecordCount: audit.setAsideCount)
    }
}
