import Yaprak

/// The records of these tests.
struct Book: Codable, Sendable, Hashable {
    var title = ""
    var genre = "sci-fi"
    var rank = 0
    var tags: [String] = []
}

struct Shelf: Codable, Sendable, Hashable {
    var room: String
}

struct Movie: Codable, Sendable, Hashable {
    var title = ""
    var agent: String?
    var year = 0
}

struct Actor: Codable, Sendable, Hashable {
    var name = ""
    var agent: String?
    var since = 0
}

extension RecordCollection where Object == Book, Metadata == Shelf {
    static var books: Self { Self("books") }
}

extension RecordCollection where Object == Movie, Metadata == NoMetadata {
    static var movies: Self { Self("movies") }
}

extension RecordCollection where Object == Actor, Metadata == NoMetadata {
    static var actors: Self { Self("actors") }
}

typealias BookRow = Record<Book, Shelf>

extension ViewReader {
    /// All of the view: the keys of each group, in order.
    var keys: [String: [String]] {
        Dictionary(uniqueKeysWithValues: groupNames.map { ($0, self[$0].map(\.key)) })
    }
}
