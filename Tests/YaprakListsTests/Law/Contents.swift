import YaprakCore
import YaprakExtensions

@testable import YaprakLists

/// What a view holds at one moment, as plain arrays: the stand-in for a view in a snapshot.
struct Contents: Sendable {
    /// One row in one group. Two entries are the same place in the order if everything but the version is equal.
    struct Entry: Hashable, Sendable {
        var sort: Int
        var key: Int
        /// Another comparator: no entry of one epoch is the same as one of another.
        var epoch = 0
        var version = 0

        func isSamePlace(as other: Entry) -> Bool { sort == other.sort && key == other.key && epoch == other.epoch }
        func precedes(_ other: Entry) -> Bool { (epoch, sort, key) < (other.epoch, other.sort, other.key) }
    }

    static let names = ["a", "b", "c", "d"]
    static let ids = (0..<200).map { RowID(collection: 0, key: "k\($0)") }
    static let numbers = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })

    /// For each name, the rows in their order.
    var groups: [[Entry]] = [[], [], [], []]

    mutating func sort() {
        for index in groups.indices { groups[index].sort { $0.precedes($1) } }
    }

    func rows(_ group: String) -> [Entry] { Self.names.firstIndex(of: group).map { groups[$0] } ?? [] }

    /// Versions by group and key.
    func version(_ key: Int) -> Int? {
        for rows in groups { for row in rows where row.key == key { return row.version } }
        return nil
    }
}

extension Contents: GroupedRows {
    var groupNames: [String] { Self.names.indices.filter { !groups[$0].isEmpty }.map { Self.names[$0] } }
    func count(ofGroup group: String) -> Int { rows(group).count }
    func rowID(inGroup group: String, at index: Int) -> RowID { Self.ids[rows(group)[index].key] }

    func place(of row: RowID) -> [(group: String, index: Int)] {
        Self.names.compactMap { name in
            rows(name).firstIndex { Self.ids[$0.key] == row }.map { (name, $0) }
        }
    }
}

extension Contents {
    /// The difference of one group, by walking both sides.
    func difference(to other: Contents, _ group: String) -> RowDifference {
        let old = rows(group)
        let new = other.rows(group)
        var result = RowDifference()
        var i = 0
        var j = 0
        while i < old.count || j < new.count {
            if i < old.count && j < new.count && old[i].isSamePlace(as: new[j]) {
                if old[i].version != new[j].version {
                    result.replaced.append((i, j, Self.ids[old[i].key], .objectChanged))
                }
                i += 1
                j += 1
            } else if j == new.count || (i < old.count && old[i].precedes(new[j])) {
                result.removed.append(.init(i, Self.ids[old[i].key]))
                i += 1
            } else {
                result.inserted.append(.init(j, Self.ids[new[j].key]))
                j += 1
            }
        }
        return result
    }

    func view(to other: Contents, rowsHaveOnePlace: Bool) -> ViewDifference {
        // What differs is known to every other view, as to those of a database: another way to the same changes.
        let isKnown = groups[0].count.isMultiple(of: 2)
        let differing = Self.names.filter { name in
            let difference = difference(to: other, name)
            return !(difference.removed.isEmpty && difference.inserted.isEmpty && difference.replaced.isEmpty)
        }
        return ViewDifference(
            old: self, new: other, rowsHaveOnePlace: rowsHaveOnePlace, differingGroups: isKnown ? differing : nil,
            difference: { self.difference(to: other, $0) },
            content: { id in
                let key = Self.numbers[id]!
                guard let was = self.version(key), let now = other.version(key) else { return [] }
                return was == now ? [] : .objectChanged
            })
    }
}
