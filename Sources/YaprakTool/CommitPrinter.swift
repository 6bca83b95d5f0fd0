import ToolSupport
import Yaprak
import YaprakReplay

/// Prints commits, a line each or in full.
///
///     commit 42  2026-11-20T23:15:04.170Z  board
///       info {"minute": 135}
///       flights
///         + UA1545-01-EWR-IAH  {"carrier": "UA", "number": 1545, …
struct CommitPrinter {
    let format: OutputFormat
    let isOneLine: Bool
    let console: Console
    private var rows: RowWriter
    private var count = 0

    init(format: OutputFormat, isOneLine: Bool, console: Console) {
        self.format = format
        self.isOneLine = isOneLine
        self.console = console
        let columns =
            isOneLine
            ? [
                Column(name: "commit", isNumber: true), Column(name: "time"), Column(name: "origin"),
                Column(name: "changes"), Column(name: "info"),
            ]
            : [
                Column(name: "commit", isNumber: true), Column(name: "time"), Column(name: "origin"),
                Column(name: "collection"), Column(name: "key"), Column(name: "change"), Column(name: "object"),
            ]
        rows = RowWriter(format, columns, console)
    }

    /// Prints a commit.
    mutating func write(_ shown: ShownCommit) throws {
        let commit = shown.commit
        let time = commit.nanosecondsSince1970.isoTime
        if isOneLine {
            try rows.write(
                [
                    .number(commit.commitNumber), .text(time), .text(commit.origin), .text(Self.summary(of: shown)),
                    commit.info ?? .null,
                ])
        } else if format == .table {
            try writeFull(shown, time)
        } else if format == .csv || format == .markdown {
            try writeChanges(shown, time)
        } else {
            try rows.write([], json: Self.json(of: shown, time))
        }
        count += 1
    }

    /// Ends the output.
    mutating func finish() throws {
        if isOneLine || format != .table { try rows.finish() }
    }

    /// `flights +1 ~2 -1, clock ~1`.
    static func summary(of shown: ShownCommit) -> String {
        let parts = shown.collections.map { collection in
            var counts: [Character: Int] = [:]
            for change in collection.changes { counts[change.kinds.sign, default: 0] += 1 }
            let signs = "+~-!".compactMap { sign in counts[sign].map { "\(sign)\($0)" } }
            return ([collection.name] + (collection.removesAll ? ["-all"] : []) + signs).joined(separator: " ")
        }
        return ((shown.commit.removesAll ? ["-everything"] : []) + parts).joined(separator: ", ")
    }

    // MARK: In full

    private func writeFull(_ shown: ShownCommit, _ time: String) throws {
        let commit = shown.commit
        if count > 0 { try console.out.write("\n") }
        let head = console.paint("commit \(commit.commitNumber)", .strong)
        try console.out.write("\(head)  \(time)\(commit.origin.isEmpty ? "" : "  ")\(commit.origin.plain)\n")
        if let info = commit.info { try line("  info ", info.cell(columnsMax: console.width)) }
        if commit.removesAll { try line("  ", "- everything") }
        for collection in shown.collections {
            try line("  ", console.paint(collection.name.plain, .info))
            if collection.removesAll { try line("    ", "- all records") }
            let width = collection.changes.reduce(0) { max($0, $1.key.plain.columns) }
            for change in collection.changes { try write(change, keyWidth: min(width, 32)) }
        }
    }

    private func write(_ change: ReplayCommit.Change, keyWidth: Int) throws {
        let sign = change.kinds.sign
        let color: Console.Color = sign == "+" ? .good : sign == "-" ? .bad : .warning
        let key = change.key.plain
        let room = max(20, console.width - max(keyWidth, key.columns) - 8)
        var text = ""
        if let object = try change.object() { text += "  " + object.cell(columnsMax: room).cut(to: room) }
        if let metadata = try change.metadata() {
            text += "  metadata " + metadata.cell(columnsMax: room).cut(to: room)
        }
        let shown = text.isEmpty ? key : key.padded(to: keyWidth)
        try console.out.write("    " + console.paint("\(sign) \(shown)", color) + text + "\n")
    }

    private func line(_ start: String, _ text: String) throws { try console.out.write(start + text + "\n") }

    private mutating func writeChanges(_ shown: ShownCommit, _ time: String) throws {
        for collection in shown.collections {
            for change in collection.changes {
                try rows.write(
                    [
                        .number(shown.commit.commitNumber), .text(time), .text(shown.commit.origin),
                        .text(collection.name),
                        .text(change.key), .text(change.kinds.words.joined(separator: " ")),
                        try change.object() ?? .null,
                    ])
            }
        }
    }

    static func json(of shown: ShownCommit, _ time: String) throws -> CBORValue {
        let commit = shown.commit
        var pairs: [CBORValue.Pair] = [.init("commit", .number(commit.commitNumber)), .init("time", .text(time))]
        if !commit.origin.isEmpty { pairs.append(.init("origin", .text(commit.origin))) }
        if let info = commit.info { pairs.append(.init("info", info)) }
        if commit.removesAll { pairs.append(.init("removesAll", true)) }
        var changes: [CBORValue] = []
        for collection in shown.collections {
            if collection.removesAll {
                changes.append(["collection": .text(collection.name), "kinds": ["removedAll"]])
            }
            for change in collection.changes { changes.append(try json(of: change, in: collection.name)) }
        }
        pairs.append(.init("changes", .array(changes)))
        return .map(pairs)
    }

    private static func json(of change: ReplayCommit.Change, in collection: String) throws -> CBORValue {
        var pairs: [CBORValue.Pair] = [
            .init("collection", .text(collection)), .init("key", .text(change.key)),
            .init("kinds", .array(change.kinds.words.map { .text($0) })),
        ]
        if let object = try change.object() { pairs.append(.init("object", object)) }
        if let metadata = try change.metadata() { pairs.append(.init("metadata", metadata)) }
        return .map(pairs)
    }
}

extension ChangeKinds {
    /// `+` inserted, `-` removed, `~` changed, `!` touched.
    var sign: Character {
        if contains(.inserted) { return "+" }
        if contains(.removed) { return "-" }
        return isDisjoint(with: [.objectChanged, .metadataChanged]) ? "!" : "~"
    }

    /// The names of the kinds.
    var words: [String] {
        let names: [(ChangeKinds, String)] = [
            (.inserted, "inserted"), (.removed, "removed"), (.objectChanged, "objectChanged"),
            (.metadataChanged, "metadataChanged"), (.objectTouched, "objectTouched"),
            (.metadataTouched, "metadataTouched"),
        ]
        return names.filter { contains($0.0) }.map(\.1)
    }
}
