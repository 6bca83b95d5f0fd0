import Yaprak
import YaprakReplay

/// The collection that commits were asked for by `--collection`. Its name is a slip only if none of the commits that were visited
/// has it, and the state behind the last of them is known and has no records of it either: a collection may have come and gone.
struct AskedCollection {
    private let name: String?
    private var isFound: Bool

    init(_ name: String?) {
        self.name = name
        isFound = name == nil
    }

    /// Looks for it in a commit, and in the states around it where they are at hand: a removal of everything names no collection.
    /// O(number of collections), until it is found.
    mutating func look(in commit: ReplayCommit, _ step: ReplayStep?) {
        guard !isFound, let name else { return }
        isFound =
            commit.collections.contains { $0.name == name }
            || [step?.before, step?.after].contains { ($0?.count(inCollectionNamed: name) ?? 0) > 0 }
    }

    /// Refuses a slip. Nothing is refused where the state can't be reached: the commits may be behind a hole that a repair left.
    /// - Parameter number: the last commit that was asked for; the newest if `nil`.
    /// - Throws: `notFound`; `CancellationError` if the user presses Ctrl-C on the way to the state.
    func require(in reader: ReplayReader, at number: CommitNumber?) throws {
        guard !isFound, let name else { return }
        let state: Snapshot
        do { state = try reader.state(at: number) } catch is DatabaseError { return }
        try state.require(name)
    }
}
