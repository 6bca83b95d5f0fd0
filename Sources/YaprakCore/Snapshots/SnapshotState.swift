import HashTreeCollections
public import YaprakModel
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
    @usableFromInline let roots: SlotVector<TreeRoot>
    package let extensions: ContiguousArray<ExtensionEntry>
    package let version: TreeVersion
    /// Another state that some of the roots belong to; `nil` in all that readers see.
    private let under: SnapshotState?

    init(
        number: CommitNumber, directory: CollectionDirectory, roots: SlotVector<TreeRoot>,
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
        directory.check(slot, object, metadata)
        return roots[slot]
    }

    /// The entry of the extension called `name`, or `nil`.
    func entry(ofExtension name: String) -> ExtensionEntry? {
        extensions.first { $0.registration.name == name }
    }
}

/// The collections of a database, in the order in which they came; what a slot number means.
///
/// Shared by all snapshots between two changes of the set, so that a commit copies one reference. The next one shares all
/// but O(log *n*) with it.
@usableFromInline
package final class CollectionDirectory: Sendable {
    @usableFromInline let bindings: SlotVector<CollectionBinding>
    /// The slots by name; empty where there are so few that looking through them is faster.
    private let slots: TreeDictionary<String, Int>
    /// Whether any collection has rows that were set aside.
    let hasAsides: Bool
    /// Of all names together, in UTF-8.
    let nameBytes: Int

    private static let scannedMax = 8

    /// No collections.
    init() {
        bindings = []
        slots = [:]
        hasAsides = false
        nameBytes = 0
    }

    private init(
        _ bindings: SlotVector<CollectionBinding>, _ slots: TreeDictionary<String, Int>, hasAsides: Bool, nameBytes: Int
    ) {
        self.bindings = bindings
        self.slots = slots
        self.hasAsides = hasAsides
        self.nameBytes = nameBytes
    }

    /// The slot of the collection called `name`, or `nil`. O(1); without hashing where there are few.
    @usableFromInline
    func slot(of name: String) -> Int? {
        if bindings.count <= Self.scannedMax {
            // Straight in the array: nothing is retained to be looked at.
            for index in bindings.head.indices where bindings.head[index].name == name { return index }
            return nil
        }
        return slots[name]
    }

    /// Stops the program if the collection in `slot` is used with other types than it has.
    func check(_ slot: Int, _ object: any Any.Type, _ metadata: any Any.Type) {
        if slot < bindings.head.count {
            bindings.head[slot].check(object, metadata)
        } else {
            bindings[slot].check(object, metadata)
        }
    }

    /// The directory with one more collection at the end. O(log *n*).
    func appending(_ binding: CollectionBinding) -> CollectionDirectory {
        var bindings = bindings
        bindings.append(binding)
        var slots = slots
        if bindings.count > Self.scannedMax {
            if slots.isEmpty { for (slot, binding) in bindings.enumerated() { slots[binding.name] = slot } }
            slots[binding.name] = bindings.count - 1
        }
        return CollectionDirectory(
            bindings, slots, hasAsides: hasAsides || binding.isHidden, nameBytes: nameBytes + binding.name.utf8.count)
    }

    /// The directory with the collection in `slot` bound to other types. O(log *n*).
    func replacing(_ slot: Int, with binding: CollectionBinding) -> CollectionDirectory {
        assert(bindings[slot].name == binding.name, "a collection keeps its name")
        var bindings = bindings
        bindings[slot] = binding
        return CollectionDirectory(bindings, slots, hasAsides: hasAsides, nameBytes: nameBytes)
    }
}

extension CollectionDirectory {
    /// Whether no database has so many collections, whatever a file says.
    var isBeyondFormat: Bool { bindings.count > Limits.collectionsMax || nameBytes > Limits.allNamesBytesMax }

    /// Why one more collection can't be had, or `nil`.
    func refusal(of binding: CollectionBinding, _ limits: Limits) -> DatabaseError? {
        let most = min(limits.collectionsMax, Limits.collectionsMax)
        if bindings.count >= most {
            return DatabaseError(
                .overLimit,
                "the database has \(bindings.count) collections, \(most) are allowed. Put a part of the collection's name into the keys, or raise Limits.collectionsMax if it is below \(Limits.collectionsMax).",
                place: .init(collection: binding.name))
        }
        if nameBytes + binding.name.utf8.count > Limits.allNamesBytesMax {
            return DatabaseError(
                .overLimit,
                "the names of the \(bindings.count) collections have \(nameBytes) bytes together, \(Limits.allNamesBytesMax) are allowed. Use shorter names, or put a part of them into the keys.",
                place: .init(collection: binding.name))
        }
        return nil
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
