import YaprakCBOR
import YaprakTrees

/// Records of one collection in the form that its type has in a snapshot, so that what the log has of them can be compared
/// with what they are.
///
/// A record of the log may be of an older version, lack a property that came later, or be in the form of a coder that never
/// makes the same bytes twice. Decoded as that type and encoded as plain CBOR, what is equal has equal bytes. So have sets, which
/// the log has in the order of one instance: here their elements are in the order of their bytes.
package struct PresentForm {
    private let snapshot: Snapshot
    private let binding: CollectionBinding?
    private let root: TreeRoot
    private let aside: TreeRoot
    private let decoder = RecordDecoder()

    package init(of collection: String, in snapshot: Snapshot) {
        let directory = snapshot.state.directory, slot = directory.slot(of: collection)
        self.snapshot = snapshot
        binding = slot.map { directory.bindings[$0] }
        root = slot.map { snapshot.state.roots[$0] } ?? TreeRoot()
        aside = snapshot.state.root(ofCollection: CollectionDirectory.asideName(of: collection)) ?? TreeRoot()
    }

    /// A record of the log in this form; as it is where it does not decode, or the collection has no type.
    /// - Complexity: O(size).
    package func form(_ raw: RawRecord) -> RawRecord {
        guard let binding, !(binding is RawBinding), let box = try? binding.decode(raw, into: decoder) else {
            return raw
        }
        return (try? binding.plain(box)) ?? raw
    }

    /// The record under a key, which may have been set aside; `nil` if there is none.
    /// - Complexity: O(log *n* + size).
    package subscript(key: String) -> RawRecord? {
        if let box = snapshot.state.box(in: root, recordKey: key), let binding {
            return box as? RawRecord ?? (try? binding.plain(box)) ?? binding.raw(box)
        }
        return snapshot.state.box(in: aside, recordKey: key) as? RawRecord
    }
}
