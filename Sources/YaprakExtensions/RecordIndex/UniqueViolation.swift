package import YaprakCore
import YaprakModel
import YaprakTrees

/// Records of one collection have the same values, and an index of them is unique.
///
///     } catch let error as DatabaseError where error.code == .uniqueViolation {
///         let violation = error.cause as! UniqueViolation
///         print(violation.keys)                           // ["abc", "def"]
///     }
///
/// The cause of a `DatabaseError`. Has keys and names, and no values.
public struct UniqueViolation: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the index.
    public let index: String
    /// The name of its collection.
    public let collectionName: String
    /// The keys of the records: two of a write, the one that was written first. When an index is registered, those of the
    /// first records that share their values, ascending, up to ``keysMax``.
    public let keys: [String]

    /// So many keys are listed.
    public static let keysMax = 100

    /// The names and keys.
    public var description: String {
        "index \"\(index)\" of \"\(collectionName)\": \(keys.map(\.debugDescription).joined(separator: ", "))"
    }
}

extension UniqueViolation: ErrorWithoutValues {}

extension RecordIndex: JudgingExtension {
    package var judges: Bool { configuration.isUnique }

    package func judge(_ root: IndexRoot, after changes: NetChanges) throws {
        guard root.duplicates > 0, let boxes = changes.boxes(in: configuration.collection) else { return }
        var writer = IndexKeyWriter()
        for entry in boxes.entries {
            guard let record = entry.after, !(record is RawRecord) else { continue }
            // Another record was written with its values: that one is judged.
            if let before = entry.before, !(before is RawRecord), configuration.haveSameEntries(before, record) {
                continue
            }
            var other: String?
            configuration.forEachEntry(of: record, &writer) { key, hasNil in
                if !hasNil { other = other ?? root.keys(sharing: key.bytes).first { $0 != record.key } }
            }
            guard let other else { continue }
            throw DatabaseError(
                .uniqueViolation,
                """
                "\(name)" is unique, and the records \(record.key.debugDescription) and \(other.debugDescription) of \
                "\(configuration.collection.name)" have the same values. Nothing of the write was kept. Write other values, \
                or look the record up first.
                """,
                place: .init(collectionName: configuration.collection.name, key: record.key),
                cause: UniqueViolation(
                    index: name, collectionName: configuration.collection.name, keys: [record.key, other]))
        }
    }

    package func judge(_ root: IndexRoot) throws {
        guard root.duplicates > 0 else { return }
        let keys = root.sharedKeys(max: UniqueViolation.keysMax)
        throw DatabaseError(
            .uniqueViolation,
            """
            "\(name)" is unique, and \(root.duplicates.counted("record")) of "\(configuration.collection.name)" \
            \(root.duplicates.word("has", "have")) the values of another, among them \
            \(keys.prefix(10).map(\.debugDescription).joined(separator: ", ")). It is not registered. \
            Change these records first, or register it without unique: true.
            """,
            place: .init(collectionName: configuration.collection.name, key: keys.first),
            cause: UniqueViolation(index: name, collectionName: configuration.collection.name, keys: keys))
    }
}

extension IndexRoot {
    /// The keys of the records whose columns have these bytes, ascending.
    fileprivate func keys(sharing bytes: UnsafeBufferPointer<UInt8>) -> [String] {
        var keys: [String] = []
        var cursor = TreeCursor(tree, at: tree.lowerBound(bytes))
        while let entry = cursor.next()?.takeUnretainedValue(), entry.hasKey(beginningWith: bytes) {
            keys.append(configuration.recordKey(entry))
        }
        return keys
    }

    /// The keys of records that share their columns, in the order of the index.
    fileprivate func sharedKeys(max: Int) -> [String] {
        var keys: [String] = []
        var holder: TreeRow?
        var isNamed = false
        var cursor = TreeCursor(tree, at: 0)
        while keys.count < max, let entry = cursor.next()?.takeUnretainedValue() {
            guard let first = holder, first.withKey({ entry.hasKey(beginningWith: $0) }) else {
                // An entry without all of its values has the key of its record behind them, and collides with none.
                holder = configuration.hasColumnsOnly(entry) ? entry : nil
                isNamed = false
                continue
            }
            if !isNamed { keys.append(configuration.recordKey(first)) }
            isNamed = true
            keys.append(configuration.recordKey(entry))
        }
        return keys
    }
}
