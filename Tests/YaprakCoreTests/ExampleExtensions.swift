// Extensions as a program outside the package would write them: this file uses the public API alone.
import Yaprak
import YaprakCBOR

// snippet: counter
/// Counts the records of each collection.
struct Counter: DatabaseExtension {
    var name = "counter"
    var versionTag = "1"
    var collectionNames: [String]?

    typealias Root = [String: Int]

    /// How the counts changed.
    struct Changes: Sendable, Equatable { var differences: [String: Int] }

    func makeRoot() -> Root { [:] }

    func update(_ root: inout Root, for changes: NetChanges, in context: ExtensionContext) -> Changes? {
        var differences: [String: Int] = [:]
        for name in changes.collectionNames where collectionNames?.contains(name) ?? true {
            let difference = changes.countDifference(inCollectionNamed: name)
            guard difference != 0 else { continue }
            differences[name] = difference
            root[name, default: 0] += difference
            if root[name] == 0 { root[name] = nil }
        }
        return differences.isEmpty ? nil : Changes(differences: differences)
    }

    func encode(_ root: Root) throws -> [UInt8]? { try CBOREncoder().encode(root) }
    func decode(_ bytes: [UInt8]) throws -> Root { try CBORDecoder().decode(Root.self, from: bytes) }
}
// end

// snippet: total
/// Adds up what a counter counts: an extension that reads another.
struct Total: DatabaseExtension {
    let name = "total"
    let counter: Counter
    var dependencies: [String] { [counter.name] }

    func makeRoot() -> Int { 0 }

    func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) throws -> Never? {
        root = try context.after.reader(of: counter).values.reduce(0, +)
        return nil
    }
}
// end

// snippet: pins
/// Keys that a user has pinned: state not derivable from records. Removing a record removes its pin.
struct Pins: PrimaryExtension {
    var name = "pins"

    enum Operation: Codable, Sendable, Equatable {
        case pin(String)
        case unpin(String)
    }

    func makeRoot() -> [String] { [] }

    func apply(_ operation: Operation, to root: inout [String]) -> [String]? {
        switch operation {
        case .pin(let key): if !root.contains(key) { root.append(key) }
        case .unpin(let key): root.removeAll { $0 == key }
        }
        return root
    }

    typealias Changes = [String]

    func operations(following changes: NetChanges, root: [String], in context: ExtensionContext) -> [Operation] {
        if changes.didRemoveAll(inCollectionNamed: "books") { return root.map { .unpin($0) } }
        return changes.keys(inCollectionNamed: "books")
            .filter { $0.kinds.contains(.removed) && root.contains($0.key) }
            .map { .unpin($0.key) }
    }

    func encode(_ root: [String]) throws -> [UInt8]? { try CBOREncoder().encode(root) }
    func decode(_ bytes: [UInt8]) throws -> [String] { try CBORDecoder().decode([String].self, from: bytes) }
}
// end
