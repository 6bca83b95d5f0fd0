import Yaprak
import YaprakExtensions

/// What a view holds at one moment, as plain arrays: what the law's own model works on.
struct Contents: Sendable {
    /// One record: the groups it is in, what it is sorted by, and when its two halves were written.
    struct Record: Hashable, Sendable {
        var groups: [Int]
        var sort: Int
        /// Writes of the object.
        var version = 0
        /// The last write of the metadata, which has the groups and the sort value.
        var stamp = 0
    }

    /// One row in one group.
    struct Entry: Hashable, Sendable {
        let key: Int
        let version: Int
        let stamp: Int

        func hasSameContent(as other: Entry) -> Bool { version == other.version && stamp == other.stamp }
    }

    static let names = ["a", "b", "c", "d"]
    /// Keys that ascend as their numbers do.
    static let keys = (0..<100).map { $0 < 10 ? "k0\($0)" : "k\($0)" }

    var records: [Int: Record] = [:]
    /// How often metadata were written: each write has a number of its own.
    private var writes = 0
    /// How often the sorting was exchanged. Every other one is descending.
    var epoch = 0
    /// For each name, the rows in their order; as of ``arrange()``.
    private(set) var groups: [[Entry]] = [[], [], [], []]

    /// Writes the metadata of a record, which is there from then on.
    mutating func place(_ key: Int, in groups: [Int], sort: Int) {
        writes += 1
        var record = records[key] ?? Record(groups: [], sort: 0)
        record.groups = groups
        record.sort = sort
        record.stamp = writes
        records[key] = record
    }

    /// Puts the rows of all groups in order.
    mutating func arrange() {
        groups = groups.indices.map { group in
            let found = records.filter { $0.value.groups.contains(group) }
            let sorted = found.sorted { a, b in
                let (x, y) = (a.value.sort, b.value.sort)
                return x == y ? a.key < b.key : (x < y) != isDescending
            }
            return sorted.map { Entry(key: $0.key, version: $0.value.version, stamp: $0.value.stamp) }
        }
    }

    var isDescending: Bool { !epoch.isMultiple(of: 2) }

    func rows(_ group: String) -> [Entry] { Self.names.firstIndex(of: group).map { groups[$0] } ?? [] }

    /// The number in a key.
    static func number(_ key: String) -> Int { Int(key.dropFirst())! }
}

extension Contents {
    /// Writes what differs from `other`: records that are elsewhere there, or not.
    mutating func become(_ other: Contents) {
        for key in records.keys where other.records[key] == nil { records[key] = nil }
        for (key, record) in other.records {
            if let now = records[key], now.groups == record.groups, now.sort == record.sort { continue }
            place(key, in: record.groups, sort: record.sort)
        }
        arrange()
    }
}
