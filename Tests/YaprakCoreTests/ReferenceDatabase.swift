import TestSupport
import Yaprak

@testable import YaprakCore

/// The engine in its plainest form: dictionaries, one for each commit there ever was. What the real one is held against.
struct ReferenceDatabase {
    struct Value: Hashable {
        var book: Book
        var shelf: Shelf?
    }

    typealias State = [String: [String: Value]]

    /// The state after each commit; the first is the empty database.
    var states: [State] = [[:]]
    var newest: State { states[states.count - 1] }

    /// The collections of the model. All have the same types, so that only its name distinguishes one from another.
    static let collections = ["alpha", "beta", "gamma"].map { RecordCollection<Book, Shelf>($0) }

    /// What a snapshot holds, in the form of the model.
    static func state(of snapshot: Snapshot) -> State {
        var state: State = [:]
        for collection in collections {
            let rows = snapshot[collection]
            if rows.isEmpty { continue }
            var values: [String: Value] = [:]
            var last: String?
            for row in rows {
                precondition(last.map { $0 < row.key } ?? true, "rows come in ascending order")
                last = row.key
                values[row.key] = Value(book: row.object, shelf: row.metadata)
            }
            precondition(values.count == rows.count, "a count is the number of rows")
            state[collection.name] = values
        }
        return state
    }

    /// The state that a changeset leads to from another, checking what it says was there before.
    static func apply(_ changes: NetChanges, to state: State) -> State? {
        var state = changes.didRemoveAll ? [:] : state
        for collection in collections {
            let changes = changes.changes(in: collection)
            if changes.didRemoveAll { state[collection.name] = nil }
            for change in changes {
                let there = state[collection.name]?[change.key]
                guard there == change.before.map({ Value(book: $0.object, shelf: $0.metadata) }) else { return nil }
                let after = change.after.map { Value(book: $0.object, shelf: $0.metadata) }
                guard (there == nil) == change.kinds.contains(.inserted),
                    (after == nil) == change.kinds.contains(.removed)
                else { return nil }
                if there != nil, after != nil {
                    if there!.book != after!.book, !change.kinds.contains(.objectChanged) { return nil }
                    if there!.shelf != after!.shelf, !change.kinds.contains(.metadataChanged) { return nil }
                }
                state[collection.name, default: [:]][change.key] = after
            }
            if state[collection.name]?.isEmpty ?? false { state[collection.name] = nil }
        }
        return state
    }

    static func counts(_ state: State) -> [String: Int] { state.mapValues(\.count) }
}

/// One random operation, for the model and for the engine alike.
enum RandomOperation {
    case set(Int, String, Book, Shelf?)
    case assign(Int, String, Book)
    case replaceObject(Int, String, Book)
    case replaceMetadata(Int, String, Shelf?)
    case touch(Int, String)
    case remove(Int, String)
    case removeAll(Int)
    case removeEverything

    static func random(_ random: inout SplitMix64, keys: Int) -> RandomOperation {
        let collection = random.below(ReferenceDatabase.collections.count)
        let key = "key/\(random.below(keys))"
        let book = Book(title: "t\(random.below(1000))", salesRank: random.below(100))
        let shelf = random.chance(50) ? Shelf(room: "\(random.below(9))") : nil
        switch random.below(1000) {
        case 0..<250: return .set(collection, key, book, shelf)
        case 250..<550: return .assign(collection, key, book)
        case 550..<600: return .replaceObject(collection, key, book)
        case 600..<700: return .replaceMetadata(collection, key, shelf)
        case 700..<750: return .touch(collection, key)
        case 750..<990: return .remove(collection, key)
        case 990..<998: return .removeAll(collection)
        default: return .removeEverything
        }
    }

    /// Does it to the model; says whether it counts as a change.
    func apply(to state: inout ReferenceDatabase.State) -> Bool {
        func name(_ index: Int) -> String { ReferenceDatabase.collections[index].name }
        func put(_ index: Int, _ key: String, _ value: ReferenceDatabase.Value?) {
            state[name(index), default: [:]][key] = value
            if state[name(index)]!.isEmpty { state[name(index)] = nil }
        }
        func value(_ index: Int, _ key: String) -> ReferenceDatabase.Value? { state[name(index)]?[key] }
        switch self {
        case .set(let index, let key, let book, let shelf): put(index, key, .init(book: book, shelf: shelf))
        case .assign(let index, let key, let book):
            put(index, key, .init(book: book, shelf: value(index, key)?.shelf))
        case .replaceObject(let index, let key, let book):
            guard let old = value(index, key) else { return false }
            put(index, key, .init(book: book, shelf: old.shelf))
        case .replaceMetadata(let index, let key, let shelf):
            guard let old = value(index, key) else { return false }
            put(index, key, .init(book: old.book, shelf: shelf))
        case .touch(let index, let key): return value(index, key) != nil
        case .remove(let index, let key):
            guard value(index, key) != nil else { return false }
            put(index, key, nil)
        case .removeAll(let index):
            guard state[name(index)] != nil else { return false }
            state[name(index)] = nil
        case .removeEverything:
            guard !state.isEmpty else { return false }
            state = [:]
        }
        return true
    }

    /// Does it to the engine.
    func apply(to transaction: inout WriteTransaction) {
        let collections = ReferenceDatabase.collections
        switch self {
        case .set(let index, let key, let book, let shelf):
            transaction[collections[index]].set(book, metadata: shelf, for: key)
        case .assign(let index, let key, let book): transaction[collections[index]][key] = book
        case .replaceObject(let index, let key, let book): transaction[collections[index]].replaceObject(book, for: key)
        case .replaceMetadata(let index, let key, let shelf):
            transaction[collections[index]].replaceMetadata(shelf, for: key)
        case .touch(let index, let key): transaction[collections[index]].touchRow(for: key)
        case .remove(let index, let key): transaction[collections[index]].remove(key)
        case .removeAll(let index): transaction[collections[index]].removeAll()
        case .removeEverything: transaction.removeAll()
        }
    }
}
