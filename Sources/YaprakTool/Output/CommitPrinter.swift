import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

/// Prints commits: a line each, in full, with counts, or field by field.
///
///     commit 42  2026-11-20T23:15:04.170Z  board
///       info {"minute": 135}
///       flights
///         + UA1545-01-EWR-IAH  {"carrier": "UA", "number": 1545, …
struct CommitPrinter {
    let format: OutputFormat
    let isOneLine: Bool
    let showsStat: Bool
    let showsPatch: Bool
    /// The tags of each commit that has any.
    let tags: [CommitNumber: [String]]
    let console: Console
    private var rows: RowWriter
    private var count = 0

    init(
        format: OutputFormat, isOneLine: Bool, showsStat: Bool = false, showsPatch: Bool = false,
        tags: [CommitNumber: [String]] = [:], console: Console
    ) {
        self.format = format
        self.isOneLine = isOneLine
        self.showsStat = showsStat
        self.showsPatch = showsPatch
        self.tags = tags
        self.console = console
        let start = [Column(name: "commit", isNumber: true)] + Column.time + [Column(name: "origin")]
        let rest =
            if isOneLine {
                ["tags", "changes", "info"].map { Column(name: $0) }
            } else if showsPatch {
                ["collection", "key", "change", "field", "before", "after"].map { Column(name: $0) }
            } else if showsStat {
                [Column(name: "collection")]
                    + ["inserted", "changed", "removed", "touched"].map { Column(name: $0, isNumber: true) }
            } else {
                ["collection", "key", "change", "object"].map { Column(name: $0) }
            }
        rows = RowWriter(format, start + rest, console)
    }

    /// Prints a commit. With a patch its changes have to come with it.
    mutating func write(_ shown: ShownCommit) throws {
        let commit = shown.commit
        if isOneLine {
            let names = tags[commit.commitNumber] ?? []
            try rows.write(Self.line(of: shown, names), json: .map(Self.lineMembers(of: shown, names)))
        } else if format == .table {
            try writeFull(shown)
        } else if format == .csv || format == .markdown {
            try writeRows(shown)
        } else {
            var json = Self.head(of: shown, hasStat: showsStat)
            if let tags = tags[commit.commitNumber] {
                json.insert(.init("tags", .array(tags.map { .text($0) })), at: 1)
            }
            if showsStat, shown.changes == nil {
                try rows.write([], json: .map(json))
            } else {
                try rows.write(json, listing: "changes") { try Self.forEachChange(of: shown, $0) }
            }
        }
        count += 1
    }

    /// Prints rows that wait for others, because others may not come soon.
    mutating func settle() throws { try rows.settle() }

    /// Ends the output.
    mutating func finish() throws {
        if isOneLine || format != .table { try rows.finish() }
    }

    private static func start(of commit: ReplayCommit) -> [CBORValue] {
        [
            .number(commit.commitNumber), .text(commit.isoTime), .integer(commit.nanosecondsSince1970),
            .text(commit.origin),
        ]
    }

    private static func line(of shown: ShownCommit, _ names: [String]) -> [CBORValue] {
        start(of: shown.commit) + [
            names.isEmpty ? .null : .text(names.joined(separator: ", ")), .text(summary(of: shown)),
            shown.commit.info ?? .null,
        ]
    }

