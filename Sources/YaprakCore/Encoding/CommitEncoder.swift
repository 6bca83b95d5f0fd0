import YaprakCBOR
import YaprakModel
import YaprakTrees

/// A commit as it stands in the log: one CBOR item.
///
///     {
///       "c": [["books", 1, false, [["abc", 1, {…object…}, {…metadata…}], …]], …],   collections
///       "i": …,                                                                      info, where there is one
///       "n": 42,                                                                     number
///       "o": "sync",                                                                 origin, where there is one
///       "t": 1357084800000000000,                                                    nanoseconds since 1970
///       "v": [["ranks", "1", …], …],                                                 histories of derived extensions
///       "x": [["pins", …step…], …],                                                  steps of primary extensions
///       "z": true                                                                    everything was removed first
///     }
///
/// A collection is [name, version of its records, whether everything in it was removed first, operations]; an operation
/// is [key, kinds (``ChangeKinds``), object if it was inserted or set, metadata if it was inserted or set and is not
/// none]; 64 added to the kinds says that both follow, whichever was set. Keys of the map are in ascending order, so the
/// item is in deterministic form (RFC 8949, section 4.2.1).
struct CommitEncoder {
    let environment: DraftEnvironment

    init(_ environment: DraftEnvironment) { self.environment = environment }

    /// The item of a commit.
    /// - Throws: `encodingFailed` with the key, `valueTooLarge`, `transactionTooLarge`.
    func encode(
        _ commit: CommitContents, _ steps: [(name: String, step: [UInt8])], _ histories: [ExtensionHistory] = []
    ) throws -> [UInt8] {
        let writer = CBORWriter(capacity: 512)
        var infoBytes: [UInt8]?
        switch commit.info {
        case .value(_, let encoded)?: infoBytes = encoded
        case .encoded(let bytes)?: infoBytes = bytes
        case nil: break
        }
        let fields =
            3 + (infoBytes == nil ? 0 : 1) + (commit.origin.isEmpty ? 0 : 1) + (steps.isEmpty ? 0 : 1)
            + (commit.batch.clearedAll ? 1 : 0) + (histories.isEmpty ? 0 : 1)
        writer.writeMapHead(count: fields)

        writer.write(text: CommitField.collections)
        let collections = commit.batch.collections.flatMap(\.byVersion)
        writer.writeArrayHead(count: collections.count)
        for (version, changes) in collections { try encode(changes, version, to: writer) }
        if let infoBytes {
            writer.write(text: CommitField.info)
            writer.write(encoded: infoBytes)
        }
        writer.write(text: CommitField.number)
        writer.write(unsigned: commit.number.rawValue)
        if !commit.origin.isEmpty {
            writer.write(text: CommitField.origin)
            writer.write(text: commit.origin)
        }
        writer.write(text: CommitField.time)
        writer.write(integer: commit.nanoseconds)
        if !histories.isEmpty { write(histories, to: writer) }
        if !steps.isEmpty {
            writer.write(text: CommitField.steps)
            writer.writeArrayHead(count: steps.count)
            for step in steps {
                writer.writeArrayHead(count: 2)
                writer.write(text: step.name)
                writer.write(encoded: step.step)
            }
        }
        if commit.batch.clearedAll {
            writer.write(text: CommitField.clearedAll)
            writer.write(true)
        }
        let elements = collections.reduce(steps.count + histories.count) { $0 + $1.changes.entries.count }
        guard elements <= DatabaseLimits.elementsMax(inCommitOf: writer.count) else {
            throw DatabaseError(
                .transactionTooLarge,
                """
                a commit of \(writer.count) bytes has \(elements) operations and steps; \
                \(DatabaseLimits.elementsMax(inCommitOf: writer.count)) are what a reader takes. Write in several transactions.
                """)
        }
        return writer.bytes
    }

