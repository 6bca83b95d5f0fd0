import YaprakTrees

/// One record's change, whatever its type: the box before, the box after.
///
/// A box that was set aside counts as no record: what takes its place is an insertion, and of its removal only the bytes went.
package struct ChangeEntry: Sendable {
    package var before: RecordBox?
    package var after: RecordBox?
    package var kinds: ChangeKinds

    package init(before: RecordBox?, after: RecordBox?, kinds: ChangeKinds) {
        self.before = before
        self.after = after
        self.kinds = kinds
    }

    package var key: String { (after ?? before)!.key }

    /// The two changes of one record as one, or `nil` if nothing is left of them.
    func followed(by next: ChangeEntry) -> ChangeEntry? {
        switch (before, next.after) {
        case (nil, nil):
            return nil
        case (nil, let after?):
            return ChangeEntry(before: nil, after: after, kinds: .inserted)
        case (let before?, nil):
            return ChangeEntry(before: before, after: nil, kinds: .removed)
        case (let before?, let after?):
            return ChangeEntry(before: before, after: after, kinds: kinds.union(next.kinds)).withKindsOfBoxes
        }
    }

    /// The same change, with the kinds that go with what was there before and is there after it.
    var withKindsOfBoxes: ChangeEntry {
        guard before != nil, after != nil else { return self }
        var change = self
        if before.isAside && after.isRecord {
            // It took the place of bytes that are no record: it is new, whatever happened in between.
            change.kinds = .inserted
        } else if !kinds.isDisjoint(with: [.inserted, .removed]) {
            // Gone in between: whatever is there now is new, and so is its metadata.
            change.kinds = [.objectChanged, .metadataChanged]
        }
        return change
    }
}

/// Puts several changes of one record together, keeping the order in which records were first changed.
///
/// - Complexity: O(*n*) on average.
func netEntries(_ entries: ContiguousArray<ChangeEntry>) -> ContiguousArray<ChangeEntry> {
    var slots: [String: Int] = [:]
    slots.reserveCapacity(entries.count)
    var net: ContiguousArray<ChangeEntry?> = []
    net.reserveCapacity(entries.count)
    for entry in entries {
        let key = entry.key
        if let slot = slots[key] {
            if let earlier = net[slot] { net[slot] = earlier.followed(by: entry) } else { net[slot] = entry }
        } else {
            slots[key] = net.count
            net.append(entry)
        }
    }
    return ContiguousArray(net.lazy.compactMap { $0 })
}
