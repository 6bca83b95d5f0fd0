import Yaprak
import YaprakReplay

/// The collection that commits were asked for by `--collection`. Its name is a slip only if none of the commits that were visited
/// has it, and the state behind the last of them has no records of it either: a collection may have come and gone meanwhile.
struct AskedCollection {
    private let name: String?
    private var isFound: Bool

    init(_ name: String?) {
        self.name = name
        isFound = name == nil
    }

    /// Looks for it in a commit. O(number of changes), until it is found.
    mutating func look(in commit: ReplayCommit) {
        if !isFound { isFound = commit.collections.contains { $0.name == name } }
    }

    /// Looks for it in the states around a commit. O(1).
    mutating func look(in step: ReplayStep) {
        guard !isFound, let name else { return }
        isFound = [step.before, step.after].contains { $0.count(inCollectionNamed: name) > 0 }
    }

    /// Refuses a slip.
    /// - Parameter number: the last commit that was asked for; the newest if `nil`.
    func require(in reader: ReplayReader, at number: CommitNumber?) throws {
        if !isFound { try reader.requireCollection(name, at: number) }
    }
}
