import TestSupport
import Yaprak

/// Random writes to a ``World``, and the little that records don't tell of what came of them.
struct RandomWrites {
    var random: SplitMix64
    let world: World
    var codes = World.Codes()
    var manual: World.Layout = [:]

    struct Undone: Error {}

    init(seed: UInt64, _ world: World) {
        random = SplitMix64(seed: seed)
        self.world = world
    }

    /// One write; a few of them are undone.
    mutating func write(to database: Database) async throws {
        let before = self
        var copy = self
        do {
            copy = try await database.write { transaction in
                var writes = before
                let count = writes.random.chance(5) ? 60 : 1 + writes.random.below(8)
                for _ in 0..<count { try writes.step(&transaction) }
                writes.settle(&transaction)
                if writes.random.chance(10) { throw Undone() }
                return writes
            }
        } catch is Undone {
            copy = before
            _ = copy.random.next()
        }
        self = copy
    }

    private mutating func key() -> String { "b\(random.below(40))" }

    private mutating func book() -> Book {
        let tags = ["x", "y", "z", "title1"].filter { _ in random.chance(40) }
        return Book(
            title: "title\(random.below(6))", genre: ["", "crime", "fantasy", "sci-fi"][random.below(4)],
            rank: random.below(10) - 2, tags: tags)
    }

    private mutating func step(_ transaction: inout WriteTransaction) throws {
        switch random.below(100) {
        case 0..<30: transaction[.books][key()] = book()
        case 30..<36: transaction[.books].set(book(), metadata: shelf(), for: key())
        case 36..<42: transaction[.books].replaceMetadata(shelf(), for: key())
        case 42..<46: transaction[.books].touchObject(for: key())
        case 46..<49: transaction[.books].touchMetadata(for: key())
        case 49..<58: transaction[.books].remove(key())
        case 58..<61:
            let key = key()
            if let book = transaction[.books][key] {
                // Net it has changed, or not even that.
                transaction[.books][key] = nil
                transaction[.books][key] = random.chance(50) ? book : self.book()
            }
        case 61..<62: transaction[.books].removeAll()
        case 62..<72:
            transaction[.movies]["m\(random.below(15))"] = Movie(agent: agent(), year: random.below(8))
        case 72..<80:
            transaction[.actors]["m\(random.below(15))"] = Actor(agent: agent(), since: random.below(8))
        case 80..<82: transaction[.movies].remove("m\(random.below(15))")
        case 82..<84: transaction[.actors].remove("m\(random.below(15))")
        case 84..<85: if random.chance(30) { transaction[.actors].removeAll() }
        case 85..<93: try arrange(&transaction)
        case 93..<95: try exchange(&transaction)
        case 95..<97:
            settle(&transaction)
            try transaction.touchRow(key(), in: world.ranks)
        default:
            settle(&transaction)
            _ = try transaction.reader(of: world.shelved)
        }
    }

    private mutating func agent() -> String? { ["007", "006", nil][random.below(3)] }

    private mutating func shelf() -> Shelf? { random.chance(70) ? Shelf(room: "r\(random.below(3))") : nil }

    /// Takes out rows whose records are gone by now: whenever the views are looked at, and at the end.
    private mutating func settle(_ transaction: inout WriteTransaction) {
        for key in manual.values.joined() where transaction[.books][key] == nil { takeOut(key) }
    }

    private mutating func takeOut(_ key: String) {
        for (group, rows) in manual where rows.contains(key) {
            manual[group] = rows.count == 1 ? nil : rows.filter { $0 != key }
        }
    }

    private mutating func exchange(_ transaction: inout WriteTransaction) throws {
        settle(&transaction)
        switch random.below(3) {
        case 0:
            codes.grouping = random.below(3)
            try transaction.setGrouping(
                of: world.ranks, groupedBy: World.grouping(codes.grouping),
                versionTag: "\(codes.grouping)\(codes.sorting)")
        case 1:
            codes.sorting = random.below(3)
            try transaction.setSorting(
                of: world.ranks, sortedBy: World.sorting(codes.sorting),
                order: codes.sorting == 2 ? .descending : .ascending,
                versionTag: "\(codes.grouping)\(codes.sorting)")
        default:
            codes.filter = random.below(5)
            try transaction.setFiltering(
                of: world.even, where: World.filter(codes.filter), versionTag: "\(codes.filter)")
        }
    }

    private mutating func arrange(_ transaction: inout WriteTransaction) throws {
        settle(&transaction)
        let key = key()
        let group = "g\(random.below(2))"
        let exists = transaction[.books][key] != nil
        let isThere = manual.values.contains { $0.contains(key) }
        switch random.below(10) {
        case 0..<4:
            let done = try transaction.append(key, to: group, in: world.manual)
            precondition(done == (exists && !isThere), "a row is put once, and has a record")
            if done { manual[group, default: []].append(key) }
        case 4..<7:
            let index = random.below(6)
            let done = try transaction.insert(key, at: index, of: group, in: world.manual)
            precondition(done == (exists && !isThere), "a row is put once, and has a record")
            if done { manual[group, default: []].insert(key, at: min(index, manual[group, default: []].count)) }
        case 7:
            let done = try transaction.remove(key, from: world.manual)
            precondition(done == isThere)
            takeOut(key)
        case 8:
            let index = random.below(6)
            if index < manual[group]?.count ?? 0 {
                try transaction.removeRow(at: index, of: group, from: world.manual)
                takeOut(manual[group]![index])
            }
        default:
            if random.chance(20) {
                try transaction.removeAll(of: group, from: world.manual)
                manual[group] = nil
            } else if try transaction.move(key, to: 1, of: group, in: world.manual) {
                takeOut(key)
                manual[group, default: []].insert(key, at: min(1, manual[group, default: []].count))
            }
        }
    }
}
