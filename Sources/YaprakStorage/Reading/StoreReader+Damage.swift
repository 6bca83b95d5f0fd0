internal import SystemPackage
package import YaprakModel

extension StoreReader {
    /// What to throw where nothing led to a commit: the damage of a checkpoint that would lead there, if that is why.
    ///
    /// A damaged checkpoint is skipped while another way may lead to the commit. Where none does, the commit is not out of
    /// reach because of retention: a file of the way there is damaged.
    /// - Parameters:
    ///   - error: what was found. All but `commitOutOfReach` is returned as it is. What comes up while this looks for damage
    ///     is returned in its place: the end of the log may be damaged, too.
    ///   - number: the commit that was looked for.
    ///   - reached: the last commit that was reached. Checkpoints up to it were not missed.
    /// - Complexity: O(number of files), and O(bytes of the newest checkpoint that would lead there).
    package func reason(
        for error: any Error, at number: CommitNumber, after reached: CommitNumber = .zero
    ) -> any Error {
        guard let found = error as? DatabaseError, found.code == .commitOutOfReach else { return error }
        do {
            return try damage(before: number, after: reached) ?? error
        } catch let other {
            return other
        }
    }

    /// The damage of the newest checkpoint that would lead to a commit; nil if there is none, or if it verifies.
    ///
    /// - Throws: as `newest()`.
    package func damage(
        before number: CommitNumber, after reached: CommitNumber = .zero
    ) throws(DatabaseError) -> DatabaseError? {
        try translatingDiskErrors(writing: false) {
            let listing = try directory.list()
            let candidates = listing.checkpoints.filter {
                $0.first <= number.rawValue && $0.first > reached.rawValue
            }
            guard let last = candidates.last, try leads(from: last.first, to: number, listing) else { return nil }
            let lineage = try lineage(of: listing)
            var failure: CheckpointProof.Failure?
            var damaged = last
            // Another opening may have written one of the same commit.
            for name in candidates.reversed() where name.first == last.first {
                do {
                    _ = try CheckpointProof.prove(name, in: directory.checkpoints, of: lineage, allowing: .derived)
                    return nil
                } catch let error as CheckpointProof.Failure {
                    if failure == nil { (failure, damaged) = (error, name) }
                } catch let error as DiskError where error.errno == .noSuchFileOrDirectory || error.isAboutNoFile {
                    continue
                }
            }
            return failure.map { LogError.checkpoint(damaged, $0) }
        }
    }

    /// Whether the log goes on from a checkpoint of `start` to a commit that there is.
    private func leads(
        from start: UInt64, to number: CommitNumber, _ listing: DatabaseDirectory.Listing
    ) throws -> Bool {
        if start == number.rawValue { return true }
        guard let first = listing.segments.first?.first, first <= start + 1 else { return false }
        return try number <= newest()
    }
}
