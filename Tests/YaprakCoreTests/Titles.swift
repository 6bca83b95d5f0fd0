// snippet: titles
import HashTreeCollections
import Yaprak

/// Finds books by their title: its root has an entry for each record.
struct Titles: DatabaseExtension {
    let name = "titles"
    var collectionNames: [String]? { ["books"] }

    typealias Root = TreeDictionary<String, Set<String>>  // title → keys

    func makeRoot() -> Root { [:] }

    func update(_ root: inout Root, for changes: NetChanges, in context: ExtensionContext) -> Never? {
        if changes.didRemoveAll(inCollectionNamed: "books") { root = [:] }
        for change in changes.changes(in: .books) {
            if let old = change.before?.object.title {
                root[old]?.remove(change.key)
                if root[old]?.isEmpty == true { root[old] = nil }
            }
            if let new = change.after?.object.title { root[new, default: []].insert(change.key) }
        }
        return nil
    }
}
// end
