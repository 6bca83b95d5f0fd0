public import YaprakModel

/// A place in the history of a database, written as in git.
///
///     let position = try LogPosition("@{10 minutes ago}~1")
///     let number = try reader.commitNumber(at: position)
///
/// | written | means |
/// | --- | --- |
/// | `42` | commit 42; `0` is the empty database before the first commit |
/// | `@` | the newest commit |
/// | `@{10 minutes ago}`, `@{yesterday}` | the newest commit made at or before that time, see ``LogTime`` |
/// | `@{2013-01-05 12:00}` | the newest commit made in that minute or before; UTC without a zone, as everywhere in this tool |
/// | `before-import` | the commit that a tag names, see ``LogTag`` |
/// | `42~3`, `@^` | so many commits before, one commit before; may follow any of the above, and one another |
///
/// The value is the text. It is resolved on demand, in one log:
/// ``ReplayReader/commitNumber(at:)``.
public struct LogPosition: Sendable, Hashable {
    enum Base: Sendable, Hashable {
        case newest
        case number(CommitNumber)
        case time(LogTime)
        case tag(LogTag.Name)
    }

    let base: Base
    /// How many commits before the base.
    let back: UInt64

    /// The newest commit.
    public static let newest = LogPosition(base: .newest, back: 0)

    /// The position of a commit. O(1). Its text can be read up to commit 2^63 - 1.
    public init(_ number: CommitNumber) { self.init(base: .number(number), back: 0) }

    /// The commit it stands for where there is no log: by its number, or by its distance from the newest.
    package func number(newest: CommitNumber) -> CommitNumber? {
        let number: CommitNumber? =
            switch base {
            case .newest: newest
            case .number(let number): number
            case .time, .tag: nil
            }
        guard let number, number <= newest, back <= number.rawValue else { return nil }
        return CommitNumber(number.rawValue - back)
    }

    init(base: Base, back: UInt64) {
        self.base = base
        self.back = back
    }

    /// Reads a position.
    ///
    /// - Throws: `invalidPosition`, with what was expected. - Complexity: O(length).
    public init(_ text: String) throws(DatabaseError) {
        var parser = LogPositionParser(text)
        self = try parser.position()
    }
}

extension LogPosition: CustomStringConvertible {
    /// The position in its shortest form; reading that gives the same position.
    public var description: String {
        let start =
            switch base {
            case .newest: "@"
            case .number(let number): number.description
            case .time(let time): "@{\(time)}"
            case .tag(let name): name.description
            }
        return back == 0 ? start : "\(start)~\(back)"
    }
}

/// Parses positions that a user typed.
struct LogPositionParser {
    private let text: String
    private var rest: Substring.UTF8View

    init(_ text: String) {
        self.text = text
        rest = text[...].utf8
    }

    mutating func position() throws(DatabaseError) -> LogPosition {
        guard !text.isEmpty else { throw refuse("it is empty") }
        let base = try base()
        var back: UInt64 = 0
        while let sign = rest.popFirst() {
            let (sum, overflow) = back.addingReportingOverflow(try step(sign))
            guard !overflow, sum <= LogPosition.commitNumberMax else { throw refuse("no log is that long") }
            back = sum
        }
        return LogPosition(base: base, back: back)
    }

    private mutating func base() throws(DatabaseError) -> LogPosition.Base {
        guard rest.first == UInt8(ascii: "@") else {
            let end = rest.firstIndex { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "^") } ?? rest.endIndex
            let name = String(Substring(rest[..<end]))
            rest = rest[end...]
            if name.utf8.allSatisfy({ (0x30...0x39).contains($0) }), !name.isEmpty {
                return .number(CommitNumber(try number(name)))
            }
            guard let name = LogTag.Name(written: name) else {
                throw refuse("it is neither a number nor the name of a tag")
            }
            return .tag(name)
        }
        rest.removeFirst()
        guard rest.first == UInt8(ascii: "{") else { return .newest }
        guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else { throw refuse("the brace is not closed") }
        let time = String(Substring(rest[rest.index(after: rest.startIndex)..<end]))
        rest = rest[rest.index(after: end)...]
        return .time(try LogTime(time))
    }

    private mutating func step(_ sign: UInt8) throws(DatabaseError) -> UInt64 {
        let end = rest.firstIndex { !(0x30...0x39).contains($0) } ?? rest.endIndex
        let digits = String(Substring(rest[..<end]))
        switch sign {
        case UInt8(ascii: "~"):
            rest = rest[end...]
            return digits.isEmpty ? 1 : try number(digits)
        case UInt8(ascii: "^"):
            guard digits.isEmpty else { throw refuse("a commit has one before it, so ^ takes no number; ~ does") }
            return 1
        default: throw refuse("there is more text where it should end")
        }
    }

    private func number(_ digits: String) throws(DatabaseError) -> UInt64 {
        guard let number = UInt64(digits), number <= LogPosition.commitNumberMax else {
            throw refuse("no commit has a number that large")
        }
        return number
    }

    private func refuse(_ what: String) -> DatabaseError {
        DatabaseError(
            .invalidPosition,
            "\(quoted(text)) is not a position: \(what). Write 42, @ (the newest), @~3, @{10 minutes ago}, "
                + "@{2013-01-05 12:00} or a tag."
        )
    }
}

extension LogPosition {
    /// Far beyond what any program commits, and far enough from the end that numbers can be counted up.
    static let commitNumberMax = UInt64(Int64.max)
}

/// User input for a message, shortened.
func quoted(_ text: String) -> String {
    (text.count > 80 ? text.prefix(79) + "…" : text[...]).debugDescription
}
