import YaprakCBOR
public import YaprakCore
package import YaprakTrees

extension RecordIndex: TreeBackedExtension {
    package func makeSeed() -> IndexSeed { IndexSeed() }

    package func gather(_ changes: NetChanges, into seed: inout IndexSeed) {
        guard let boxes = changes.boxes(in: configuration.collection) else { return }
        for entry in boxes.entries {
            if let record = entry.after, !(record is RawRecord) { seed.add(record, configuration) }
        }
    }

    package func build(_ seed: IndexSeed, in context: ExtensionContext) -> IndexRoot {
        seed.root(configuration, context.draft)
    }

    package func trees(of root: IndexRoot) -> [TreeRoot] { root.trees }

    package func versionTag(of root: IndexRoot) -> String { root.configuration.versionTag }

    /// The bytes of the index for a checkpoint; `nil` if it isn't persistent. O(number of entries).
    public func encode(_ root: IndexRoot) throws -> [UInt8]? {
        configuration.isPersistent ? try CBOREncoder().encode(StoredIndex(root)) : nil
    }

    /// Not called: an index's root is changed where there is a draft.
    public func decode(_ bytes: [UInt8]) throws -> IndexRoot { throw StoredIndex.SchemaMismatch() }

    package func decode(_ bytes: [UInt8], in context: ExtensionContext) throws -> IndexRoot {
        try CBORDecoder().decode(StoredIndex.self, from: bytes).root(configuration, in: context)
    }
}

extension RecordIndex {
    /// The keys that stored bytes lead to, entry by entry. For tests of damage.
    package func decodedKeys(_ bytes: [UInt8], over snapshot: Snapshot) throws -> [String] {
        try CBORDecoder().decode(StoredIndex.self, from: bytes).entries(configuration, over: snapshot).all
            .map { configuration.recordKey($0) }
    }
}

/// What an index is made of, gathered from the records while writers go on: the keys of entries, not yet sorted.
///
/// A class, because it grows by a stretch of records at a time and is never shared.
package final class IndexSeed: @unchecked Sendable {
    // One population owns it, from its first record to the build; that is the whole of the @unchecked.
    /// A record for each entry, and where the bytes of its key end.
    private var records: [RecordBox] = []
    private var ends: [Int] = []
    /// The bytes of all keys, one behind the other.
    private var bytes: [UInt8] = []
    private var writer = IndexKeyWriter()
    /// Those of the record that is added, where it may have several.
    private var keys: Set<[UInt8]> = []
    /// What the index remembers of records.
    private var remembered: [(record: RecordBox, entries: [UInt8])] = []

    func add(_ record: RecordBox, _ configuration: IndexConfiguration) {
        keys.removeAll(keepingCapacity: true)
        var own: [[UInt8]: Bool] = [:]
        configuration.forEachEntry(of: record, &writer) { key, hasNil in
            let count = key.count
            if configuration.remembersEntries { own[key.array] = hasNil }
            if !configuration.isUnique || hasNil { key.append(key: record.key) }
            defer { key.truncate(to: count) }
            // A record whose values repeat has one entry for each.
            if configuration.isMultiple, !keys.insert(key.array).inserted { return }
            records.append(record)
            bytes.append(contentsOf: key.bytes)
            ends.append(bytes.count)
        }
        if !own.isEmpty { remembered.append((record, RememberedEntries.pack(own))) }
    }

    /// The tree of what was gathered; in a writer's turn.
    ///
    /// Entries are made in their order, each leaf before its own: so a reader of a range finds them side by side, and that of
    /// one on the page of its leaf.
    func root(_ configuration: IndexConfiguration, _ draft: TreeDraft) -> IndexRoot {
        var root = IndexRoot(configuration)
        let (records, ends) = (records, ends)
        bytes.withUnsafeBufferPointer { bytes in
            func key(_ index: Int) -> UnsafeBufferPointer<UInt8> {
                UnsafeBufferPointer(rebasing: bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]])
            }
            let builder = TreeBuilder(in: draft)
            var last: UnsafeBufferPointer<UInt8>?
            for item in sorted(by: key) {
                let (own, record) = (key(item), records[item])
                if let last, KeyBytes.compare(own, last) == 0 {
                    // Of a unique index: two records with the same values.
                    root.duplicates += 1
                    writer.removeAll()
                    writer.append(own)
                    writer.append(key: record.key)
                    append(configuration.entry(writer.bytes, record), to: builder)
                } else {
                    last = own
                    append(configuration.entry(own, record), to: builder)
                }
            }
            root.tree = builder.finish()
        }
        root.remembered = RememberedEntries.tree(
            of: remembered.map { RememberedEntries(of: $0.record, $0.entries) }, in: draft)
        return root
    }

    /// The numbers of the entries in the order of their keys, then of the keys of their records.
    private func sorted(by key: (Int) -> UnsafeBufferPointer<UInt8>) -> some Sequence<Int> {
        struct Item {
            let word: UInt64
            let index: Int
        }
        var items = records.indices.map { Item(word: KeyBytes.word(key($0), at: 0), index: $0) }
        items.sort { a, b in
            if a.word != b.word { return a.word < b.word }
            let order = KeyBytes.compare(key(a.index), key(b.index))
            if order != 0 { return order < 0 }
            return compareBytes(records[a.index].key, records[b.index].key) < 0
        }
        return items.lazy.map(\.index)
    }

    private func append(_ entry: TreeRow, to builder: TreeBuilder) {
        do { try builder.append(entry) } catch { preconditionFailure("entries were sorted: \(error)") }
    }
}

