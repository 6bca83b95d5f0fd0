package import YaprakCore
package import YaprakTrees

extension FilteredView: TreeBackedExtension {
    /// Nothing is gathered from records.
    package struct Seed: Sendable {}

    package func makeSeed() -> Seed { Seed() }
    package func gather(_ changes: NetChanges, into seed: inout Seed) {}

    package func build(_ seed: Seed, in context: ExtensionContext) throws -> ViewRoot {
        let parent = try context.after.reader(of: parent).state.root
        let configuration = FilterConfiguration(versionTag: versionTag, rule, over: parent.configuration)
        return ViewRoot(filtering: parent, configuration, draft: context.draft)
    }

    package func decode(_ bytes: [UInt8], in context: ExtensionContext) throws -> ViewRoot {
        try build(Seed(), in: context)
    }
    package func trees(of root: ViewRoot) -> [TreeRoot] { root.trees }
    package func versionTag(of root: ViewRoot) -> String { root.configuration.versionTag }
}

extension ViewRoot {
    /// The rows of a parent that pass a filter, in the parent's sequence.
    init(filtering parent: ViewRoot, _ configuration: FilterConfiguration, draft: TreeDraft) {
        let seed = ViewSeed(collections: configuration.collectionNames.count)
        // By the parent's box, so that a row's own boxes are found when its place is noted.
        var copies: [ObjectIdentifier: Placement] = [:]
        copies.reserveCapacity(parent.count)
        parent.groups.forEach { group in
            unsafeDowncast(group, to: GroupRow.self).rows.forEach { row in
                let placement = unsafeDowncast(row, to: Placement.self)
                guard configuration.accepts(placement) else { return }
                let copy = placement.copy()
                copies[ObjectIdentifier(placement)] = copy
                seed.addToGroup(copy)
            }
        }
        for places in parent.places {
            places.forEach { row in
                let place = unsafeDowncast(row, to: PlaceRow.self)
                seed.addPlaces(place.all.compactMap { copies[ObjectIdentifier($0)] })
            }
        }
        self.init(seed, configuration, draft: draft, isSorted: true)
    }
}
