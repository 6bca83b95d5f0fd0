import YaprakCore
import YaprakTrees

/// Brings the entries of an index up to date with changed records, in a writer's turn.
///
/// Entries of a unique index have the bytes of their columns as their key. While a transaction runs, two records may have the
/// same: the record with the smaller key then has that place, and the other a longer one behind it, with its own key
/// appended. So the tree follows from the records, whatever the sequence of the changes.
///
/// The old entry of a record is found by its columns, written once more. Columns that are code of a program may say something
/// else by now than when the entry was made. Nothing in the tree may come to be wrong by that:
///
/// - An index whose columns have one value each has one entry for each record. No change of a record touches an entry of
///   another, except that it moves it, so an entry that was missed leaves one too many: the count says so, and all are made
///   again.
/// - Any other has a list of the entries of each record (``RememberedEntries``), and goes by that.
struct IndexEditor {
    let configuration: IndexConfiguration
    let draft: TreeDraft

    init(_ configuration: IndexConfiguration, _ draft: TreeDraft) {
        self.configuration = configuration
        self.draft = draft
    }

    func update(
        _ root: inout IndexRoot, isCleared: Bool, _ entries: ChangeEntries, in context: ExtensionContext
    ) {
        if isCleared {
            draft.clear(&root.tree)
            draft.clear(&root.remembered)
            root.duplicates = 0
        }
        // What the tree has with one entry for each record.
        var count = root.tree.count
        // Most columns have room on the stack.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { room in
            var old = IndexKeyWriter(into: UnsafeMutableBufferPointer(rebasing: room[..<128]))
            var new = IndexKeyWriter(into: UnsafeMutableBufferPointer(rebasing: room[128...]))
            entries.forEach { count += follow($0, in: &root, &old, &new) }
        }
        if configuration.mayMissEntries, root.tree.count != count { remake(&root, entries, in: context) }
    }

    /// The same for one record. No column of the index is code of a program.
    func update(_ root: inout IndexRoot, by update: RecordUpdate) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { room in
            var old = IndexKeyWriter(into: UnsafeMutableBufferPointer(rebasing: room[..<128]))
            var new = IndexKeyWriter(into: UnsafeMutableBufferPointer(rebasing: room[128...]))
            update.before._withUnsafeGuaranteedRef { before in
                update.after._withUnsafeGuaranteedRef { after in
                    exchange(before, by: after, update.kinds, in: &root, &old, &new)
                }
            }
        }
    }

    /// - Returns: by how many the records that have entries have become more.
    private func follow(
        _ entry: ChangeEntry, in root: inout IndexRoot, _ old: inout IndexKeyWriter, _ new: inout IndexKeyWriter
    ) -> Int {
        let before = entry.before is RawRecord ? nil : entry.before
        let after = entry.after is RawRecord ? nil : entry.after
        if configuration.remembersEntries {
            followRemembered(entry, before, after, in: &root, &new)
            return 0
        }
        switch (before, after) {
        case (nil, nil): return 0
        case (let before?, let after?):
            exchange(before, by: after, entry.kinds, in: &root, &old, &new)
            return 0
        case (let before?, nil):
            root.writings += 1
            configuration.forEachEntry(of: before, &old) { remove(before, &$0, hasNil: $1, from: &root) }
            return -1
        case (nil, let after?):
            root.writings += 1
            configuration.forEachEntry(of: after, &new) { put(after, &$0, hasNil: $1, into: &root) }
            return 1
        }
    }

    /// A record took another's place.
    private func exchange(
        _ before: RecordBox, by after: RecordBox, _ kinds: ChangeKinds, in root: inout IndexRoot,
        _ old: inout IndexKeyWriter, _ new: inout IndexKeyWriter
    ) {
        if configuration.isUnconcerned(by: kinds, before, after) {
            if configuration.holdsRecords { exchange(before, by: after, in: &root, &old) }
        } else if configuration.isMultiple {
            root.writings += 2
            let own = configuration.entries(of: before, &new)
            moveAll(after, from: own, to: configuration.entries(of: after, &new), in: &root, &new)
        } else {
            move(before, after, in: &root, &old, &new)
        }
    }

    /// No entry moves: the values of the record as it was lead to the place.
    private func exchange(
        _ before: RecordBox, by after: RecordBox, in root: inout IndexRoot, _ writer: inout IndexKeyWriter
    ) {
        root.writings += 1
        configuration.forEachEntry(of: before, &writer) { exchange(by: after, &$0, hasNil: $1, in: &root) }
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
        _ record: RecordBox, from old: [[UInt8]: Bool], to new: [[UInt8]: Bool], in root: inout IndexRoot,
        _ writer: inout IndexKeyWriter
    ) {
        for (bytes, hasNil) in old where new[bytes] == nil {
            writer.removeAll()
            writer.append(bytes)
            remove(record, &writer, hasNil: hasNil, from: &root)
        }
        for (bytes, hasNil) in new where configuration.holdsRecords || old[bytes] == nil {
            writer.removeAll()
            writer.append(bytes)
            put(record, &writer, hasNil: hasNil, into: &root)
        }
    }

    /// As the others, by the entries that the record is known to have.
    private func followRemembered(
        _ entry: ChangeEntry, _ before: RecordBox?, _ after: RecordBox?, in root: inout IndexRoot,
        _ writer: inout IndexKeyWriter
    ) {
        guard let record = after ?? before else { return }
        let old = root.rememberedEntries(of: record.key)
        if let after, configuration.isUnconcerned(by: entry) {
            guard configuration.holdsRecords else { return }
            for (bytes, hasNil) in old {
                writer.removeAll()
                writer.append(bytes)
                exchange(by: after, &writer, hasNil: hasNil, in: &root)
            }
            return
        }
        root.writings += after == nil ? 0 : 1
        let new = after.map { configuration.entries(of: $0, &writer) } ?? [:]
        moveAll(record, from: old, to: new, in: &root, &writer)
        if new == old { return }
        if new.isEmpty {
            draft.remove(record.key, from: &root.remembered)
        } else {
            draft.insert(RememberedEntries(of: record, RememberedEntries.pack(new)), into: &root.remembered)
        }
    }

    // MARK: One entry

    /// Puts a record into the place of its entry with these columns.
    private func exchange(
        by record: RecordBox, _ key: inout IndexKeyWriter, hasNil: Bool, in root: inout IndexRoot
    ) {
        let count = key.count
        defer { key.truncate(to: count) }
        if configuration.isUnique, !hasNil {
            // Without duplicates the place of these values is this record's.
            if root.duplicates > 0 { return put(record, &key, hasNil: hasNil, into: &root) }
            if !configuration.isPure {
                if exchangeOwn(record, at: key, in: &root) { return }
                return put(record, &key, hasNil: hasNil, into: &root)
            }
        } else {
            key.append(key: record.key)
        }
        root.edits += 1
        draft.exchange(key.bytes, in: &root.tree) { configuration.entry($0, record) }
    }

    /// Puts a record into a place that may be another's: columns that are code may say now what they said of that.
    /// - Returns: whether it was this record's.
    private func exchangeOwn(_ record: RecordBox, at key: borrowing IndexKeyWriter, in root: inout IndexRoot) -> Bool {
        let bytes = key.bytes
        var isOwn = false
        draft.edit(&root.tree, key: bytes) { old in
            isOwn = old.map { configuration.recordKey($0) == record.key } ?? false
            return isOwn ? .put(configuration.entry(bytes, record)) : .keep
        }
        if isOwn { root.edits += 1 }
        return isOwn
    }

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
