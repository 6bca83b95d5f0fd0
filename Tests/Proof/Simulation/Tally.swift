internal import Yaprak
internal import YaprakCBOR

/// Counts records and adds up their numbers: derived, kept in checkpoints.
struct Tally: DatabaseExtension {
    let name = "tally"
    let versionTag = "1"

    struct Root: Codable, Sendable, Equatable {
        var count = 0
        var sum = 0
    }

    struct Changes: Sendable { var count: Int }

    func makeRoot() -> Root { Root() }

    func update(_ root: inout Root, for changes: NetChanges, in context: ExtensionContext) -> Changes? {
        let before = root.count
        let items = changes.changes(in: SimulatedRecord.items)
        if items.didRemoveAll { root = Root() }
        for change in items {
            if let old = change.before {
                root.count -= 1
                root.sum -= old.object.number
            }
            if let new = change.after {
                root.count += 1
                root.sum += new.object.number
            }
        }
        return Changes(count: root.count - before)
    }

    func encode(_ root: Root) throws -> [UInt8]? { try CBOREncoder().encode(root) }
    func decode(_ bytes: [UInt8]) throws -> Root { try CBORDecoder().decode(Root.self, from: bytes) }
}
