import Yaprak

struct Visit: Codable, Sendable {
    var count: Int
}

extension RecordCollection where Object == Visit, Metadata == NoMetadata {
    static var visits: Self { Self("visits") }
}
