import Yaprak

/// A flight as the board knows it.
struct Flight: Codable, Sendable, Hashable {
    /// How far it is.
    enum Status: String, Codable, Sendable, CaseIterable {
        case scheduled, delayed, departed, arrived, cancelled
    }

    var carrier: String
    var number: Int
    var tail: String?
    var origin: String
    var destination: String
    /// When it is to leave.
    var scheduled: Minute
    /// Miles.
    var distance: Int
    var status: Status
    /// How many minutes later than scheduled it is going to leave, as far as that is known.
    var delay: Int?
    var departed: Minute?
    var arrived: Minute?
    /// How many minutes later than scheduled it arrived.
    var arrivalDelay: Int?

    /// When it leaves, as far as that is known.
    var expected: Minute { departed ?? scheduled + (delay ?? 0) }
}

extension RecordCollection where Object == Flight, Metadata == NoMetadata {
    static var flights: Self { Self("flights") }
}

/// What is attached to each commit, so that a moment can be found in the log.
struct CommitInfo: Codable, Sendable, Hashable {
    var minute: Minute
    /// The version of the program that made the commit, if it says so.
    var version: String?
}

/// How far the play has come; in the same commit as the flights it has changed.
struct Clock: Codable, Sendable, Hashable {
    static let key = "now"
    /// The last minute that was played.
    var minute: Minute
    /// The events up to it.
    var eventCount: Int
}

extension RecordCollection where Object == Clock, Metadata == NoMetadata {
    static var clock: Self { Self("clock") }
}
