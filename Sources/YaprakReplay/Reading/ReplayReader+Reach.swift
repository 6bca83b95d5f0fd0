public import YaprakModel
import YaprakStorage

extension ReplayReader {
    /// The oldest commit whose state the files lead to; 0, the empty database, if they keep everything.
    ///
    /// - Throws: `commitOutOfReach` if they lead to no state at all; `permissionDenied`, `ioFailed`, `overLimit`.
    /// - Complexity: O(bytes of the log): the headers of all frames are read. Checkpoints are not verified.
    public func oldestReachableCommitNumber() throws(DatabaseError) -> CommitNumber {
        let checkpoints = try store.checkpoints().map(\.number)
        guard let first = try oldestCommitNumber() else { return checkpoints.min() ?? .zero }
        if first <= 1 { return .zero }
        // A checkpoint leads on only if the log continues where it ends.
        guard let start = checkpoints.filter({ $0.next() >= first }).min() else {
            throw DatabaseError(
                .commitOutOfReach,
                "The log starts with commit \(first), and there is no checkpoint to start from. Run `yaprak verify`.",
                place: .init(commits: first...first))
        }
        return start
    }
}

extension ReplayReader {
    /// The commits that have a checkpoint, ascending.
    ///
    /// - Throws: `permissionDenied`, `ioFailed`, `overLimit`.
    /// - Complexity: O(number of files); none is opened, so a damaged one is among them.
    public func checkpointNumbers() throws(DatabaseError) -> [CommitNumber] { try store.checkpointNumbers().sorted() }
}
