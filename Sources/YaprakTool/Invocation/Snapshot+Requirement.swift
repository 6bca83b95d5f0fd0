import Yaprak

extension Snapshot {
    /// Refuses the name of a collection that has no records here.
    func require(_ name: String) throws {
        guard count(inCollectionNamed: name) == 0 else { return }
        let known = collectionNames.map(\.debugDescription).joined(separator: ", ")
        throw Failure(
            "notFound",
            "there is no collection \(name.debugDescription) at commit \(commitNumber)"
                + (known.isEmpty ? ", which has none" : ", which has \(known)"),
            place: .init(commits: commitNumber...commitNumber, collection: name), exitCode: 3)
    }
}
