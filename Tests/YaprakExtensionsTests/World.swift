import TestSupport
import Yaprak
import YaprakCore
import YaprakExtensions

/// All kinds of views over three collections, and what they should show: computed from the records of a snapshot in the
/// plainest way there is.
struct World {
    /// Groups and their rows, each as a collection and a key.
    typealias Layout = [String: [String]]

    let ranks = AutoView("ranks", versionTag: "00", of: .books, groupedBy: Self.grouping(0), sortedBy: \.rank)
    let tags = AutoView(
        "tags", of: .books, groupedByEach: \.tags, sortedBy: \.title, order: .descending, persistence: .checkpoints)
    let rooms = AutoView(
        "rooms", of: .books, groupedBy: .byMetadata { $0?.room },
        sortedBy: .comparingObjects { ($0.title, $0.rank) < ($1.title, $1.rank) }, persistence: .checkpoints)
    let bond = AutoView(
        "bond", of: .movies, .actors, groupedBy: .byObject { $0.agent }, .byObject { $0.agent },
        sortedBy: .byObject { $0.year }, .byObject { $0.since })
    let manual = ManualView("manual", of: .books)
    let even: FilteredView<AutoView<BookRow>>
    let shelved: FilteredView<FilteredView<AutoView<BookRow>>>
    let tagged: FilteredView<AutoView<BookRow>>
    let recent: FilteredView<AutoView<MixedRecord>>
    let picked: FilteredView<ManualView<BookRow>>

    init() {
        even = FilteredView("even", versionTag: "0", of: ranks, where: Self.filter(0))
        shelved = FilteredView("shelved", of: even, where: .byMetadata { $0 != nil })
        tagged = FilteredView("tagged", of: tags, where: .byRowInGroup { row, group in row.object.title != group })
        recent = FilteredView(
            "recent", of: bond, where: .byRow { ($0.as(.movies)?.object.year ?? $0.as(.actors)?.object.since ?? 0) > 3 }
        )
        picked = FilteredView("picked", of: manual) { $0.rank > 3 }
    }

    func register(with database: Database) async throws {
        try await database.register(ranks)
        try await database.register(tags)
        try await database.register(rooms)
        try await database.register(bond)
        try await database.register(manual)
        try await registerFilters(with: database)
    }

    func registerFilters(with database: Database) async throws {
        try await database.register(even)
        try await database.register(shelved)
        try await database.register(tagged)
        try await database.register(recent)
        try await database.register(picked)
    }

    // MARK: Codes that are exchanged on the fly

    static func groupName(_ code: Int, _ key: String, _ book: Book) -> String? {
        switch code {
        case 0: book.genre.isEmpty ? nil : book.genre
        case 1: key.count > 5 ? nil : String(key.suffix(1))
        default: "all"
        }
    }

    static func grouping(_ code: Int) -> Grouping<Book, Shelf> {
        .byRow { groupName(code, $0.key, $0.object) }
    }

    static func sorting(_ code: Int) -> Sorting<Book, Shelf, Int> { .byObject { sortValue(code, $0) } }

    static func sortValue(_ code: Int, _ book: Book) -> Int { code == 1 ? book.title.count : book.rank }

    static func filter(_ code: Int) -> ViewFilter<BookRow> { .byObject { isIncluded(code, $0) } }

    static func isIncluded(_ code: Int, _ book: Book) -> Bool {
        code == 0 ? book.rank.isMultiple(of: 2) : book.rank > code
    }

    /// The codes in force.
    struct Codes: Equatable {
        var grouping = 0
        /// 2 is descending.
        var sorting = 0
        var filter = 0
    }

    // MARK: What is shown

    func shown(in snapshot: Snapshot) -> [String: Layout] {
        [
            "ranks": snapshot[ranks].layout, "tags": snapshot[tags].layout, "rooms": snapshot[rooms].layout,
            "bond": snapshot[bond].layout, "manual": snapshot[manual].layout, "even": snapshot[even].layout,
            "shelved": snapshot[shelved].layout, "tagged": snapshot[tagged].layout, "recent": snapshot[recent].layout,
            "picked": snapshot[picked].layout,
        ]
    }

