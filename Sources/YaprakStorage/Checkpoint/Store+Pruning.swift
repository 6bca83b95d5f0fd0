extension Store {
    /// Removes the checkpoints that retention gives up, and the segments that no kept one needs.
    ///
    /// Never counts on a checkpoint that does not verify: at least two good ones stay, once there are two. A failure to
    /// remove is no failure: the next checkpoint tries again.
    func prune() {
        guard let listing = try? directory.list(), let oldest = oldestKept(listing.checkpoints) else { return }
        do {
            let surplus = listing.checkpoints.filter { $0 < oldest }
            for name in surplus { try directory.checkpoints.unlink(name.string(.checkpoint)) }
            // First the checkpoints for certain, then the segments that only they needed.
            if !surplus.isEmpty { try directory.checkpoints.sync() }
        } catch {
            return
        }
        pruneSegments(listing.segments, before: oldest.first)
    }

    /// The oldest checkpoint to keep; nil to keep everything.
    private func oldestKept(_ names: [FileName]) -> FileName? {
        guard names.count >= 2, let newest = names.last else { return nil }
        let wanted: FileName?
        switch options.retention {
        case .all:
            return nil
        case .checkpoints(let count):
            let kept = max(2, count)
            wanted = names.count > kept ? names[names.count - kept] : names.first
        case .commits(let count):
            let reach = newest.first - min(newest.first, UInt64(max(0, count)))
            wanted = names.last { $0.first <= reach }
        case .age(let age):
            let reach = options.now() - Int64(clamping: age.nanoseconds)
            wanted = names.last { created($0).map { $0 <= reach } ?? false }
        }
        guard let wanted else { return nil }
        // Two that verify, the newest and another, counted from the newest.
        var good = 0
        for name in names.reversed() {
            if good < 2, verifies(name) { good += 1 }
            if good == 2, name <= wanted { return name }
        }
        return nil
    }

    private func verifies(_ name: FileName) -> Bool {
        (try? CheckpointProof.prove(name, in: directory.checkpoints, of: lineage)) != nil
    }

    private func created(_ name: FileName) -> Int64? {
        guard let (file, header) = try? DatabaseDirectory.open(name, .checkpoint, in: directory.checkpoints) else {
            return nil
        }
        try? file.close()
        return try? header.get().createdNs
    }

    /// A segment is needed unless the one after it starts at or before the first commit after the oldest checkpoint.
    private func pruneSegments(_ names: [FileName], before number: UInt64) {
        do {
            var removed = false
            for (name, next) in zip(names, names.dropFirst()) {
                guard next.first <= number + 1 else { break }
                try directory.segments.unlink(name.string(.segment))
                removed = true
            }
            if removed { try directory.segments.sync() }
        } catch {
            // The directory of the log failed to sync: names of segments may be lost, so nothing more is promised.
            if error.isFailedSync { thread.poison(error.asDatabaseError(writing: true)) }
        }
    }
}
