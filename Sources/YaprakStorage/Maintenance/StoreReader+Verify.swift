package import YaprakModel

extension StoreReader {
    /// Checks the directory. Level 0: names, headers, chain, gaps. Level 1: every sum, decompression, every item.
    ///
    /// Finds as much as possible: after damage it continues with the next frame that verifies. Changes by a writer are no
    /// findings: files that it removes are skipped, and what it appends may be checked or not. If it removes them faster than
    /// this reads them, this starts over, a few times at most, and says so if that was not enough.
    /// - Parameter progress: called now and then with the bytes checked, the bytes in total, and the commits.
    /// - Throws: `permissionDenied`, `ioFailed`, `overLimit` if the directories can't be listed. Faults of files are findings.
    /// - Complexity: O(bytes of the directory).
    package func verify(
        level: Int, progress: @escaping (_ done: UInt64, _ total: UInt64, _ commits: Int) -> Void = { _, _, _ in }
    ) throws(DatabaseError) -> VerifyReport {
        // Damage that was found in files that may be gone by now.
        var before: [VerifyReport.Finding] = []
        var attempts = 0
        while true {
            attempts += 1
            // First the mark, then the names: if a writer is active in between, the mark must be the older of the two.
            let closing = ClosingMark.read(in: directory.root)
            let listing = try translatingDiskErrors(writing: false) { try directory.list() }
            var verifier = Verifier(
                directory: directory, listing: listing, closing: closing, level: level, progress: progress)
            verifier.run()
            let found = verifier.report.findings
            before.removeAll { old in found.contains { $0.isSame(as: old) } }
            if verifier.isOvertaken, attempts < Self.attemptsMax {
                before += found.filter { $0.severity > .torn && $0.offset != nil }
                continue
            }
            if verifier.isOvertaken {
                verifier.add(
                    .clean, "", nil, nil,
                    "A writer removed segments faster than they were read: the newest commits were not checked. Check again when "
                        + "less is written.")
            }
            verifier.report.findings.insert(contentsOf: before, at: 0)
            return verifier.report
        }
    }
}

extension VerifyReport.Finding {
    /// Whether it says the same of the same place.
    fileprivate func isSame(as other: Self) -> Bool {
        file == other.file && offset == other.offset && message == other.message
    }
}