    /// What the commit did to derived extensions; less of it where the commit is large: no write fails for what can be
    /// recomputed.
    private func write(_ histories: [ExtensionHistory], to writer: CBORWriter) {
        writer.write(text: CommitField.histories)
        writer.writeArrayHead(count: histories.count)
        for history in histories {
            var item = history.item
            if case .changed(let bytes) = item, writer.count + bytes.count > 4 * ExtensionHistory.bytesMax {
                item = .unknown
            }
            if case .unchanged = item { writer.writeArrayHead(count: 2) } else { writer.writeArrayHead(count: 3) }
            writer.write(text: history.name)
            writer.write(text: history.versionTag)
            switch item {
            case .unchanged: break
            case .changed(let bytes): writer.write(encoded: bytes)
            case .unknown: writer.writeUndefined()
            }
        }
    }

    private func encode(_ changes: CollectionChanges, _ version: Int, to writer: CBORWriter) throws {
        writer.writeArrayHead(count: 4)
        writer.write(text: changes.binding.name)
        writer.write(integer: Int64(version))
        writer.write(changes.clearedCount != nil)
        writer.writeArrayHead(count: changes.entries.count)
        let isRaw = changes.binding is RawBinding
        for entry in changes.entries {
            // The head says how many parts follow, so ask for the metadata first; it is encoded behind.
            var setsObject = entry.after != nil && !entry.kinds.isDisjoint(with: [.inserted, .objectChanged])
            var setsMetadata = entry.after != nil && !entry.kinds.isDisjoint(with: [.inserted, .metadataChanged])
            // Object and metadata are in one version. Of a record without types that of before is known. Of another one, what is
            // not set may be in any version in the files, so that both are written where there is more than one.
            let isInOneVersion = isRaw ? (entry.before as? RawRecord)?.version == version : version <= 1
            let isWhole = setsObject != setsMetadata && !isInOneVersion
            if isWhole { (setsObject, setsMetadata) = (true, true) }
            let withObject = setsObject
            let withMetadata = setsMetadata && changes.binding.hasMetadata(entry.after!)
            writer.writeArrayHead(count: 2 + (withObject ? 1 : 0) + (withMetadata ? 1 : 0))
            writer.write(text: entry.key)
            writer.write(unsigned: UInt64(entry.kinds.rawValue) | (isWhole ? CommitField.wholeRecord : 0))
            if withObject { try value(changes.binding, entry, to: writer) { try $0.encodeObject(of: $1, to: $2) } }
            if withMetadata { try value(changes.binding, entry, to: writer) { try $0.encodeMetadata(of: $1, to: $2) } }
        }
    }

    private func value(
        _ binding: CollectionBinding, _ entry: ChangeEntry, to writer: CBORWriter,
        _ encode: (CollectionBinding, RecordBox, CBORWriter) throws -> Void
    ) throws {
        let start = writer.count
        do {
            if let fault = environment.encodingFault?(binding.name, entry.key) { throw fault }
            try encode(binding, entry.after!, writer)
        } catch  where CBORError(under: error)?.code == .tooDeep {
            throw Self.nestsTooDeep(entry, binding, cause: error)
        } catch {
            throw DatabaseError(
                .encodingFailed,
                "the record \(entry.key.debugDescription) of \"\(binding.name)\" does not encode. Nothing of the write was kept.",
                place: .init(collectionName: binding.name, key: entry.key), cause: error)
        }
        let bytes = writer.count - start
        // The encoder counted the levels of a value; bytes that nobody decoded are counted here.
        if binding is RawBinding, binding.nestsTooDeep(entry.after!) { throw Self.nestsTooDeep(entry, binding) }
        let most = environment.limits.effectiveValueBytesMax
        if bytes > most {
            throw DatabaseError(
                .valueTooLarge,
                """
                a value of the record \(entry.key.debugDescription) of "\(binding.name)" has \(bytes) bytes, \
                \(most) are allowed. Split it, or raise DatabaseLimits.valueBytesMax, to 119 MiB at most.
                """,
                place: .init(collectionName: binding.name, key: entry.key))
        }
    }

