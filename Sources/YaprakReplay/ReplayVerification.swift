public import YaprakStorage

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
    }

    /// How bad a finding is.
    public enum Severity: String, Sendable, CaseIterable {
        /// Worth a word; nothing is wrong.
        case clean
        /// Bytes at the end that were never promised.
        case torn
        /// Only what can be rebuilt is damaged.
        case derived
        /// Written by a newer version.
        case newer
        /// The file system did not let us read.
        case unreadable
        /// A promised byte is not what was written.
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
    public let newest: CommitNumber
}

extension ReplayReader {
    /// Checks the directory. Reads only, also while a program is writing.
    ///
    /// Finds as much as it can: behind damage it goes on with the next frame that verifies.
    /// - Throws: `permissionDenied`, `ioFailed` if the directory can't be listed. What is wrong with files is a finding.
    /// - Complexity: O(bytes of the directory).
    public func verify(_ level: ReplayVerification.Level = .contents) throws(DatabaseError) -> ReplayVerification {
        let report = try store.verify(level: level.rawValue)
        return ReplayVerification(
            findings: report.findings.map {
                .init(
                    severity: .init($0.severity),
                    place: .init(file: $0.file, offset: $0.offset, commits: $0.commits), message: $0.message)
            },
            severity: .init(report.severity), checkpointCount: report.checkpoints, segmentCount: report.segments,
            frameCount: report.frames, commitCount: report.commits, newest: report.newest)
    }
}
