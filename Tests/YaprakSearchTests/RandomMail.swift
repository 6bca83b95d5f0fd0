import TestSupport
import Yaprak

@testable import YaprakSearch

/// Random texts, queries and writes over a small vocabulary, so that things are found.
struct RandomMail {
    var random: SplitMix64

    static let words = [
        "dune", "dunes", "dun", "duna", "messiah", "mess", "Prince", "prince", "of", "the", "the", "a", "Ärrakis",
        "arrakis",
        "spice", "spices", "straße", "STRASSE", "worm", "sandworm", "sand", "İx", "3.14", "can't", "o'neill", "東京都",
        "京",
        "e\u{301}t\u{e9}", "🐛", "x", "xy", "xyz", "ab", "ba", "quick", "quikc", "-", "का", "שלום", "مرحبا",
    ]

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func word() -> String { Self.words[random.below(Self.words.count)] }

    /// A word; often a run of Chinese, whose characters take a position each.
    mutating func wordOrRun() -> String { random.chance(30) ? ["東京", "東京都", "京都"][random.below(3)] : word() }

    mutating func text(_ longest: Int) -> String {
        (0..<random.below(longest + 1)).map { _ in word() }.joined(separator: random.chance(90) ? " " : ", ")
    }

    mutating func mail() -> Mail {
        Mail(
            title: text(4), body: random.chance(3) ? text(400) : text(15), note: random.chance(50) ? text(3) : nil)
    }

    mutating func key() -> String { "m\(random.below(60))" }

    mutating func query(depth: Int = 3) -> SearchQuery {
        switch random.below(depth > 0 ? 14 : 7) {
        case 0, 1: return .word(word())
        case 2: return .prefix(String(word().prefix(1 + random.below(3))))
        case 3: return .phrase("\(word()) \(word())")
        case 4: return .prefix("\(word()) \(word().prefix(1))")
        case 5: return .fuzzy(word(), distance: 1 + random.below(2))
        case 6:
            return random.chance(50)
                ? .near(wordOrRun(), wordOrRun(), within: random.below(4))
                : .near("\(word()) \(word())", word(), word(), within: random.below(6))
        case 7, 8: return .all(of: (0..<2 + random.below(2)).map { _ in query(depth: depth - 1) })
        case 9, 10: return .any(of: (0..<2 + random.below(2)).map { _ in query(depth: depth - 1) })
        case 11: return query(depth: depth - 1).excluding(query(depth: depth - 1))
        case 12:
            let query = query(depth: depth - 1)
            return random.chance(70)
                ? query.within(["title", "body", "note", "none"][random.below(4)]) : query.within("title", "note")
        default: return .typing("\(word().prefix(2)) \(word().prefix(3))")
        }
    }

    struct Undone: Error {}

    /// One write; a few of them are undone, and some read the index before they end.
    mutating func write(to database: Database, _ index: MailIndex? = nil) async throws {
        let before = self
        do {
            self = try await database.write { transaction in
                var copy = before
                for _ in 0..<(copy.random.chance(5) ? 50 : 1 + copy.random.below(4)) {
                    copy.step(&transaction)
                    if let index, copy.random.chance(5) { _ = try transaction.reader(of: index).count }
                }
                if copy.random.chance(10) { throw Undone() }
                return copy
            }
        } catch is Undone {
            _ = random.next()
        }
    }

    private mutating func step(_ transaction: inout WriteTransaction) {
        let key = key()
        switch random.below(100) {
        case 0..<60: transaction[.mails][key] = mail()
        case 60..<75:
            guard var mail = transaction[.mails][key] else { return }
            // Most edits leave the beginning as it was, and some the end.
            if random.chance(50) {
                if random.chance(50) { mail.body = String(mail.body.prefix(random.below(mail.body.count + 1))) }
                mail.body += "\([" ", "", "\n", "京", " \u{301}"][random.below(5)])\(word())"
            } else {
                var words = mail.body.split(separator: " ", omittingEmptySubsequences: false)
                let place = random.below(words.count)
                let others = (0..<random.below(3)).map { _ in Substring(word()) }
                words.replaceSubrange(place..<min(words.count, place + random.below(3)), with: others)
                mail.body = words.joined(separator: " ")
            }
            transaction[.mails][key] = mail
        case 75..<80: transaction[.mails].touchObject(for: key)
        case 80..<97: transaction[.mails].remove(key)
        case 97: transaction[.mails].removeAll()
        default:
            // Gone and there again, net a change or none.
            guard let mail = transaction[.mails][key] else { return }
            transaction[.mails].remove(key)
            transaction[.mails][key] = random.chance(50) ? mail : self.mail()
        }
    }
}
