import YaprakCore
import YaprakTrees

/// Brings the entries of an index up to date with changed records, in a writer's turn.
///
/// Entries of a unique index have the bytes of their columns as their key. While a transaction runs, two records may have the
/// same: the record with the smaller key then has that place, and the other a longer one behind it, with its own key
/// appended. So the tree follows from the records, whatever the sequence of the changes.
struct IndexEditor {
    private let configuration: IndexConfiguration
    private let draft: TreeDraft

    init(_ configuration: IndexConfiguration, _ draft: TreeDraft) {
        self.configuration = configuration
        self.draft = draft
    }

    func update(_ root: inout IndexRoot, isCleared: Bool, _ entries: ChangeEntries) {
        if isCleared {
            draft.clear(&root.tree)
            root.duplicates = 0
        }
        // Most columns have room on the stack.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { room in
            var old = IndexKeyWriter(into: UnsafeMutableBufferPointer(rebasing: room[..<128]))
            var new = IndexKeyWriter(into: UnsafeMutableBufferPointer(rebasing: room[128...]))
            entries.forEach { follow($0, in: &root, &old, &new) }
        }
    }

    private func follow(
        _ entry: ChangeEntry, in root: inout IndexRoot, _ old: inout IndexKeyWriter, _ new: inout IndexKeyWriter
    ) {
        let before = entry.before is RawRecord ? nil : entry.before
        let after = entry.after is RawRecord ? nil : entry.after
        switch (before, after) {
        case (nil, nil): return
        case (let before?, let after?):
            if configuration.isUnconcerned(by: entry) {
                if configuration.holdsRecords { exchange(before, by: after, in: &root, &old) }
            } else if configuration.isMultiple {
                moveAll(before, after, in: &root, &new)
            } else {
                move(before, after, in: &root, &old, &new)
            }
        case (let before?, nil):
            root.writings += 1
            configuration.forEachEntry(of: before, &old) { remove(before, &$0, hasNil: $1, from: &root) }
        case (nil, let after?):
            root.writings += 1
            configuration.forEachEntry(of: after, &new) { put(after, &$0, hasNil: $1, into: &root) }
        }
    }

    /// No entry moves: the values of the record as it was lead to the place.
    private func exchange(
        _ before: RecordBox, by after: RecordBox, in root: inout IndexRoot, _ writer: inout IndexKeyWriter
    ) {
        root.writings += 1
        configuration.forEachEntry(of: before, &writer) { key, hasNil in
            let hasColumnsOnly = configuration.isUnique && !hasNil
            // Without duplicates the place of these values is this record's.
            if hasColumnsOnly, root.duplicates > 0 { return put(after, &key, hasNil: hasNil, into: &root) }
            let count = key.count
            defer { key.truncate(to: count) }
            if !hasColumnsOnly { key.append(key: after.key) }
            root.edits += 1
            draft.exchange(key.bytes, in: &root.tree) { configuration.entry($0, after) }
        }
    }

    private func move(
        _ before: RecordBox, _ after: RecordBox, in root: inout IndexRoot, _ old: inout IndexKeyWriter,
        _ new: inout IndexKeyWriter
    ) {
        root.writings += 2
        old.removeAll()
        new.removeAll()
        let hadNil = configuration.writeColumns(of: before, to: &old)
        let hasNil = configuration.writeColumns(of: after, to: &new)
        if old.isEqual(to: new) {
            if configuration.holdsRecords { put(after, &new, hasNil: hasNil, into: &root) }
            return
        }
        remove(before, &old, hasNil: hadNil, from: &root)
        put(after, &new, hasNil: hasNil, into: &root)
    }

    /// Of a record with several entries: those that stay are exchanged.
    private func moveAll(
        _ before: RecordBox, _ after: RecordBox, in root: inout IndexRoot, _ writer: inout IndexKeyWriter
    ) {
        root.writings += 2
        var old: [[UInt8]: Bool] = [:]
        var new: [[UInt8]: Bool] = [:]
        configuration.forEachEntry(of: before, &writer) { old[$0.array] = $1 }
        configuration.forEachEntry(of: after, &writer) { new[$0.array] = $1 }
        for (bytes, hasNil) in old where new[bytes] == nil {
            writer.removeAll()
            writer.append(bytes)
            remove(before, &writer, hasNil: hasNil, from: &root)
        }
        for (bytes, hasNil) in new where configuration.holdsRecords || old[bytes] == nil {
            writer.removeAll()
            writer.append(bytes)
            put(after, &writer, hasNil: hasNil, into: &root)
        }
    }

    // MARK: One entry

    private func put(_ record: RecordBox, _ key: inout IndexKeyWriter, hasNil: Bool, into root: inout IndexRoot) {
        let count = key.count
        defer { key.truncate(to: count) }
        if !configuration.isUnique || hasNil {
            key.append(key: record.key)
            return place(record, at: key, in: &root)
        }
        guard let holder = root.tree.lookup(key.bytes)?.takeUnretainedValue() else {
            return place(record, at: key, in: &root)
        }
        let holderKey = configuration.recordKey(holder)
        if holderKey == record.key { return place(record, at: key, in: &root) }
        if record.key.utf8.lexicographicallyPrecedes(holderKey.utf8) {
            place(record, at: key, in: &root)
            key.append(key: holderKey)
            root.edits += 1
            draft.insert(configuration.copy(holder, key: key.bytes), into: &root.tree)
            root.duplicates += 1
        } else {
            key.append(key: record.key)
            let countBefore = root.tree.count
            place(record, at: key, in: &root)
            root.duplicates += root.tree.count - countBefore
        }
    }

    /// Puts an entry under a key, or exchanges the one that is there.
    private func place(_ record: RecordBox, at key: borrowing IndexKeyWriter, in root: inout IndexRoot) {
        root.edits += 1
        let bytes = key.bytes
        draft.put(configuration.entry(bytes, record), key: bytes, into: &root.tree)
    }

    private func remove(_ record: RecordBox, _ key: inout IndexKeyWriter, hasNil: Bool, from root: inout IndexRoot) {
        let count = key.count
        defer { key.truncate(to: count) }
        root.edits += 1
        if !configuration.isUnique || hasNil {
            key.append(key: record.key)
            draft.remove(key.bytes, from: &root.tree)
            return
        }
        let (position, isFound) = root.tree.rank(of: key.bytes)
        guard isFound else { return }
        if configuration.recordKey(root.tree.row(at: position)) != record.key {
            key.append(key: record.key)
            if draft.remove(key.bytes, from: &root.tree) != nil { root.duplicates -= 1 }
            return
        }
        draft.remove(key.bytes, from: &root.tree)
        guard root.duplicates > 0, position < root.tree.count else { return }
        let next = root.tree.row(at: position)
        guard next.hasKey(beginningWith: key.bytes) else { return }
        // The next in line takes the place.
        draft.remove(at: position, from: &root.tree)
        draft.insert(configuration.copy(next, key: key.bytes), into: &root.tree)
        root.duplicates -= 1
    }
}

extension IndexKeyWriter {
    fileprivate borrowing func isEqual(to other: borrowing IndexKeyWriter) -> Bool {
        count == other.count && bytes.elementsEqual(other.bytes)
    }
}