    private static func lineMembers(of shown: ShownCommit, _ names: [String]) -> [CBORValue.Pair] {
        let commit = shown.commit
        var pairs: [CBORValue.Pair] = [.init("commit", .number(commit.commitNumber))] + commit.timeMembers
        pairs.append(.init("origin", .text(commit.origin)))
        if !names.isEmpty { pairs.append(.init("tags", .array(names.map { .text($0) }))) }
        pairs.append(.init("changes", .text(summary(of: shown))))
        pairs.append(.init("info", commit.info ?? .null))
        return pairs
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

    private func writeFull(_ shown: ShownCommit) throws {
        let commit = shown.commit
        if count > 0 { try console.out.write("\n") }
        let named = tags[commit.commitNumber].map { " (" + $0.map(\.plain).joined(separator: ", ") + ")" } ?? ""
        let head = console.paint("commit \(commit.commitNumber)", .strong) + console.paint(named, .warning)
        let time = commit.isoTime
        try console.out.write("\(head)  \(time)\(commit.origin.isEmpty ? "" : "  ")\(commit.origin.plain)\n")
        if let info = commit.info { try line("  info ", info.cell(columnsMax: console.width)) }
        if commit.removesAll { try line("  ", "- everything") }
        if showsStat || showsPatch {
            for collection in shown.collections where collection.removesAll {
                try line("  ", "- all records of \(collection.name.plain)")
            }
        }
        if showsStat {
            // What a line above says of all records of a collection needs no row of zeros.
            let counts = shown.counts.filter { $0.counts.total > 0 || !$0.counts.removesAll }
            try StatPrinter(console: console).write(counts, indent: "  ")
        }
        if showsPatch {
            try PatchPrinter(console: console).write(shown.changes ?? [], indent: "  ")
        }
        guard !showsStat, !showsPatch else { return }
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

    private mutating func writeRows(_ shown: ShownCommit) throws {
        let start = Self.start(of: shown.commit)
        if showsPatch {
            for change in shown.changes ?? [] { try change.write(to: &rows, format, after: start) }
        } else if showsStat {
            // How many went with all of a collection only a replay knows.
            let zero = CBORValue.count(0)
            if shown.commit.removesAll { try rows.write(start + [.null, zero, zero, "all", zero]) }
            for (collection, counts) in shown.counts
            where counts.total > 0 || !counts.removesAll || !shown.commit.removesAll {
                let removed = counts.removesAll && !shown.commit.removesAll ? "all" : CBORValue.count(counts.removed)
                try rows.write(
                    start + [
                        .text(collection), .count(counts.inserted), .count(counts.changed), removed,
                        .count(counts.touched),
                    ])
            }
        } else {
            if shown.commit.removesAll { try rows.write(start + [.null, .null, "removedAll", .null]) }
            for collection in shown.collections {
                if collection.removesAll, !shown.commit.removesAll {
                    try rows.write(start + [.text(collection.name), .null, "removedAll", .null])
                }
                for change in collection.changes {
                    let kinds = change.kinds.words.joined(separator: " ")
                    try rows.write(
                        start + [
                            .text(collection.name), .text(change.key), .text(kinds), try change.object() ?? .null,
                        ])
                }
            }
        }
    }

    /// The members of a commit in JSON.
    static func members(of shown: ShownCommit) throws -> [CBORValue.Pair] {
        var changes: [CBORValue] = []
        try forEachChange(of: shown) { changes.append($0) }
        return head(of: shown, hasStat: false) + [.init("changes", .array(changes))]
    }

    /// The members before the changes.
    private static func head(of shown: ShownCommit, hasStat: Bool) -> [CBORValue.Pair] {
        let commit = shown.commit
        var pairs: [CBORValue.Pair] = [.init("commit", .number(commit.commitNumber))] + commit.timeMembers
        if !commit.origin.isEmpty { pairs.append(.init("origin", .text(commit.origin))) }
        if let info = commit.info { pairs.append(.init("info", info)) }
        if commit.removesAll { pairs.append(.init("removesAll", true)) }
        if hasStat { pairs.append(.init("stat", .array(shown.counts.map { json(of: $0.counts, in: $0.collection) }))) }
        return pairs
    }

    /// The changes in JSON, one after the other: there may be millions.
    private static func forEachChange(of shown: ShownCommit, _ body: (CBORValue) throws -> Void) throws {
        for collection in shown.collections where collection.removesAll {
            try body(["collection": .text(collection.name), "kinds": ["removedAll"]])
        }
        if let changes = shown.changes {
            for change in changes { try body(change.json) }
        } else {
            for collection in shown.collections {
                for change in collection.changes { try body(json(of: change, in: collection.name)) }
            }
        }
    }

    private static func json(of counts: ChangeCounts, in collection: String) -> CBORValue {
        var pairs: [CBORValue.Pair] = [.init("collection", .text(collection))]
        if counts.removesAll { pairs.append(.init("removesAll", true)) }
        pairs += [
            .init("inserted", .count(counts.inserted)), .init("changed", .count(counts.changed)),
            .init("removed", .count(counts.removed)), .init("touched", .count(counts.touched)),
        ]
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
