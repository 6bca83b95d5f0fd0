import Yaprak

extension Failure {
    /// A collection that is not there, with those that are.
    static func noCollection(_ name: String, in snapshot: Snapshot) -> Failure {
        let number = snapshot.commitNumber, known = snapshot.collectionNames.prefix(20)
        return Failure(
            "notFound", "there is no collection \(name.debugDescription) at commit \(number)",
            place: .init(commits: number...number, collection: name), exitCode: 3,
            hint: known.isEmpty
                ? "There is none at all." : "There are \(known.map(\.debugDescription).joined(separator: ", ")).")
    }
}
