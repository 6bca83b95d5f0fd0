import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakReplay

extension Double {
    /// Whether it is the same number, or neither is one.
    fileprivate func isAlike(_ other: Double) -> Bool { self == other || isNaN && other.isNaN }
}

/// Random histories of indexes of all kinds, held against what the records say.
@Suite(.bounded) struct IndexModelTests {
    static let seeds: [UInt64] = Array(1...UInt64(Soak.volume(3, soak: 200)))

    private func register(_ indexes: [GoodsIndex] = GoodsIndex.all, with database: Database) async throws {
        for index in indexes { try await database.register(index.index) }
    }

    private func check(_ snapshot: Snapshot, _ seed: UInt64, _ step: String) throws {
        for index in GoodsIndex.all {
            let fault = try index.fault(in: snapshot)
            try #require(fault == nil, "seed \(seed), \(step)")
        }
    }

    @Test(arguments: seeds) func `Every index equals a scan of its snapshot, in a transaction, too, and forever`(
        seed: UInt64
    ) async throws {
        let database = Database.inMemory()
        try await register(with: database)
        var writes = GoodsWrites(seed: seed)
        var held: [Snapshot] = []
        for step in 0..<50 {
            try await writes.write(to: database) { transaction in
                let snapshot = try transaction.snapshot()
                for index in GoodsIndex.all where index.index.name != "code" {
                    let fault = try index.fault(in: snapshot)
                    try #require(fault == nil, "seed \(seed), within step \(step)")
                }
            }
            try check(database.snapshot, seed, "step \(step)")
            if writes.random.chance(10) { held.append(database.snapshot) }
            if writes.random.chance(4), let past = held.randomElement(using: &writes.random) {
                try await database.restore(past)
                try check(database.snapshot, seed, "restored at \(step)")
            }
        }
        for snapshot in held { try check(snapshot, seed, "held") }
    }

    @Test(arguments: seeds.prefix(Soak.volume(2, soak: 50)))
    func `An index that is registered late equals the others, in a fork, too`(
        seed: UInt64
    ) async throws {
        let database = Database.inMemory()
        try await register([GoodsIndex.all[3]], with: database)
        var writes = GoodsWrites(seed: seed)
        for _ in 0..<30 { try await writes.write(to: database) }
        try await register(Array(GoodsIndex.all[..<3]), with: database)
        let fork = database.fork()
        try await register(Array(GoodsIndex.all[4...]), with: database)
        try await register(Array(GoodsIndex.all[4...]), with: fork)
        var other = GoodsWrites(seed: seed + 1_000)
        for step in 0..<30 {
            try await writes.write(to: database)
            try await other.write(to: fork)
            try check(database.snapshot, seed, "step \(step)")
            try check(fork.snapshot, seed, "step \(step) of the fork")
        }
    }

