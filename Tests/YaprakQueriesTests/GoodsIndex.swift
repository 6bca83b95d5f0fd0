import Foundation
import Yaprak
import YaprakExtensions

/// An index, and what it should have: computed from the records in the plainest way there is.
struct GoodsIndex: Sendable {
    let index: RecordIndex<Goods, String>
    /// The values of each column for a record: one, or several.
    let columns: [@Sendable (GoodsRecord) -> [Cell]]
    var descending: Set<Int> = []

    /// An entry: the cells of its columns, and the key of its record.
    struct Entry: Hashable {
        var cells: [Cell]
        var key: String
    }

    func expected(in records: some Sequence<GoodsRecord>) -> [Entry] {
        var entries: Set<Entry> = []
        for record in records {
            var rows: [[Cell]] = [[]]
            for column in columns { rows = rows.flatMap { row in column(record).map { row + [$0] } } }
            for row in rows { entries.insert(Entry(cells: row, key: record.key)) }
        }
        return entries.sorted { a, b in
            for (number, (x, y)) in zip(a.cells, b.cells).enumerated() where x != y {
                return descending.contains(number) ? y < x : x < y
            }
            return a.key.utf8.lexicographicallyPrecedes(b.key.utf8)
        }
    }

    /// What differs between the index and the records; `nil` if nothing does.
    func fault(in snapshot: Snapshot) throws -> String? {
        let rows = snapshot[index]
        let expected = expected(in: snapshot[.goods])
        let keys = Array(rows.keys)
        if keys != expected.map(\.key) { return "\(index.name): \(keys) instead of \(expected)" }
        if rows.count != expected.count { return "\(index.name): \(rows.count) counted" }
        // Its columns never change their mind.
        if rows.source.root.remakes > 0 { return "\(index.name): made again" }
        for (row, entry) in zip(rows, expected) {
            guard row.key == entry.key, let record = snapshot[.goods].row(for: entry.key), record.isIdentical(to: row)
            else { return "\(index.name): \(row.key) is not the record of the snapshot" }
        }
        return nil
    }

    static let all: [GoodsIndex] = [
        GoodsIndex(
            index: RecordIndex("genreRank", of: .goods, \.genre, \.rank, persistence: .checkpoints),
            columns: [{ [Cell($0.object.genre)] }, { [Cell($0.object.rank)] }]),
        GoodsIndex(
            index: RecordIndex(
                "price", of: .goods, columns: .descending(\.price), .ascending(\.discount), .descending(\.genre)),
            columns: [{ [Cell($0.object.price)] }, { [Cell($0.object.discount)] }, { [Cell($0.object.genre)] }],
            descending: [0, 2]),
        GoodsIndex(
            index: RecordIndex(
                "tags", of: .goods, columns: .ascending(\.tags), .descending(\.maker.country),
                persistence: .checkpoints),
            columns: [{ $0.object.tags.map { Cell($0) } }, { [Cell($0.object.maker.country)] }], descending: [1]),
        GoodsIndex(
            index: RecordIndex("code", of: .goods, \.code, unique: true, persistence: .checkpoints),
            columns: [{ [Cell($0.object.code)] }]),
        GoodsIndex(
            index: RecordIndex("country", of: .goods, \.maker.country, \.shape, entries: .holdKeys),
            columns: [{ [Cell($0.object.maker.country)] }, { [Cell($0.object.shape)] }]),
        GoodsIndex(
            index: RecordIndex("room", of: .goods, columns: .metadata { $0 }, .ascending(\.isNew)),
            columns: [{ [Cell($0.metadata)] }, { [Cell($0.object.isNew)] }]),
        GoodsIndex(
            index: RecordIndex("many", of: .goods, \.made, \.wide, \.byte, \.id, \.seal, entries: .holdKeys),
            columns: [
                { [Cell($0.object.made)] }, { [Cell($0.object.wide)] }, { [Cell($0.object.byte)] },
                { [Cell($0.object.id)] }, { [Cell($0.object.seal)] },
            ]),
        GoodsIndex(
            index: RecordIndex(
                "mixed", of: .goods, columns: .descending(\.seal), .descending(\.wide), .descending(\.isNew),
                .row { $0.key.count + ($0.metadata?.count ?? 0) }, .descending { $0.title.count },
                entries: .holdKeys, persistence: .checkpoints),
            columns: [
                { [Cell($0.object.seal)] }, { [Cell($0.object.wide)] }, { [Cell($0.object.isNew)] },
                { [Cell($0.key.count + ($0.metadata?.count ?? 0))] }, { [Cell($0.object.title.count)] },
            ], descending: [0, 1, 2, 4]),
        GoodsIndex(
            index: RecordIndex("genreTags", of: .goods, columns: .ascending(\.genre), .ascending(\.tags)),
            columns: [{ [Cell($0.object.genre)] }, { $0.object.tags.map { Cell($0) } }]),
    ]
}
