import ArgumentParser
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct GrepCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grep", abstract: "Finds the commits that added or removed a text.",
        usage: "yaprak grep <database> <pattern> [<range>] [<options>]",
        discussion: """
            Looks at what each commit changed: keys, the fields that came (+), went (-) or are another value now (-, then +), \
            origins and attached values. The newest commit comes first. The pattern is a regular expression, as Swift has them; \
            --fixed takes it as it is. `yaprak search` looks at the records of one commit instead. Exit code 1 means that \
            nothing was found.

              yaprak grep world.yaprak 'N6[0-9]+JB'
              yaprak grep world.yaprak cancelled --field status --since yesterday --fixed
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Argument(help: "The regular expression to find.")
    var pattern: String

    @Argument(
        help: "Which commits: a..b (after a, up to b), a.., ..b or b; all by default.", completion: .position,
        transform: LogRange.argument)
    var range: LogRange?

    @Flag(name: [.customShort("F"), .long], help: "The pattern is a text, not a regular expression.")
    var fixed = false

    @Flag(name: .shortAndLong, help: "Ignore case.")
    var ignoreCase = false

    @Option(help: "Only this field and the fields inside it.")
    var field: String?

    @Option(
        name: [.customShort("n", allowingJoined: true), .long],
        help: ArgumentHelp("At most this many lines.", valueName: "count"))
    var limit: Int?

    @Flag(help: "The oldest commit first.")
    var reverse = false

    @OptionGroup var filtering: FilterOptions
    @OptionGroup var bounds: BoundOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var paging: PagingOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit takes a count of 0 or more") }
        _ = try matcher()
    }

    private func matcher() throws -> TextMatcher {
        try TextMatcher(pattern, isFixed: fixed, ignoresCase: ignoreCase)
    }

    func run() async throws {
        let matcher = try matcher()
        let reader = try ReplayReader.open(database)
        let bounds = try bounds.bounds(in: reader), filter = filtering.filter
        var count = 0, last: CommitNumber?
        var asked = AskedCollection(filtering.collection)
        if let all = try reader.numbers(in: range ?? LogRange()), let numbers = bounds.clamp(all) {
            try reader.requireLog(from: numbers.lowerBound)
            last = numbers.upperBound
            let console = try paging.console(), format = output.format(on: console)
            var rows = RowWriter(
                format,
                [Column(name: "commit", isNumber: true)] + Column.time
                    + ["origin", "collection", "key", "field", "change", "value"].map { Column(name: $0) }, console)
            let walk = CommitWalk(
                reader: reader, first: numbers.lowerBound, last: numbers.upperBound, isBackwards: !reverse,
                hasValues: true)
            do {
                try await walk.run { commit, step in
                    guard let step else { return true }
                    asked.look(in: commit, step)
                    guard bounds.contains(commit) else { return true }
                    try Self.forEachFinding(in: commit, step, filter, field, matcher) { found in
                        if count == limit ?? .max { return false }
                        count += 1
                        try rows.write(
                            [
                                .number(commit.commitNumber), .text(commit.isoTime),
                                .integer(commit.nanosecondsSince1970),
                                .text(commit.origin), found.collection.map { .text($0) } ?? .null,
                                found.key.map { .text($0) } ?? .null, .text(found.field), .text(String(found.sign)),
                                found.value,
                            ])
                        return true
                    }
                    return count < limit ?? .max
                }
            } catch let interruption as Interrupted {
                try rows.finish()
                throw interruption
            }
            try rows.finish()
        } else {
            let console = try paging.console()
            if output.format(on: console) == .json { try console.out.write("[]\n") }
        }
        if count == 0 {
            try asked.require(in: reader, at: last)
            throw ExitCode(1)
        }
    }

    /// A place in a commit that matches.
    private struct Finding {
        var collection: String?
        var key: String?
        let field: String
        let sign: Character
        let value: CBORValue
    }

    /// Hands over what matches, until `body` returns `false`: of one commit it may be millions.
    private static func forEachFinding(
        in commit: ReplayCommit, _ step: ReplayStep, _ filter: ChangeFilter, _ field: String?, _ matcher: TextMatcher,
        _ body: (Finding) throws -> Bool
    ) throws {
        if filter.passesAll, field == nil {
            if matcher.matches(commit.origin) {
                guard try body(Finding(field: "origin", sign: "+", value: .text(commit.origin))) else { return }
            }
            if let info = commit.info {
                for leaf in FieldLeaves(of: info, in: FieldPath(["info"])) where matcher.matches(leaf.value) {
                    let found = Finding(field: leaf.path.description, sign: "+", value: leaf.value)
                    guard try body(found) else { return }
                }
            }
        }
        for change in ShownChange.of(step, filter) {
            func add(_ field: String, _ sign: Character, _ value: CBORValue) throws -> Bool {
                try body(
                    Finding(collection: change.collection, key: change.key, field: field, sign: sign, value: value))
            }
            let sign = change.kinds.sign
            if field == nil, sign == "+" || sign == "-", matcher.matches(change.key) {
                guard try add("$key", sign, .text(change.key)) else { return }
            }
            for part in change.fields {
                let sides: [(Character, CBORValue?)] = [("-", part.before), ("+", part.after)]
                for case (let sign, let value?) in sides {
                    for leaf in FieldLeaves(of: value, in: part.field)
                    where matcher.matches(leaf.value) && (field.map { FieldBlame.isWithin($0, leaf.path) } ?? true) {
                        guard try add(leaf.path.description, sign, leaf.value) else { return }
                    }
                }
            }
        }
    }
}

/// Whether a pattern is in a text: of characters, however they are spelled.
struct TextMatcher {
    /// What to look for byte by byte in a text of ASCII, where bytes are characters; `nil` for what needs the expression.
    private let text: String?
    // One thread at a time uses a command.
    private let regex: Regex<AnyRegexOutput>

    /// - Throws: `ValidationError` for a pattern that is none.
    init(_ pattern: String, isFixed: Bool, ignoresCase: Bool) throws {
        let isPlain = pattern.utf8.allSatisfy { Self.isAlone($0) && (isFixed || Self.isWordByte($0)) }
        text = isPlain && !ignoresCase ? pattern : nil
        do {
            let regex = isFixed ? Regex<AnyRegexOutput>(verbatim: pattern) : try Regex(pattern)
            self.regex = regex.ignoresCase(ignoresCase)
        } catch {
            throw ValidationError(
                "\(pattern.debugDescription) is not a regular expression. Add --fixed to search for it as text")
        }
    }

    func matches(_ candidate: String) -> Bool {
        if let text, candidate.utf8.allSatisfy({ $0 < 0x80 }) {
            return text.isEmpty || candidate.utf8.firstRange(of: text.utf8) != nil
        }
        return candidate.firstMatch(of: regex) != nil
    }

    /// A value as it is shown: texts without quotes.
    func matches(_ value: CBORValue) -> Bool { matches(value.text ?? value.diagnostic()) }

    /// Whether a byte is a character in each text of ASCII: CR and LF are one together.
    private static func isAlone(_ byte: UInt8) -> Bool {
        byte < 0x80 && byte != UInt8(ascii: "\r") && byte != UInt8(ascii: "\n")
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ")
            || (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
    }
}
