public import YaprakModel

/// A view that is in the files, and the commits at which it can be shown.
///
///     for view in try reader.views() { print(view.name, view.versionTag, view.commits) }
///
/// A manual view can be shown as of every commit that can be reached: its steps are in the log. One that
/// the program computes can be shown as of each checkpoint that has it and, where it logs what commits do to it
/// (`persistence: .everyCommit`), as of the commits from there on.
public struct ReplayView: Sendable, Hashable {
    /// How a view is made.
    public enum Kind: String, Sendable {
        /// The program computes it from records.
        case automatic
        /// Its rows are placed explicitly.
        case manual
    }

    /// The name under which the program registered it.
    public let name: String
    /// How it is made.
    public let kind: Kind
    /// The tag of the code that made it, as of its last commit in the files.
    public let versionTag: String
    /// The commits as of which it can be shown, ascending.
    public let commits: [ClosedRange<CommitNumber>]

    /// Whether it can be shown as of a commit. O(number of ranges).
    public func canBeShown(at number: CommitNumber) -> Bool { commits.contains { $0.contains(number) } }

    /// The commits as text: `12, 20 to 44`; of many ranges the first and the last ones.
    public var commitsDescription: String {
        let words = commits.map { range in
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
        }
        if words.isEmpty { return "none" }
        if words.count <= 8 { return words.joined(separator: ", ") }
        return (words.prefix(3) + ["…"] + words.suffix(3)).joined(separator: ", ")
    }
}

extension ClosedRange<CommitNumber> {
    /// How many commits there are in it.
    fileprivate var count: UInt64 { upperBound.rawValue - lowerBound.rawValue + 1 }
}
