import YaprakTrees

// What a program without the types sees of a state: bytes, as they stand on disk or would stand there.
extension Snapshot {
    /// The tree of the collection called `name` and what its rows are; `nil` if there is no such collection.
    package func rawCollection(_ name: String) -> RawCollection? {
        state.directory.slot(of: name).map { slot in
            RawCollection(state: state, binding: state.directory.bindings[slot], root: state.roots[slot])
        }
    }
}

/// A collection of one state, read as bytes. Rows of a bound collection are encoded when they are asked for.
package struct RawCollection: Sendable {
    private let state: SnapshotState
    private let binding: CollectionBinding
    private let root: TreeRoot

    fileprivate init(state: SnapshotState, binding: CollectionBinding, root: TreeRoot) {
        self.state = state
        self.binding = binding
        self.root = root
    }

    /// The number of records. O(1).
    package var count: Int { root.count }

    /// The record under `key`, given in any form; `nil` if there is none. O(log *n*).
    package subscript(key: String) -> RawRecord? {
        state.box(in: root, recordKey: key).map { binding.raw($0) }
    }

    /// The record at a position. O(log *n*).
    package subscript(position: Int) -> RawRecord {
        withExtendedLifetime(state) { binding.raw(root.box(at: position)) }
    }

    /// Where a key is, or belongs. O(log *n*).
    package func position(notBefore key: String) -> Int {
        withExtendedLifetime(state) { root.rank(of: RecordKey.normalized(key)).position }
    }

    /// Walks the records in a range of positions.
    package func makeIterator(_ bounds: Range<Int>) -> Iterator {
        Iterator(state: state, binding: binding, cursor: RowCursor(root, bounds))
    }

    /// Walks records in ascending order of their keys.
    package struct Iterator: IteratorProtocol {
        fileprivate let state: SnapshotState
        fileprivate let binding: CollectionBinding
        fileprivate var cursor: RowCursor

        /// The next record. O(1) on average, and the encoding of a record that has a type.
        package mutating func next() -> RawRecord? {
            withExtendedLifetime(state) {
                cursor.next().map { binding.raw(unsafeDowncast($0.takeUnretainedValue(), to: RecordBox.self)) }
            }
        }
    }
}

extension CollectionBinding {
    /// A record as it stands on disk, or would stand there.
    func raw(_ box: RecordBox) -> RawRecord {
        if let raw = box as? RawRecord { return raw }
        // Only a value that was never logged can have no encoding. It reads as what CBOR calls undefined.
        return (try? RawRecord(encoding: box, of: self))
            ?? RawRecord(key: box.key, object: [0xf7], metadata: nil, version: version(of: box))
    }
}