    @Test(arguments: seeds.prefix(Soak.volume(2, soak: 50)))
    func `After a reopen and in a replay an index is what it was, persisted or not`(seed: UInt64) async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("db"))
        var writes = GoodsWrites(seed: seed)
        for opening in 0..<4 {
            let database = try await Database.open(at: path, collections: .goods)
            // A few writes while the persisted indexes wait.
            for _ in 0..<writes.random.below(8) {
                try await database.write { [draw = writes.random.next()] transaction in
                    var random = SplitMix64(seed: draw)
                    transaction[.goods]["\(random.below(60))"] = .random(&random)
                    transaction[.goods].remove("\(random.below(60))")
                }
            }
            // Without judging, two of them may have got one code.
            for record in database.snapshot[.goods] {
                let code = record.object.code
                guard code != nil,
                    database.snapshot[.goods].contains(where: { $0.key < record.key && $0.object.code == code })
                else { continue }
                try await database.write { $0[.goods][record.key]?.code = nil }
            }
            for index in GoodsIndex.all {
                let host = try await database.register(index.index)
                let isPersistent = ["genreRank", "tags", "code", "mixed"].contains(index.index.name)
                #expect(await host.origin == (isPersistent && opening > 0 ? .adopted : .populated), "seed \(seed)")
            }
            try check(database.snapshot, seed, "opening \(opening)")
            for _ in 0..<20 { try await writes.write(to: database) }
            try check(database.snapshot, seed, "before closing \(opening)")
            try await database.checkpoint()
            for _ in 0..<5 { try await writes.write(to: database) }
            try await database.close()
        }
        let all = GoodsIndex.all
        let reader = try ReplayReader(
            path, collections: .goods, extensions: all[0].index, all[1].index, all[2].index, all[3].index,
            all[4].index, all[5].index, all[6].index, all[7].index, all[8].index)
        try check(try reader.snapshot(), seed, "replay")
        let newest = try reader.snapshot().commitNumber
        for number in [newest, CommitNumber(rawValue: max(1, newest.rawValue - 3))] {
            try check(try reader.snapshot(at: number), seed, "replay at \(number)")
        }
    }

    @Test(arguments: seeds.prefix(Soak.volume(2, soak: 50)))
    func `Random questions to an index get what a filter and a sort give`(
        seed: UInt64
    ) async throws {
        let database = Database.inMemory()
        try await register(with: database)
        var writes = GoodsWrites(seed: seed)
        for _ in 0..<40 { try await writes.write(to: database) }
        let snapshot = database.snapshot
        var random = SplitMix64(seed: seed)
        for _ in 0..<60 {
            try askForGenre(snapshot, &random, seed)
            try askForPrice(snapshot, &random, seed)
            try askForCode(snapshot, &random, seed)
        }
    }

    private func keys(_ index: GoodsIndex, _ snapshot: Snapshot, _ isWanted: (GoodsIndex.Entry) -> Bool) -> [String] {
        index.expected(in: snapshot[.goods]).filter(isWanted).map(\.key)
    }

    private func askForGenre(_ snapshot: Snapshot, _ random: inout SplitMix64, _ seed: UInt64) throws {
        let index = GoodsIndex.all[0]
        let rows = snapshot[index.index]
        let genre = Goods.genres[random.below(Goods.genres.count)]
        let low = random.below(30) - 10
        let high = low + random.below(10)
        let ofGenre = keys(index, snapshot) { $0.cells[0] == Cell(genre) }
        let found = try rows.equal(genre)
        #expect(found.map(\.key) == ofGenre, "seed \(seed): \(genre.debugDescription)")
        #expect(found.reversed().map(\.key) == ofGenre.reversed(), "seed \(seed)")
        #expect(try rows.row(for: genre)?.key == ofGenre.first, "seed \(seed)")
        for (offset, key) in ofGenre.enumerated() { #expect(found.offset(of: key) == offset, "seed \(seed)") }
        #expect(rows.offset(of: "missing") == nil)
        func expect(_ rows: IndexRows<Goods, String>, _ what: String, _ isWanted: (Int) -> Bool) throws {
            let wanted = keys(index, snapshot) { entry in
                guard case .integer(let rank) = entry.cells[1] else { return false }
                return entry.cells[0] == Cell(genre) && isWanted(Int(rank))
            }
            #expect(rows.map(\.key) == wanted, "seed \(seed): \(what) of \(low), \(high)")
        }
        try expect(found.range(low..<high), "..<") { (low..<high).contains($0) }
        try expect(found.range(low...high), "...") { (low...high).contains($0) }
        try expect(found.range(low...), "from") { $0 >= low }
        try expect(found.range(..<high), "up to") { $0 < high }
        try expect(found.range(...high), "through") { $0 <= high }
        try expect(found.oneOf([low, high, low]), "one of") { $0 == low || $0 == high }
        let (least, greatest): (Int?, Int?) = (try found.minimum(), try found.maximum())
        let ranks = snapshot[.goods].filter { $0.object.genre == genre }.map(\.object.rank)
        #expect(least == ranks.min() && greatest == ranks.max(), "seed \(seed)")
        #expect(try found.sum(ofColumn: 1) == Int128(ranks.reduce(0, +)), "seed \(seed)")
        #expect(try Array(found.values(ofColumn: 1, as: Int.self)) == ranks.sorted(), "seed \(seed)")
        #expect(try found.values(ofColumn: 0, as: String.self).allSatisfy { $0 == genre }, "seed \(seed)")
        let several = [genre, Goods.genres[random.below(Goods.genres.count)]]
        let inSeveral = try rows.oneOf(several)
        #expect(
            inSeveral.map(\.key) == keys(index, snapshot) { several.map { Cell($0) }.contains($0.cells[0]) },
            "seed \(seed): \(several)")
        let picked = try inSeveral.range(low...)
        let wanted = keys(index, snapshot) {
            several.map { Cell($0) }.contains($0.cells[0]) && $0.cells[1] >= Cell(low)
        }
        #expect(picked.map(\.key) == wanted, "seed \(seed)")
        for offset in picked.indices { #expect(picked[offset].key == wanted[offset]) }
        let prefix = String(genre.unicodeScalars.prefix(random.below(3)))
        let bytes = Array(prefix.nfc.utf8)
        #expect(
            try rows.starting(with: prefix).map(\.key)
                == keys(index, snapshot) { entry in
                    guard case .text(let text) = entry.cells[0] else { return false }
                    return Array(text.nfc.utf8).starts(with: bytes)
                }, "seed \(seed): \(prefix.debugDescription)")
    }

    private func askForPrice(_ snapshot: Snapshot, _ random: inout SplitMix64, _ seed: UInt64) throws {
        let index = GoodsIndex.all[1]
        let rows = snapshot[index.index]
        let a = Goods.prices[random.below(Goods.prices.count)]
        let b = Goods.prices[random.below(Goods.prices.count)]
        guard !a.isNaN, !b.isNaN else {
            #expect(throws: DatabaseError.self) { try rows.equal(Double.nan) }
            return
        }
        let (low, high) = (min(a, b), max(a, b))
        let inRange = try rows.range(low...high)
        #expect(
            inRange.map(\.key)
                == keys(index, snapshot) { if case .real(let x) = $0.cells[0] { x >= low && x <= high } else { false } },
            "seed \(seed): \(low)...\(high)")
        #expect(
            try rows.range(low...).map(\.key)
                == keys(index, snapshot) { if case .real(let x) = $0.cells[0] { x >= low } else { false } },
            "seed \(seed)")
        #expect(
            try rows.range(..<high).map(\.key)
                == keys(index, snapshot) { if case .real(let x) = $0.cells[0] { x < high } else { false } },
            "seed \(seed)")
        let found = try rows.equal(a)
        let prices = snapshot[.goods].map(\.object.price).filter { !$0.isNaN }
        #expect(
            try rows.minimum(as: Double.self) == prices.min() && rows.maximum(as: Double.self) == prices.max(),
            "seed \(seed)")
        // Of an optional column: without, and with what is missing.
        func isWanted(_ entry: GoodsIndex.Entry, _ test: (Cell) -> Bool) -> Bool {
            entry.cells[0] == Cell(a) && test(entry.cells[1])
        }
        #expect(
            try found.equal(Double?.none).map(\.key) == keys(index, snapshot) { isWanted($0) { $0 == .missing } },
            "seed \(seed)")
        #expect(
            try found.equal(b).map(\.key) == keys(index, snapshot) { isWanted($0) { $0 == Cell(b) } }, "seed \(seed)")
        #expect(
            try found.range(..<b).map(\.key)
                == keys(index, snapshot) { isWanted($0) { if case .real(let x) = $0 { x < b } else { false } } },
            "seed \(seed)")
        let discounts = snapshot[.goods].filter { $0.object.price == a }.compactMap(\.object.discount).filter {
            !$0.isNaN
        }
        #expect(try found.maximum(as: Double.self) == discounts.max(), "seed \(seed)")
        // In the order of the index, as a sum of such numbers depends on it.
        #expect(
            try found.sum(ofColumn: 1, as: Double.self).isAlike(
                keys(index, snapshot) { isWanted($0) { _ in true } }
                    .reduce(0.0) { $0 + (snapshot[.goods][$1]?.discount ?? 0) }), "seed \(seed)")
        let genre = Goods.genres[random.below(Goods.genres.count)]
        #expect(
            try found.equal(b).starting(with: genre).map(\.key)
                == keys(index, snapshot) { entry in
                    guard case .text(let text) = entry.cells[2] else { return false }
                    let bytes = Array(genre.nfc.utf8)
                    return isWanted(entry) { $0 == Cell(b) }
                        && Array(text.nfc.utf8).starts(with: bytes)
                }, "seed \(seed)")
    }

    private func askForCode(_ snapshot: Snapshot, _ random: inout SplitMix64, _ seed: UInt64) throws {
        let rows = snapshot[GoodsIndex.all[3].index]
        guard let record = snapshot[.goods].randomElement(using: &random) else { return }
        if let code = record.object.code {
            #expect(try rows.row(for: code)?.key == record.key, "seed \(seed)")
            #expect(try rows.equal(code).map(\.key) == [record.key], "seed \(seed)")
            #expect(try rows.equal(UInt64(code)).count == 1, "seed \(seed)")
        }
        #expect(
            try rows.equal(Int?.none).map(\.key) == snapshot[.goods].filter { $0.object.code == nil }.map(\.key),
            "seed \(seed)")
        let byTag = snapshot[GoodsIndex.all[2].index]
        for tag in record.object.tags {
            #expect(
                Set(try byTag.equal(tag).map(\.key))
                    == Set(snapshot[.goods].filter { $0.object.tags.contains(tag) }.map(\.key)),
                "seed \(seed)")
        }
    }
}