/// An index as it is stored: the keys of its records, in the order of its entries.
struct StoredIndex: Codable {
    var keys: [String]

    /// What is stored does not match the records or the index.
    struct SchemaMismatch: Error {}

    init(_ root: IndexRoot) {
        keys = []
        keys.reserveCapacity(root.tree.count)
        root.tree.forEach { keys.append(root.configuration.recordKey($0)) }
    }

    /// The root over the records there are.
    /// - Throws: ``SchemaMismatch``; nothing was built then.
    func root(_ configuration: IndexConfiguration, in context: ExtensionContext) throws -> IndexRoot {
        let entries = try entries(configuration, over: context.before)
        var root = IndexRoot(configuration)
        root.tree = try context.draft.build(from: entries.all)
        root.remembered = RememberedEntries.tree(of: entries.remembered, in: context.draft)
        return root
    }

    /// The entries over the records there are, and what the index remembers of these. Columns are written, and no entry is
    /// sorted.
    /// - Throws: ``SchemaMismatch`` if an entry is missing, is one too many, or isn't in order.
    func entries(
        _ configuration: IndexConfiguration, over snapshot: Snapshot
    ) throws -> (all: [TreeRow], remembered: [RememberedEntries]) {
        // Columns that are code may put a record that is there twice into two places.
        if configuration.mayMissEntries, Set(keys).count != keys.count { throw SchemaMismatch() }
        var remembered: [RememberedEntries] = []
        var entries: [TreeRow] = []
        entries.reserveCapacity(keys.count)
        var writer = IndexKeyWriter()
        /// What is to come of records with several entries.
        var waiting: [String: ArraySlice<[UInt8]>] = [:]
        for key in keys {
            guard let record = snapshot.box(forKey: key, in: configuration.collection) else {
                throw SchemaMismatch()
            }
            let entry: TreeRow
            if configuration.isMultiple {
                var rest = waiting[key] ?? Self.keys(of: record, configuration, &writer, &remembered)
                guard let next = rest.popFirst() else { throw SchemaMismatch() }
                waiting[key] = rest
                entry = next.withUnsafeBufferPointer { configuration.entry($0, record) }
            } else {
                writer.removeAll()
                let hasNil = configuration.writeColumns(of: record, to: &writer)
                if !configuration.isUnique || hasNil { writer.append(key: record.key) }
                entry = configuration.entry(writer.bytes, record)
            }
            if let last = entries.last, last.compareKey(to: entry) >= 0 { throw SchemaMismatch() }
            entries.append(entry)
        }
        let isWhole =
            configuration.isMultiple
            ? try isComplete(waiting, configuration, over: snapshot)
            : entries.count == snapshot.tree(of: configuration.collection).count
        guard isWhole else { throw SchemaMismatch() }
        return (entries, remembered)
    }

    /// The keys of a record's entries, ascending; and what the index remembers of the record.
    private static func keys(
        of record: RecordBox, _ configuration: IndexConfiguration, _ writer: inout IndexKeyWriter,
        _ remembered: inout [RememberedEntries]
    ) -> ArraySlice<[UInt8]> {
        let entries = configuration.entries(of: record, &writer)
        if configuration.remembersEntries, !entries.isEmpty {
            remembered.append(RememberedEntries(of: record, RememberedEntries.pack(entries)))
        }
        return entries.map { columns, hasNil -> [UInt8] in
            var key = columns
            if !configuration.isUnique || hasNil { key.append(contentsOf: record.key.utf8) }
            return key
        }.sorted { $0.lexicographicallyPrecedes($1) }[...]
    }

    /// Whether all entries of all records were there.
    private func isComplete(
        _ waiting: [String: ArraySlice<[UInt8]>], _ configuration: IndexConfiguration, over snapshot: Snapshot
    ) throws -> Bool {
        guard waiting.values.allSatisfy(\.isEmpty) else { return false }
        var writer = IndexKeyWriter()
        var isComplete = true
        snapshot.tree(of: configuration.collection).forEach { row in
            let record = unsafeDowncast(row, to: RecordBox.self)
            guard waiting[record.key] == nil else { return }
            configuration.forEachEntry(of: record, &writer) { _, _ in
                isComplete = false
            }
        }
        return isComplete
    }
}
