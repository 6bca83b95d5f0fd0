package import YaprakModel

/// What a check of a database directory found.
package struct VerifyReport: Sendable {
    /// How bad a finding is, and the exit code that says so.
    package enum Severity: Int, Sendable, Comparable, CaseIterable {
        /// Worth a word, nothing is wrong.
        case clean = 0
        /// Bytes at the end that were never promised.
        case torn = 2
        /// Only what can be rebuilt is damaged.
        case derived = 8
        /// Written by a newer version.
        case newer = 7
        /// The file system did not let us read.
        case unreadable = 6
        /// A promised byte is not what was written.
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
        /// What it is and what to do about it.
        package let message: String
    }

    /// Everything found, in the order of the files.
    package internal(set) var findings: [Finding] = []
    /// Checkpoints looked at.
    package internal(set) var checkpoints = 0
    /// Segments looked at.
    package internal(set) var segments = 0
    /// Frames whose sums were verified.
    package internal(set) var frames = 0
    /// Commits seen.
    package internal(set) var commits = 0
    /// The newest complete commit.
    package internal(set) var newest: CommitNumber = .zero

    /// The worst finding; `clean` if there is none.
    package var severity: Severity { findings.map(\.severity).max() ?? .clean }
    /// 0 clean, 2 torn tail, 4 corrupt, 6 cannot read, 7 newer version, 8 derived only.
    package var exitCode: Int32 { Int32(severity.rawValue) }
}
