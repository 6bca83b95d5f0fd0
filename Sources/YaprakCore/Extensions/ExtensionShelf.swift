import YaprakModel

/// Extension state that came with the files, kept until somebody registers the extension it belongs to.
///
/// Derived state is good as of the checkpoint it was part of; the database as of that moment stays pinned, so that what
/// changed since can be computed whenever the extension is registered. Primary state is kept forever, with the steps that
/// were logged after it.
package struct ExtensionShelf: Sendable {
    package typealias Item = StoredExtension

    var items: [String: Item] = [:]
    /// The database as of the moment at which the roots were encoded: the checkpoint they came with. Pinned as long as a
    /// derived root waits.
    var base: SnapshotState?

    /// Collections whose records are not, with their types, what they were when the roots were made: some were migrated,
    /// do not decode any more, or were set aside then. What was computed from them is not adopted.
    var remadeCollections: Set<String> = []

    /// The primary state on it.
    var primaryItems: [String: Item] { items.isEmpty ? [:] : items.filter(\.value.isPrimary) }

    /// Whether the records that an extension looks at are those that its root was made of.
    func isGood(for registration: ExtensionRegistration) -> Bool {
        registration.collectionNames.map { remadeCollections.isDisjoint(with: $0) } ?? remadeCollections.isEmpty
    }

    /// Takes an item off the shelf.
    mutating func take(_ name: String) -> Item? {
        defer { dropBaseIfUseless() }
        return items.removeValue(forKey: name)
    }

    mutating func dropBaseIfUseless() {
        if !items.values.contains(where: { !$0.isPrimary }) { base = nil }
    }

    /// What a change has made of the base is undone, because the change did not come about.
    mutating func goBack(to base: SnapshotState?, _ remade: Set<String>) {
        self.base = base
        remadeCollections = remade
        // Others may have been taken off meanwhile.
        dropBaseIfUseless()
    }

    /// Notes a step of an extension that is not registered. It is primary: a derived root under its name is of another one,
    /// which was taken out before.
    mutating func add(step: [UInt8], of name: String) {
        if items[name]?.isPrimary == false { _ = take(name) }
        items[name, default: Item(versionTag: "", isPrimary: true)].steps.append(step)
    }
}
