public import YaprakStorage
public import YaprakTrees

/// What a ``Snapshot`` refers to: one moment of the whole database, immutable.
///
///     SnapshotState ──▶ version      keeps the nodes of every tree below alive
///         │
///         ├──▶ directory             which collections there are, and their types; shared by most snapshots
///         ├──▶ roots[slot]           one tree per collection, in the directory's order
///         └──▶ extensions            one root per registered extension
///
/// Two states may have the same commit number: binding a collection and registering an extension make a new state, not
/// a new commit.
@usableFromInline
package final class SnapshotState: Sendable {
    @usableFromInline let number: CommitNumber
    /// The newest commit in it.
    package var commitNumber: CommitNumber { number }
    @usableFromInline let directory: CollectionDirectory
    @usableFromInline let roots: ContiguousArray<TreeRoot>
    package let extensions: ContiguousArray<ExtensionEntry>
    package let version: TreeVersion
    /// Another state that some of the roots belong to; `nil` in all that readers see.
    private let under: SnapshotState?

    init(
        number: CommitNumber, directory: CollectionDirectory, roots: ContiguousArray<TreeRoot>,
        extensions: ContiguousArray<ExtensionEntry>, version: TreeVersion, under: SnapshotState? = nil
    ) {
        assert(directory.bindings.count == roots.count, "every collection has a tree")
        self.number = number
        self.directory = directory
        self.roots = roots
        self.extensions = extensions
        self.version = version
        self.under = under
    }

    /// The root of the collection called `name`, or `nil`.
    func root(ofCollection name: String) -> TreeRoot? {
        directory.slot(of: name).map { roots[$0] }
    }

    /// The root of a collection with these types; of an empty tree if the collection was never written.
    @usableFromInline
    func root(ofCollection name: String, _ object: any Any.Type, _ metadata: any Any.Type) -> TreeRoot {
        guard let slot = directory.slot(of: name) else { return TreeRoot() }
        directory.bindings[slot].check(object, metadata)
        return roots[slot]
    }

    /// The entry of the extension called `name`, or `nil`.
    func entry(ofExtension name: String) -> ExtensionEntry? {
        extensions.first { $0.registration.name == name }
    }
}

/// The collections of a database, in the order in which they came; what a slot number means.
///
/// Shared by all snapshots between two changes of the set, so that a commit copies one reference.
@usableFromInline
package final class CollectionDirectory: Sendable {
    @usableFromInline let bindings: ContiguousArray<CollectionBinding>
    private let slots: [String: Int]
    /// Whether any collection has rows that were set aside.
    let hasAsides: Bool

    init(_ bindings: ContiguousArray<CollectionBinding> = []) {
        self.bindings = bindings
        hasAsides = bindings.contains { $0.isHidden }
        slots = Dictionary(uniqueKeysWithValues: bindings.enumerated().map { ($1.name, $0) })
    }

    /// The slot of the collection called `name`, or `nil`. O(1); without hashing where there are few.
    @usableFromInline
    func slot(of name: String) -> Int? {
        if bindings.count <= 8 {
            for index in bindings.indices where bindings[index].name == name { return index }
            return nil
        }
        return slots[name]
    }

    /// The directory with one more collection at the end.
    func appending(_ binding: CollectionBinding) -> CollectionDirectory {
        CollectionDirectory(bindings + [binding])
    }

    /// The directory with the collection in `slot` bound to other types.
    func replacing(_ slot: Int, with binding: CollectionBinding) -> CollectionDirectory {
        var next = bindings
        next[slot] = binding
        return CollectionDirectory(next)
    }
}

// MARK: - Rows set aside

extension CollectionDirectory {
    /// Rows of `name` that did not decode are kept, as bytes, in a collection of this name.
    static func asideName(of name: String) -> String { "\u{0}aside/\(name)" }
    /// The collection whose rows are kept under `asideName`, or `nil`.
    static func nameOfAside(_ asideName: String) -> String? {
        asideName.hasPrefix("\u{0}aside/") ? String(asideName.dropFirst("\u{0}aside/".count)) : nil
    }

    /// The slot of the rows that were set aside from the collection in `slot`, or `nil`.
    func asideSlot(of slot: Int) -> Int? {
        hasAsides ? self.slot(of: Self.asideName(of: bindings[slot].name)) : nil
    }
}

extension SnapshotState {
    /// Rows of all collections that were set aside.
    var countOfRecordsSetAside: Int {
        guard directory.hasAsides else { return 0 }
        return zip(directory.bindings, roots).reduce(0) { $1.0.isHidden ? $0 + $1.1.count : $0 }
    }
}

extension Draft {
    /// A write to a key takes away what was set aside under it.
    func replaceAside(of slot: Int, _ key: String, by after: RecordBox?) {
        guard let aside = directory.asideSlot(of: slot), !roots[aside].isEmpty else { return }
        guard let gone = tree.remove(key, from: &roots[aside]) else { return }
        frozen = nil
        // The removal of a record that only its bytes are left of is a removal, too.
        if after == nil { noteRemoval(ofAside: unsafeDowncast(gone, to: RecordBox.self), of: slot) }
    }
}
