import Yaprak

/// The records of these tests.
struct Mail: Codable, Sendable, Hashable {
    var title = ""
    var body = ""
    var note: String?
}

extension RecordCollection where Object == Mail, Metadata == NoMetadata {
    static var mails: Self { Self("mails") }
}

typealias MailIndex = FullTextIndex<Mail, NoMetadata>
