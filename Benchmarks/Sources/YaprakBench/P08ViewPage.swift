import GRDB
import Yaprak

/// Items by group and rank: the view of these measures, and the index that stands for it in SQL.
let itemsByRank = AutoView("items by rank", of: .items, groupedBy: \.group, sortedBy: \.rank)

extension GRDBPeer {
    /// The index that a view is in SQL.
    func indexByRank() throws {
        try writer.write { db in try db.execute(sql: "CREATE INDEX item_view ON item(grp, rank)") }
    }

    func readPages(_ groups: Int, offset: Int, _ count: Int) throws {
        try writer.read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT * FROM item WHERE grp = ? ORDER BY rank LIMIT 50 OFFSET ?")
            for i in 0..<count {
                let page = try ItemRecord.fetchAll(statement, arguments: ["group\(i % groups)", offset])
                sink &+= UInt64(page.count)
            }
        }
    }

    func countGroups(_ groups: Int, _ count: Int) throws {
        try writer.read { db in
            let statement = try db.cachedStatement(sql: "SELECT count(*) FROM item WHERE grp = ?")
            for i in 0..<count {
                sink &+= UInt64(try Int.fetchOne(statement, arguments: ["group\(i % groups)"]) ?? 0)
            }
        }
    }
}

extension Measure {
    /// P8: a page of 50 records at an offset in a sorted group, and the count of a group.
    static var viewPage: Measure {
        Measure(id: "P8") { settings, report in
            for n in Set([settings.rows, settings.manyRows]).sorted() {
                let keys = KeyShape.random.keys(n)
                let items = Item.make(n)
                let database = try await Database.filled(keys, items)
                try await database.register(itemsByRank)
                let snapshot = database.snapshot
                let grdb = try GRDBPeer(.memory)
                try grdb.fillRecords(keys, items)
                try grdb.indexByRank()
                let offset = n / 100 / 2
                let bare = Dictionary(grouping: zip(keys, items).map { Boxed(key: $0, item: $1) }, by: \.item.group)
                    .mapValues { $0.sorted { $0.item.rank < $1.item.rank } }
                let (pageTimes, countTimes) = n > settings.rows ? (350.0, 1000.0) : (150.0, 100.0)

                let pages = try await interleave(
                    [
                        Contender(name: "Yaprak") { time(2_000) { readPages(snapshot, offset, 2_000) } },
                        Contender(name: "GRDB, memory") {
                            try time(200) { try grdb.readPages(100, offset: offset, 200) }
                        },
                        Contender(name: "sorted arrays in a Dictionary") {
                            time(2_000) { readPages(bare, offset, 2_000) }
                        },
                    ], runs: settings.runs)
                report.compare(
                    "P8", "50 records at offset \(offset) of a group, \(n) rows", pages[0], pages[1],
                    .timesFaster(pageTimes), bound: pages[2])
                let counts = try await interleave(
                    [
                        Contender(name: "Yaprak") { time(20_000) { countGroups(snapshot, 20_000) } },
                        Contender(name: "GRDB, memory") { try time(200) { try grdb.countGroups(100, 200) } },
                    ], runs: settings.runs)
                report.compare("P8", "count of a group, \(n) rows", counts[0], counts[1], .timesFaster(countTimes))
            }
        }
    }

    @inline(never)
    private static func readPages(_ snapshot: Snapshot, _ offset: Int, _ count: Int) {
        for i in 0..<count {
            let group = snapshot[itemsByRank]["group\(i % 100)"]
            var sum = 0
            for row in group[(group.startIndex + offset)..<(group.startIndex + offset + 50)] {
                sum &+= row.object.count
            }
            sink &+= UInt64(sum)
        }
    }

    /// The least: rows in arrays, in order.
    @inline(never)
    private static func readPages(_ groups: [String: [Boxed]], _ offset: Int, _ count: Int) {
        for i in 0..<count {
            var sum = 0
            for row in groups["group\(i % 100)"]![offset..<offset + 50] { sum &+= opaque(row).item.count }
            sink &+= UInt64(sum)
        }
    }

    /// A row as it comes out of a call.
    @inline(never)
    private static func opaque(_ row: Boxed) -> Boxed { row }

    @inline(never)
    private static func countGroups(_ snapshot: Snapshot, _ count: Int) {
        for i in 0..<count { sink &+= UInt64(snapshot[itemsByRank]["group\(i % 100)"].count) }
    }
}
