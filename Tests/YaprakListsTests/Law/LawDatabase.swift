import Yaprak

/// What the law writes: the object is content alone, the metadata says where the row is.
struct Mark: Codable, Sendable {
    var version: Int
}

struct Place: Codable, Sendable {
    var groups: [Int]
    var sort: Int

    var names: [String] { groups.map { Contents.names[$0] } }
}

extension RecordCollection where Object == Mark, Metadata == Place {
    static var marks: Self { Self("marks") }
}

extension RecordCollection where Object == Mark, Metadata == NoMetadata {
    /// What no view shows: with a write to it, a commit of nothing else is one.
    static var ticks: Self { Self("ticks") }
}

typealias MarkView = AutoView<Record<Mark, Place>>

extension MarkView {
    static func marks(rowsHaveOnePlace: Bool) -> MarkView {
        AutoView(
            "marks", of: .marks,
            groupedBy: rowsHaveOnePlace ? .byMetadata { $0?.names.first } : .byEachMetadata { $0?.names ?? [] },
            sortedBy: .byMetadata { $0?.sort ?? 0 })
    }
}

/// A database that goes from one contents to another, and the snapshots on its way.
struct LawDatabase {
    let view: MarkView
    private let database = Database.inMemory()
    private var contents = Contents()

    init(rowsHaveOnePlace: Bool) async throws {
        view = .marks(rowsHaveOnePlace: rowsHaveOnePlace)
        try await database.register(view)
    }

    /// One commit that leads to `next`: writes the halves of records that were written, and one that no view shows.
    mutating func become(_ next: Contents) async throws -> Snapshot {
        let (view, old) = (view, contents)
        try await database.write { transaction in
            transaction[.ticks]["tick"] = Mark(version: 0)
            if old.epoch != next.epoch {
                try transaction.setSorting(
                    of: view, sortedBy: .byMetadata { $0?.sort ?? 0 },
                    order: next.isDescending ? .descending : .ascending, versionTag: "\(next.epoch)")
            }
            for key in old.records.keys.sorted() where next.records[key] == nil {
                transaction[.marks].remove(Contents.keys[key])
            }
            for (key, record) in next.records.sorted(by: { $0.key < $1.key }) {
                let (name, before) = (Contents.keys[key], old.records[key])
                let place = Place(groups: record.groups, sort: record.sort)
                guard let before else {
                    transaction[.marks].set(Mark(version: record.version), metadata: place, for: name)
                    continue
                }
                if before.version != record.version && before.stamp != record.stamp && key.isMultiple(of: 2) {
                    transaction[.marks].remove(name)
                    transaction[.marks].set(Mark(version: record.version), metadata: place, for: name)
                    continue
                }
                if before.version != record.version {
                    _ = transaction[.marks].replaceObject(Mark(version: record.version), for: name)
                }
                if before.stamp != record.stamp { _ = transaction[.marks].replaceMetadata(place, for: name) }
            }
        }
        contents = next
        return database.snapshot
    }
}
