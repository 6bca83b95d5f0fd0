public import Yaprak

/// Something in stock.
public struct Item: Codable, Sendable, Hashable {
    public var name: String
    public var count: Int

    public init(name: String, count: Int) {
        self.name = name
        self.count = count
    }
}

extension RecordCollection where Object == Item, Metadata == NoMetadata {
    public static var items: Self { Self("items") }
}

/// What the service does with its database. Knows nothing of HTTP.
public struct Inventory: Sendable {
    /// A rule of the program that a request broke. Nothing of its write was kept.
    public enum Refusal: Error, Equatable {
        case unknownItem(String)
        case notEnough(of: String, left: Int)
        case negativeCount(Int)
    }

    /// Some items, and where the next ones begin.
    public struct Page: Codable, Sendable, Equatable {
        public struct Entry: Codable, Sendable, Equatable {
            public var id: String
            public var item: Item
        }
        public var items: [Entry]
        /// For `after`, `nil` on the last page.
        public var next: String?
    }

    public let database: Database
    private static let byName = RecordIndex("items.byName", versionTag: "1", of: .items, \.name)

    /// Registers what the service reads by.
    public init(_ database: Database) async throws {
        self.database = database
        // The fork of a test has what its fixture registered.
        if !database.snapshot.isRegistered(Self.byName.name) { try await database.register(Self.byName) }
    }

    public subscript(id: String) -> Item? { database.snapshot[.items][id] }

    /// Items in order of their names. Each page is a snapshot's, and the next begins behind the last of this one, whatever
    /// is written in between.
    public func page(of count: Int, after cursor: String?) throws -> Page {
        var query = RecordQuery(.items, sortedBy: RecordSort(\.name), limit: count + 1)
        if let cursor { query = try query.after(QueryCursor(parsing: cursor)) }
        let rows = database.snapshot[query]
        // One row more says whether another page follows.
        let shown = rows.prefix(count)
        return Page(
            items: shown.map { .init(id: $0.key, item: $0.object) },
            next: rows.count > count ? try shown.last.map { try query.cursor(after: $0).text } : nil)
    }

    public func put(_ item: Item, id: String) async throws {
        // A rule of the stock and not of HTTP: it holds for whatever puts items.
        guard item.count >= 0 else { throw Refusal.negativeCount(item.count) }
        try await database.write(origin: "put") { $0[.items][id] = item }
    }

    /// - Returns: whether there was one.
    public func remove(_ id: String) async throws -> Bool {
        try await database.write(origin: "remove") { transaction in
            guard transaction[.items][id] != nil else { return false }
            transaction[.items].remove(id)
            return true
        }
    }

    /// Takes some of an item out of the stock: all of them, or none.
    /// - Returns: what is left.
    public func reserve(_ count: Int, of id: String) async throws -> Int {
        try await database.write(origin: "reserve") { transaction in
            guard let item = transaction[.items][id] else { throw Refusal.unknownItem(id) }
            guard item.count >= count else { throw Refusal.notEnough(of: id, left: item.count) }
            transaction[.items][id]?.count -= count
            return item.count - count
        }
    }
}
