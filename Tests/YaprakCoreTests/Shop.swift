// The records of these tests, and of the documentation's examples.

// snippet: books
import Yaprak

struct Book: Codable, Sendable, Hashable {
    var title: String
    var genre: String = "sci-fi"
    var salesRank: Int = 0
}

extension RecordCollection where Object == Book, Metadata == NoMetadata {
    static var books: Self { Self("books") }
}
// end

struct Author: Codable, Sendable, Hashable {
    var name: String
}

extension RecordCollection where Object == Author, Metadata == NoMetadata {
    static var authors: Self { Self("authors") }
}

// snippet: shelved
struct Shelf: Codable, Sendable, Hashable {
    var room: String
}

extension RecordCollection where Object == Book, Metadata == Shelf {
    static var shelved: Self { Self("shelved") }
}
// end
