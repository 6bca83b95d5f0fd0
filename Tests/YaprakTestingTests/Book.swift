import Yaprak
import YaprakTesting

struct Book: Codable, Sendable, Hashable {
    var title: String
    var genre: String = "sci-fi"
    var salesRank: Int = 0
}

extension RecordCollection where Object == Book, Metadata == NoMetadata {
    static var books: Self { Self("books") }
}

/// Books in the order of their ranks, a group for each genre.
let bySalesRank = AutoView(
    "bySalesRank", versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.salesRank)

extension Fixture {
    /// Three books and a view.
    static let shelf = Fixture { database in
        try await database.write { transaction in
            transaction[.books]["dune"] = Book(title: "Dune", salesRank: 3)
            transaction[.books]["emma"] = Book(title: "Emma", genre: "romance", salesRank: 8)
            transaction[.books]["it"] = Book(title: "It", genre: "horror", salesRank: 1)
        }
        try await database.register(bySalesRank)
    }
}
