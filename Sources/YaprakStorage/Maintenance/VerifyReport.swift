package import YaprakModel

/// The result of verifying a database directory.
package struct VerifyReport: Sendable {
    /// The severity of a finding. The raw value is the exit code.
    package enum Severity: Int, Sendable, Comparable, CaseIterable {
        /// A remark; nothing is wrong.
        case clean = 0
        /// Bytes at the end that were never acknowledged.
        case torn = 2
        /// Only derived data is damaged, which can be rebuilt.
        case derived = 8
        /// Written by a newer version.
        case newer = 7
        /// The file system refused to read.
        case unreadable = 6
        /// Acknowledged data is damaged.
        case corrupt = 4

        private var weight: Int { Self.allCases.firstIndex(of: self) ?? 0 }
        package static func < (a: Self, b: Self) -> Bool { a.weight < b.weight }
    }

    /// One finding.
    package struct Finding: Sendable {
        package let severity: Severity
        package let file: String
        package let offset: UInt64?
        package let commits: ClosedRange<CommitNumber>?
        /// The finding and its remedy.
        package let message: String
    }

    /// Everything found, in the order of the files.
    package internal(set) var findings: [Finding] = []
    /// Checkpoints checked.
    package internal(set) var checkpoints = 0
    /// Segments checked.
    package internal(set) var segments = 0
    /// Frames whose checksums were verified.
    package internal(set) var frames = 0
    /// Commits read.
    package internal(set) var commits = 0
    /// The newest complete commit.
    package internal(set) var newest: CommitNumber = .zero

    /// The worst finding; `clean` if there is none.
    package var severity: Severity { findings.map(\.severity).max() ?? .clean }
    /// 0 clean, 2 torn tail, 4 corrupt, 6 cannot read, 7 newer version, 8 derived only.
    package var exitCode: Int32 { Int32(severity.rawValue) }
}
