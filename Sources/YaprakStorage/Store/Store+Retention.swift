internal import YaprakModel

extension Store {
    /// The oldest checkpoint to keep; nil to keep everything. O(bytes) of three checkpoints, and of those that are damaged.
    func oldestKept(_ names: [FileName], coming: FileName?) -> FileName? {
        guard names.count >= 2, let wanted = wanted(names, coming: coming) else { return nil }
        // The newest two that verify stay, and one that verifies where retention ends: nothing leads from a damaged one to the
        // commits after it.
        var good = 0
        for name in names.reversed() where good < 2 || name <= wanted {
            guard name == coming || verifies(name) else { continue }
            good += 1
            if good >= 2, name <= wanted { return name }
        }
        return nil
    }

    /// The checkpoint where retention ends; nil if it does not.
    private func wanted(_ names: [FileName], coming: FileName?) -> FileName? {
        switch options.retention {
        case .all:
            return nil
        case .checkpoints(let count):
            let kept = max(2, count)
            return names.count > kept ? names[names.count - kept] : names.first
        case .commits(let count):
            // Not from the last name: somebody may have put another database's file there, and any number is in that.
            guard let newest = coming ?? names.last(where: { header($0) != nil }) else { return nil }
            let reach = newest.first - min(newest.first, UInt64(max(0, count)))
            return names.last { $0.first <= reach }
        case .age(let age):
            let now = options.now()
            let (reach, isTooEarly) = now.subtractingReportingOverflow(Int64(clamping: age.nanoseconds))
            return isTooEarly ? nil : Self.outgrown(names.map { ($0, header($0)?.createdNs) }, reach: reach, now: now)
        }
    }

    /// The newest checkpoint that was made at `reach` or before, as far as the clock can be believed; nil if there is none.
    ///
    /// From the oldest on to the first that is younger, so that one that was made while the clock was behind takes none of those
    /// with it. A time that is before that of an older one, or in the future, says nothing, and neither does a file without a
    /// header of ours: none of them keeps the others for longer than the age.
    private static func outgrown(
        _ checkpoints: [(name: FileName, created: Int64?)], reach: Int64, now: Int64
    ) -> FileName? {
        var newest: (name: FileName, created: Int64)?
        for (name, created) in checkpoints {
            guard let created, created <= now, created >= newest?.created ?? .min else { continue }
            guard created <= reach else { break }
            newest = (name, created)
        }
        return newest?.name
    }

    func verifies(_ name: FileName) -> Bool {
        (try? CheckpointProof.prove(name, in: directory.checkpoints, of: lineage)) != nil
    }

    /// The header of a checkpoint of this database; nil if it does not verify.
    private func header(_ name: FileName) -> FileHeader? {
        guard let (file, result) = try? DatabaseDirectory.open(name, .checkpoint, in: directory.checkpoints) else {
            return nil
        }
        try? file.close()
        return (try? result.get()).flatMap { lineage.accepts($0) ? $0 : nil }
    }
}