    /// Refuses records that a file would refuse for their nesting, where nothing is encoded.
    static func checkNesting(_ commit: CommitContents) throws {
        // Each write comes here: nothing is copied to be looked at, as it would be for a loop in the same function.
        if let only = commit.batch.only, !only.mayNestTooDeep { return }
        try checkNestingOfAll(commit)
    }

    @inline(never)
    private static func checkNestingOfAll(_ commit: CommitContents) throws {
        for changes in commit.batch.collections where changes.binding.mayNestTooDeep { try checkNesting(changes) }
    }

    private static func checkNesting(_ changes: CollectionChanges) throws {
        for entry in changes.entries {
            guard let after = entry.after, !entry.kinds.isDisjoint(with: .written) else { continue }
            if changes.binding.nestsTooDeep(after) { throw nestsTooDeep(entry, changes.binding) }
        }
    }

    private static func nestsTooDeep(
        _ entry: ChangeEntry, _ binding: CollectionBinding, cause: (any Error)? = nil
    ) -> DatabaseError {
        DatabaseError(
            .encodingFailed,
            """
            a value of the record \(entry.key.debugDescription) of "\(binding.name)" nests deeper than \
            \(DatabaseLimits.recordLevelsMax) levels, which are \(StoredValue.depthMax) arrays, maps and tags \
            within each other. Keep its parts as records of their own, under keys that say where they belong.
            """,
            place: .init(collectionName: binding.name, key: entry.key), cause: cause)
    }

    /// Decodes what was encoded, as the next launch would.
    /// - Throws: `undecodableRecord` with the key.
    static func check(_ commit: CommitContents) throws {
        let decoder = RecordDecoder()
        for changes in commit.batch.collections {
            for entry in changes.entries {
                guard let after = entry.after else { continue }
                do {
                    let raw = try RawRecord(encoding: after, of: changes.binding)
                    _ = try changes.binding.decode(raw, into: decoder)
                } catch {
                    throw DatabaseError(
                        .undecodableRecord,
                        """
                        the record \(entry.key.debugDescription) of "\(changes.binding.name)" encodes, but does not \
                        decode again. Nothing of the write was kept.
                        """,
                        place: .init(collectionName: changes.binding.name, key: entry.key), cause: error)
                }
            }
        }
    }
}

/// The keys of the map of a commit, in ascending order.
enum CommitField {
    static let collections = "c"
    static let info = "i"
    static let number = "n"
    static let origin = "o"
    static let time = "t"
    static let histories = "v"
    static let steps = "x"
    static let clearedAll = "z"

    /// Added to an operation's kinds: object and metadata both follow, whichever of them was set.
    static let wholeRecord: UInt64 = 64
}

extension ChangeKinds {
    /// Whatever gives a record a new object or new metadata.
    fileprivate static let written: ChangeKinds = [.inserted, .objectChanged, .metadataChanged]
}

extension RawRecord {
    /// The bytes that `box` has on disk.
    convenience init(encoding box: RecordBox, of binding: CollectionBinding) throws {
        let writer = CBORWriter(capacity: 128)
        try binding.encodeObject(of: box, to: writer)
        let object = writer.bytes
        writer.removeAll()
        let metadata = try binding.encodeMetadata(of: box, to: writer) ? writer.bytes[...] : nil
        self.init(
            key: box.key, object: object[...], metadata: metadata, version: binding.version(of: box),
            objectStamp: box.objectStamp, metadataStamp: box.metadataStamp)
    }
}

extension CollectionChanges {
    /// The changes as the log has them: records of one version together. Bound collections have only one.
    fileprivate var byVersion: [(version: Int, changes: CollectionChanges)] {
        guard binding is RawBinding else { return [(binding.version, self)] }
        let groups = Dictionary(grouping: entries) { $0.after.map { binding.version(of: $0) } ?? binding.version }
        if groups.count < 2 { return [(groups.keys.first ?? binding.version, self)] }
        return groups.sorted { $0.key < $1.key }.enumerated().map { index, group in
            let cleared = index == 0 ? clearedCount : nil
            return (group.key, CollectionChanges(binding: binding, clearedCount: cleared, entries: .init(group.value)))
        }
    }
}
