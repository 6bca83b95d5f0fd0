import Yaprak

/// The records of these tests.
struct Book: Codable, Sendable, Hashable {
    var title: String
    var genre: String = "sci-fi"
    var salesRank: Int = 0
}

struct Shelf: Codable, Sendable, Hashable {
    var room: String
}

struct Author: Codable, Sendable, Hashable {
    var name: String
}

extension RecordCollection where Object == Book, Metadata == NoMetadata {
    static var books: Self { Self("books") }
}

extension RecordCollection where Object == Author, Metadata == NoMetadata {
    static var authors: Self { Self("authors") }
}

extension RecordCollection where Object == Book, Metadata == Shelf {
    static var shelved: Self { Self("shelved") }
}