    func expected(in snapshot: Snapshot, _ codes: Codes, manual: Layout) -> [String: Layout] {
        let books = Array(snapshot[.books])
        var result: [String: Layout] = [:]
        let ranks = Self.layout(
            books.map { row in
                (Self.groupName(codes.grouping, row.key, row.object).map { [$0] } ?? [], row)
            }
        ) { a, b in
            let (x, y) = (Self.sortValue(codes.sorting, a.object), Self.sortValue(codes.sorting, b.object))
            return x != y ? (codes.sorting == 2 ? x > y : x < y) : a.key < b.key
        }
        let tags = Self.layout(books.map { (Array(Set($0.object.tags)), $0) }) { a, b in
            a.object.title != b.object.title ? a.object.title > b.object.title : a.key < b.key
        }
        result["rooms"] = Self.layout(books.map { ($0.metadata.map { [$0.room] } ?? [], $0) }) { a, b in
            (a.object.title, a.object.rank, a.key) < (b.object.title, b.object.rank, b.key)
        }
        .mapValues { $0.map(\.key) }
        result["ranks"] = ranks.mapValues { $0.map(\.key) }
        result["tags"] = tags.mapValues { $0.map(\.key) }
        let even = Self.filtered(ranks) { row, _ in Self.isIncluded(codes.filter, row.object) }
        result["even"] = even.mapValues { $0.map(\.key) }
        result["shelved"] = Self.filtered(even) { row, _ in row.metadata != nil }.mapValues { $0.map(\.key) }
        result["tagged"] = Self.filtered(tags) { $0.object.title != $1 }.mapValues { $0.map(\.key) }
        result["manual"] = manual
        result["picked"] = Self.filtered(manual) { key, _ in snapshot[.books][key]!.rank > 3 }

        let people =
            snapshot[.movies].map { (group: $0.object.agent, value: $0.object.year, kind: 0, key: $0.key) }
            + snapshot[.actors].map { (group: $0.object.agent, value: $0.object.since, kind: 1, key: $0.key) }
        let bond = Self.layout(people.map { ($0.group.map { [$0] } ?? [], $0) }) {
            ($0.value, $0.kind, $0.key) < ($1.value, $1.kind, $1.key)
        }
        result["bond"] = bond.mapValues { $0.map { "\($0.kind)/\($0.key)" } }
        result["recent"] = Self.filtered(bond) { row, _ in row.value > 3 }.mapValues {
            $0.map { "\($0.kind)/\($0.key)" }
        }
        return result
    }

    private static func layout<Item>(
        _ items: [(groups: [String], item: Item)], by comesBefore: (Item, Item) -> Bool
    ) -> [String: [Item]] {
        var layout: [String: [Item]] = [:]
        for (groups, item) in items { for group in groups { layout[group, default: []].append(item) } }
        return layout.mapValues { $0.sorted(by: comesBefore) }
    }

    private static func filtered<Item>(
        _ layout: [String: [Item]], _ isIncluded: (Item, String) -> Bool
    ) -> [String: [Item]] {
        var result: [String: [Item]] = [:]
        for (group, rows) in layout {
            let rows = rows.filter { isIncluded($0, group) }
            if !rows.isEmpty { result[group] = rows }
        }
        return result
    }

    /// The states of all views, for what is asked without types.
    func states(in snapshot: Snapshot) -> [String: ViewState] {
        [
            "ranks": snapshot[ranks].state, "tags": snapshot[tags].state, "rooms": snapshot[rooms].state,
            "bond": snapshot[bond].state, "manual": snapshot[manual].state, "even": snapshot[even].state,
            "shelved": snapshot[shelved].state, "tagged": snapshot[tagged].state, "recent": snapshot[recent].state,
            "picked": snapshot[picked].state,
        ]
    }

    static let parents = ["even": "ranks", "shelved": "even", "tagged": "tags", "recent": "bond", "picked": "manual"]

    /// What is wrong in any view, in words; `nil` if nothing is.
    func fault(in snapshot: Snapshot) -> String? {
        let states = states(in: snapshot)
        for (name, state) in states {
            let report = state.verify(parent: Self.parents[name].flatMap { states[$0] })
            if !report.isSound { return "\(name): \(report)" }
        }
        return nil
    }
}

extension ViewReader {
    /// The keys of each group, in order; with the collection's number in a view of several.
    var layout: World.Layout {
        let isMixed = collectionNames.count > 1
        return Dictionary(
            uniqueKeysWithValues: groupNames.map { name in
                (
                    name,
                    self[name].map { row in
                        guard isMixed, let row = row as? MixedRecord else { return row.key }
                        return "\(collectionNames.firstIndex(of: row.collectionName)!)/\(row.key)"
                    }
                )
            })
    }
}
