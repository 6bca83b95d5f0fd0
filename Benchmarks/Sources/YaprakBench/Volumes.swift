import Foundation
import GRDB
import Yaprak

/// The records of the measures of indexes and queries: a number and a string that are unique, and columns that are not.
struct Volume: Codable, Sendable, Equatable {
    var number: Int
    /// 20 bytes.
    var isbn: String
    var genre: String
    var rank: Int
    var stock: Int
    var title: String
}

extension RecordCollection where Object == Volume, Metadata == NoMetadata {
    static var volumes: Self { Self("volumes") }
}

extension Volume {
    static func make(_ n: Int) -> [Volume] {
        var random = SplitMix64(11)
        var numbers = Array(0..<n)
        numbers.shuffle(using: &random)
        return numbers.enumerated().map { i, number in
            Volume(
                number: number, isbn: fresh(String(format: "978-%016d", number)), genre: "genre\(i % 100)",
                rank: Int(random.next() % UInt64(n)), stock: Int(random.next() % 1000),
                title: "A volume of some pages, no \(i)")
        }
    }
}

/// The same in SQL, with equal indexes.
struct VolumeRecord: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "volume"
    var key: String
    var number: Int
    var isbn: String
    var genre: String
    var rank: Int
    var stock: Int
    var title: String

    init(_ key: String, _ volume: Volume) {
        self.key = key
        number = volume.number
        isbn = volume.isbn
        genre = volume.genre
        rank = volume.rank
        stock = volume.stock
        title = volume.title
    }
}

/// GRDB with volumes in memory, indexed as ours are.
struct VolumePeer {
    let writer: DatabaseQueue

    init(_ keys: [String], _ volumes: [Volume]) throws {
        writer = try DatabaseQueue()
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE volume(key TEXT NOT NULL PRIMARY KEY, number INTEGER, isbn TEXT, genre TEXT, rank INTEGER,
                        stock INTEGER, title TEXT);
                    CREATE UNIQUE INDEX volume_number ON volume(number);
                    CREATE UNIQUE INDEX volume_isbn ON volume(isbn);
                    CREATE INDEX volume_genre ON volume(genre, rank);
                    """)
            for (key, volume) in zip(keys, volumes) { try VolumeRecord(key, volume).insert(db) }
        }
    }
}

extension Yaprak.Database {
    static func filled(_ keys: [String], _ volumes: [Volume]) async throws -> Yaprak.Database {
        let database = Yaprak.Database.inMemory()
        for start in stride(from: 0, to: keys.count, by: 1000) {
            try await database.write { transaction in
                for i in start..<min(keys.count, start + 1000) { transaction[.volumes][keys[i]] = volumes[i] }
            }
        }
        return database
    }
}
