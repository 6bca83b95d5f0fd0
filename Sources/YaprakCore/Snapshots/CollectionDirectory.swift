import HashTreeCollections
import YaprakModel

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
    static let empty = CollectionDirectory()

    private init() {
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
            return bindings.head.withUnsafeBufferPointer { head in
                for index in 0..<head.count where head[index].name == name { return index }
                return nil
            }
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

    /// Whether records of a collection are checked before they are written.
    func needsPreparing(_ slot: Int) -> Bool {
        guard slot < bindings.head.count else { return bindings[slot].needsPreparing }
        return bindings.head.withUnsafeBufferPointer { $0[slot].needsPreparing }
    }

    /// Whether a record of a collection may nest too deep.
    func mayNestTooDeep(_ slot: Int) -> Bool {
        guard slot < bindings.head.count else { return bindings[slot].mayNestTooDeep }
        return bindings.head.withUnsafeBufferPointer { $0[slot].mayNestTooDeep }
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
    var isBeyondFormat: Bool {
        bindings.count > DatabaseLimits.collectionsMax || nameBytes > DatabaseLimits.allNamesBytesMax
    }

    /// Why one more collection can't be had, or `nil`.
    func refusal(of binding: CollectionBinding, _ limits: DatabaseLimits) -> DatabaseError? {
        let most = min(limits.collectionsMax, DatabaseLimits.collectionsMax)
        if bindings.count >= most {
            return DatabaseError(
                .overLimit,
                """
                the database has \(bindings.count) collections, \(most) are allowed. Put a part of the collection's \
                name into the keys, or raise DatabaseLimits.collectionsMax if it is below \(DatabaseLimits.collectionsMax).
                """,
                place: .init(collectionName: binding.name))
        }
        if nameBytes + binding.name.utf8.count > DatabaseLimits.allNamesBytesMax {
            return DatabaseError(
                .overLimit,
                """
                the names of the \(bindings.count) collections have \(nameBytes) bytes together, \
                \(DatabaseLimits.allNamesBytesMax) are allowed. Use shorter names, or put a part of them into the keys.
                """,
                place: .init(collectionName: binding.name))
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
        asideName.utf8.starts(with: "\u{0}aside/".utf8)
            ? String(asideName.utf8.dropFirst("\u{0}aside/".utf8.count)) : nil
    }

    /// The slot of the rows that were set aside from the collection in `slot`, or `nil`.
    func asideSlot(of slot: Int) -> Int? {
        hasAsides ? self.slot(of: Self.asideName(of: bindings[slot].name)) : nil
    }
}

extension CollectionBinding {
    /// Whether it has what only a replay needs, the older forms of records: no file has it, and no database.
    final var isForReplay: Bool { isHidden && CollectionDirectory.nameOfAside(name) == nil }
}
