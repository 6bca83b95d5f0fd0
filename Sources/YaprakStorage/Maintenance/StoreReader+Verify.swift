package import YaprakModel

extension StoreReader {
    /// Checks the directory. Level 0: names, headers, chain, gaps. Level 1: every sum, decompression, every item.
    ///
    /// Finds as much as possible: after damage it continues with the next frame that verifies. Changes by a writer are no
    /// findings: files that it removes are skipped, and what it appends may be checked or not. If it removes them faster than
    /// this reads them, this starts over, a few times at most: the newest commit is among those that are checked.
    /// - Parameter progress: called now and then with the bytes checked, the bytes in total, and the commits.
    /// - Throws: `permissionDenied`, `ioFailed` if the directories can't be listed. Faults of files are findings.
    /// - Complexity: O(bytes of the directory).
    package func verify(
        level: Int, progress: @escaping (_ done: UInt64, _ total: UInt64, _ commits: Int) -> Void = { _, _, _ in }
    ) throws(DatabaseError) -> VerifyReport {
        var report = VerifyReport()
        for _ in 0..<Self.attemptsMax {
            // First the mark, then the names: if a writer is active in between, the mark must be the older of the two.
            let closing = ClosingMark.read(in: directory.root)
            let listing = try translatingDiskErrors(writing: false) { try directory.list() }
            var verifier = Verifier(
                directory: directory, listing: listing, closing: closing, level: level, progress: progress)
            verifier.run()
            report = verifier.report
            if !verifier.isOvertaken { break }
        }
        return report
    }
}
