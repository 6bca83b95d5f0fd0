import Yaprak
import YaprakExtensions

@testable import YaprakLists

/// A list over a manual view: groups as strings of keys, one letter each; a capital letter is a changed row.
///
///     var list = try await Fixture(["a": "xyz"], groups: ["a"])
///     let changes = try await list.become(["a": "xZ"])          // y went, z changed
///
/// Rows in a longest common sequence of both sides stay; others are taken out and put in.
struct Fixture {
    typealias View = ManualView<Record<Mark, Place>>
    var mappings: ViewMappings<View>
    private(set) var snapshot: Snapshot
    private var groups: [String: [String]] = [:]
    private let database = Database.inMemory()

    init(
        _ rows: [String: String], groups: [String], _ configure: (inout ViewMappings<View>) -> Void = { _ in }
    ) async throws {
        try await self.init(rows) { view in
            var mappings = ViewMappings(view, groups: groups)
            configure(&mappings)
            return mappings
        }
    }

    init(_ rows: [String: String], _ makeMappings: (View) -> ViewMappings<View>) async throws {
        mappings = makeMappings(View("letters", of: .marks))
        try await database.register(mappings.view)
        snapshot = database.snapshot
        _ = try await write(rows)
        try mappings.update(to: snapshot)
    }

    /// The rows each section shows.
    var shown: [String] { snapshot.sections(of: mappings).map { $0.map(\.key).joined() } }

    /// Goes on to other contents.
    @discardableResult
    mutating func become(_ rows: [String: String]) async throws -> [String] {
        let before = try await write(rows)
        let changes = try mappings.advance(from: before, to: snapshot)
        return changes.sectionChanges.map { "\($0)" } + changes.rowChanges.map { "\($0)" }
    }

    /// Returns the snapshot before.
    private mutating func write(_ rows: [String: String]) async throws -> Snapshot {
        let letters = rows.mapValues { $0.map { String($0) } }
        let (old, view) = (groups, mappings.view)
        let new = letters.mapValues { $0.map { $0.lowercased() } }
        let changed = Set(letters.values.joined().filter { $0 != $0.lowercased() }.map { $0.lowercased() })
        try await database.write { transaction in
            transaction[.ticks]["tick"] = Mark(version: 0)
            let keys = Set(new.values.joined())
            for key in Set(old.values.joined()).subtracting(keys) { transaction[.marks].remove(key) }
            for key in keys.sorted() where changed.contains(key) || !transaction[.marks].contains(key: key) {
                transaction[.marks].set(Mark(version: 0), metadata: nil, for: key)
            }
            var arrivals: [(key: String, index: Int, group: String)] = []
            for (group, rows) in new {
                let kept = Self.kept(old[group] ?? [], rows)
                arrivals += rows.enumerated().filter { !kept.contains($1) }.map { ($1, $0, group) }
            }
            for row in arrivals { try transaction.remove(row.key, from: view) }
            for row in arrivals { try transaction.insert(row.key, at: row.index, of: row.group, in: view) }
        }
        groups = new
        let before = snapshot
        snapshot = database.snapshot
        return before
    }

    private static func kept(_ old: [String], _ new: [String]) -> Set<String> {
        let pairs = old.compactMap { key in new.firstIndex(of: key).map { (key: key, index: $0) } }
        return Set(longestIncreasingRun(pairs.map(\.index)).map { pairs[$0].key })
    }
}
