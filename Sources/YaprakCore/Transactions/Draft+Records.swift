import YaprakModel
import YaprakTrees

// How records are edited, and what is noted of it.
extension Draft {
    /// Whether records of a collection are checked before they are written.
    @usableFromInline
    func needsPreparing(_ slot: Int) -> Bool { directory.needsPreparing(slot) }

    /// What is to become of a record.
    @usableFromInline
    enum Edit {
        case keep
        case put(RecordBox, ChangeKinds)
        case remove
    }

    /// Decides about the record under `key` (in its normal form), applies the decision and notes it.
    ///
    /// - Returns: the record there was before.
    @discardableResult
    func edit(_ slot: Int, _ key: String, _ decide: (RecordBox?) throws -> Edit) rethrows -> RecordBox? {
        guard failure == nil, countOperation() else { return nil }
        let (entry, changed, isRemoval) = try change(slot, key, decide)
        let before = entry.before
        note(entry, changed, isRemoval, slot, key)
        return before
    }

    /// The same for those who don't ask what was there. No reference is counted to hand it out.
    @usableFromInline
    func apply(_ slot: Int, _ key: String, _ decide: (RecordBox?) throws -> Edit) rethrows {
        guard failure == nil, countOperation() else { return }
        let (entry, changed, isRemoval) = try change(slot, key, decide)
        note(entry, changed, isRemoval, slot, key)
    }

    /// Puts a record under `key` (in its normal form) and notes it, in the place of the one that is there.
    ///
    /// - Parameters:
    ///   - kinds: what that changes in a record that is there.
    ///   - make: makes the record, given the one that is there. It edits nothing. It is not called if none may be put.
    @usableFromInline
    func put(_ slot: Int, _ key: String, _ kinds: ChangeKinds, _ make: (RecordBox?) -> RecordBox) {
        guard failure == nil, countOperation() else { return }
        let (old, new) = key.withKeyBytes { bytes in
            heldTree._withUnsafeGuaranteedRef { tree in
                tree.put(key: bytes, into: &roots[slot]) { row in
                    // What is there may go, and stay, whatever the limit was when it came.
                    guard let row else { return admit(key) ? make(nil) : nil }
                    return row._withUnsafeGuaranteedRef { make(unsafeDowncast($0, to: RecordBox.self)) }
                }
            }
        }
        guard let new else { return }
        let isNew = old == nil
        let entry = ChangeEntry(
            before: (consume old).map { unsafeDowncast($0, to: RecordBox.self) },
            after: unsafeDowncast(consume new, to: RecordBox.self), kinds: isNew ? .inserted : kinds)
        if directory.hasAsides { return noteWithAsides(entry, true, false, slot, key) }
        recorders.note(entry, in: slot, count: roots[slot].count - (isNew ? 1 : 0), firstStamp: firstStamp)
        frozen = nil
    }

    @inline(__always)
    private func note(
        _ entry: consuming ChangeEntry, _ changed: Bool, _ isRemoval: Bool, _ slot: Int, _ key: String
    ) {
        if directory.hasAsides { return noteWithAsides(entry, changed, isRemoval, slot, key) }
        if changed { note(slot, entry) }
    }

    /// Decides and applies.
    /// - Returns: what was there and what is there now, whether anything changed, and whether a removal was asked for.
    @inline(__always)
    private func change(
        _ slot: Int, _ key: String, _ decide: (RecordBox?) throws -> Edit
    ) rethrows -> (entry: ChangeEntry, changed: Bool, isRemoval: Bool) {
        var after: RecordBox?
        var kinds: ChangeKinds = []
        var changed = false
        var isRemoval = false
        let old = try key.withKeyBytes { bytes in
            try heldTree._withUnsafeGuaranteedRef { tree in
                try tree.edit(&roots[slot], key: bytes) { row in
                    switch try decide(row.map { unsafeDowncast($0, to: RecordBox.self) }) {
                    case .keep:
                        return .keep
                    case .put(let box, let what):
                        // What is there may go, and stay, whatever the limit was when it came.
                        if row == nil, !admit(key) { return .keep }
                        after = box
                        kinds = row == nil ? .inserted : what
                        changed = true
                        return .put(box)
                    case .remove:
                        isRemoval = true
                        guard row != nil else { return .keep }
                        kinds = .removed
                        changed = true
                        return .remove
                    }
                }
            }
        }
        let before = old.map { unsafeDowncast($0, to: RecordBox.self) }
        return (ChangeEntry(before: before, after: after, kinds: kinds), changed, isRemoval)
    }

    /// Removes everything in a collection. O(1) in the number of records.
    func clear(_ slot: Int) {
        guard failure == nil, countOperation() else { return }
        let asides = directory.hasAsides ? clearAsides(of: slot) : nil
        guard !roots[slot].isEmpty || asides ?? 0 > 0 || recorders.has(slot) else { return }
        recorders.noteClear(of: slot, count: roots[slot].count, ofAsides: asides)
        tree.clear(&roots[slot])
        frozen = nil
    }

    /// Removes everything in all collections.
    func clearAll() {
        for slot in directory.bindings.indices where !directory.bindings[slot].isHidden { clear(slot) }
        if base.roots.contains(where: { !$0.isEmpty }) { clearedAll = true }
    }

    func note(_ slot: Int, _ entry: consuming ChangeEntry) {
        // The tree has the change already.
        let countBefore = roots[slot].count - (entry.before == nil ? 1 : 0) + (entry.after == nil ? 1 : 0)
        recorders.note(entry, in: slot, count: countBefore, firstStamp: firstStamp)
        frozen = nil
    }

    /// Notes that a record was removed of which only the bytes were left, and which nobody counted.
    func noteRemoval(ofAside aside: RecordBox, of slot: Int) {
        recorders.note(
            ChangeEntry(before: aside, after: nil, kinds: .removed), in: slot, count: roots[slot].count,
            firstStamp: firstStamp)
        frozen = nil
    }

    /// Notes that a record was inserted where only bytes were left, which nobody counted.
    func note(_ slot: Int, _ entry: consuming ChangeEntry, inPlaceOf aside: RecordBox) {
        let count = roots[slot].count - 1
        entry.before = aside
        recorders.note(entry, in: slot, count: count, firstStamp: firstStamp)
        frozen = nil
    }

    /// Hands over what was noted since the last time.
    func takeBatch() -> ChangeBatch {
        defer { clearedAll = false }
        return recorders.takeBatch(directory, clearedAll: clearedAll)
    }

    /// Whether a record may be put under a key that has none; fails if not.
    private func admit(_ key: String) -> Bool {
        let most = min(environment.limits.keyBytesMax, DatabaseLimits.storedKeyBytesMax)
        if key.utf8.count > most {
            fail(
                DatabaseError(
                    .keyTooLong,
                    "a key has \(key.utf8.count) bytes, \(most) are allowed. Shorten it, or raise DatabaseLimits.keyBytesMax.",
                    place: .init(key: String(key.prefix(64)))))
            return false
        }
        return true
    }
}
