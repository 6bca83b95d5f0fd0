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

    package func trees(of root: IndexRoot) -> [TreeRoot] { [root.tree] }

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
        try CBORDecoder().decode(StoredIndex.self, from: bytes).entries(configuration, over: snapshot)
            .map { configuration.recordKey($0) }
    }
}

/// What an index is made of, gathered from the records while writers go on: entries, not yet sorted.
///
/// A class, because it grows by a stretch of records at a time and is never shared.
package final class IndexSeed: @unchecked Sendable {
    // One population owns it, from its first record to the build; that is the whole of the @unchecked.
    private var entries: [TreeRow] = []
    private var writer = IndexKeyWriter()
    /// Those of the record that is added, where it may have several.
    private var keys: Set<[UInt8]> = []

    func add(_ record: RecordBox, _ configuration: IndexConfiguration) {
        keys.removeAll(keepingCapacity: true)
        configuration.forEachEntry(of: record, &writer) { key, hasNil in
            let count = key.count
            if !configuration.isUnique || hasNil { key.append(key: record.key) }
            defer { key.truncate(to: count) }
            // A record whose values repeat has one entry for each.
            if configuration.isMultiple, !keys.insert(key.array).inserted { return }
            entries.append(configuration.entry(key.bytes, record))
        }
    }

    /// The tree of what was gathered; in a writer's turn.
    func root(_ configuration: IndexConfiguration, _ draft: TreeDraft) -> IndexRoot {
        struct Item {
            let word: UInt64
            let index: Int
        }
        var root = IndexRoot(configuration)
        var items = entries.indices.map { Item(word: entries[$0].firstBytes, index: $0) }
        items.sort { a, b in
            if a.word != b.word { return a.word < b.word }
            let order = entries[a.index].compareKey(to: entries[b.index])
            if order != 0 { return order < 0 }
            let (x, y) = (entries[a.index], entries[b.index])
            return compareBytes(configuration.recordKey(x), configuration.recordKey(y)) < 0
        }
        let builder = TreeBuilder(in: draft)
        var last: TreeRow?
        for item in items {
            let entry = entries[item.index]
            guard let first = last, entry.compareKey(to: first) == 0 else {
                last = entry
                append(entry, to: builder)
                continue
            }
            // Of a unique index: two records with the same values.
            root.duplicates += 1
            writer.removeAll()
            entry.withKey { writer.append($0) }
            writer.append(key: configuration.recordKey(entry))
            append(configuration.copy(entry, key: writer.bytes), to: builder)
        }
        root.tree = builder.finish()
        return root
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
        root.tree = try context.draft.build(from: entries)
        return root
    }

    /// The entries over the records there are. Columns are written, and nothing is sorted.
    /// - Throws: ``SchemaMismatch`` if an entry is missing, is one too many, or isn't in order.
    func entries(_ configuration: IndexConfiguration, over snapshot: Snapshot) throws -> [TreeRow] {
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
                var rest = waiting[key] ?? Self.keys(of: record, configuration, &writer)
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
        return entries
    }

    /// The keys of a record's entries, ascending.
    private static func keys(
        of record: RecordBox, _ configuration: IndexConfiguration, _ writer: inout IndexKeyWriter
    ) -> ArraySlice<[UInt8]> {
        var all: Set<[UInt8]> = []
        configuration.forEachEntry(of: record, &writer) { bytes, hasNil in
            let count = bytes.count
            if !configuration.isUnique || hasNil { bytes.append(key: record.key) }
            all.insert(bytes.array)
            bytes.truncate(to: count)
        }
        return all.sorted { $0.lexicographicallyPrecedes($1) }[...]
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
