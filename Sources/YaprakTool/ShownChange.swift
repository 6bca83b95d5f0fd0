import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

/// A change of one record with its values before and after, as verbs show it.
struct ShownChange {
    let collection: String
    let key: String
    let kinds: ChangeKinds
    let before: ReplayRecord?
    let after: ReplayRecord?

    /// What is otherwise in the record. Metadata is a field of its own.
    var fields: [FieldChange] {
        FieldChange.between(before?.object, after?.object)
            + FieldChange.between(before?.metadata, after?.metadata).map {
                FieldChange(path: "metadata" + Self.joint($0.path) + $0.path, before: $0.before, after: $0.after)
            }
    }

    private static func joint(_ path: String) -> String { path.isEmpty || path.hasPrefix("[") ? "" : "." }
}

extension ShownChange {
    init(_ change: ReplayChange) {
        self.init(
            collection: change.collection, key: change.key, kinds: change.kinds, before: change.before,
            after: change.after)
    }

    /// The changes of a commit: those that are named in the log, and of what was removed as a whole each record.
    static func of(_ step: ReplayStep, _ filter: ChangeFilter) -> [ShownChange] {
        var shown: [ShownChange] = []
        let commit = step.commit
        var cleared = commit.removesAll ? Set(step.before.collectionNames) : []
        for collection in commit.collections {
            if collection.removesAll { cleared.insert(collection.name) }
            let before = step.before.untyped(collection.name), after = step.after.untyped(collection.name)
            for change in collection.changes where filter.passes(collection.name, change.key) {
                shown.append(
                    ShownChange(
                        collection: collection.name, key: change.key, kinds: change.kinds, before: before[change.key],
                        after: after[change.key]))
            }
        }
        guard !cleared.isEmpty else { return shown }
        let named = Set(shown.map { [$0.collection, $0.key] })
        for change in step.changes
        where cleared.contains(change.collection) && !named.contains([change.collection, change.key])
            && filter.passes(change.collection, change.key)
        {
            shown.append(ShownChange(change))
        }
        return shown
    }

    /// The change in JSON: `{"collection", "key", "kinds", "before", "after", …}`.
    var json: CBORValue {
        var pairs: [CBORValue.Pair] = [
            .init("collection", .text(collection)), .init("key", .text(key)),
            .init("kinds", .array(kinds.words.map { .text($0) })),
        ]
        if let before { pairs.append(.init("before", before.object)) }
        if let metadata = before?.metadata { pairs.append(.init("metadataBefore", metadata)) }
        if let after { pairs.append(.init("after", after.object)) }
        if let metadata = after?.metadata { pairs.append(.init("metadataAfter", metadata)) }
        return .map(pairs)
    }
}

/// Prints changes field by field.
///
///     books
///       ~ dune
///           rank: 3 → 1
///       + ulysses
///           rank: 9
///           title: "Ulysses"
struct PatchPrinter {
    let console: Console

    /// Prints changes; those of one collection stand together.
    func write(_ changes: [ShownChange], indent: String) throws {
        var collection: String?
        for change in changes {
            if change.collection != collection {
                try line(indent, console.paint(change.collection.plain, .info))
                collection = change.collection
            }
            try write(change, indent: indent + "  ")
        }
    }

    private func write(_ change: ShownChange, indent: String) throws {
        let sign = change.kinds.sign
        try line(indent, console.paint("\(sign) \(change.key.plain)", Self.color(sign)))
        try writeFields(of: change, indent: indent + "    ")
    }

    /// Prints the fields of one record.
    func writeFields(of change: ShownChange, indent: String) throws {
        for field in lines(of: change) { try line(indent, field) }
    }

    /// What becomes of the fields: a record that came or went has them all.
    private func lines(of change: ShownChange) -> [String] {
        change.fields.flatMap { field in
            // A record that came or went is one field; its own fields are easier to read.
            if field.path.isEmpty, let map = (field.before ?? field.after)?.map,
                field.before == nil || field.after == nil
            {
                return map.map { pair in
                    let value = pair.value.diagnostic()
                    return paint(change.kinds.sign, "\(Self.name(pair.key)): \(value)")
                }
            }
            let name = field.path.isEmpty ? "" : "\(field.path.plain): "
            switch (field.before?.diagnostic(), field.after?.diagnostic()) {
            case (let before?, let after?): return [name + before + console.paint(" → ", .faint) + after]
            case (let before?, nil): return [paint("-", "- " + name + before)]
            case (nil, let after?): return [paint("+", "+ " + name + after)]
            case (nil, nil): return []
            }
        }
    }

    private func paint(_ sign: Character, _ text: String) -> String {
        sign == "~" ? text : console.paint(text, Self.color(sign))
    }

    private static func name(_ key: CBORValue) -> String { key.text?.plain ?? key.diagnostic() }

    static func color(_ sign: Character) -> Console.Color { sign == "+" ? .good : sign == "-" ? .bad : .warning }

    private func line(_ start: String, _ text: String) throws { try console.out.write(start + text + "\n") }
}

/// How many records came, changed, went, in one collection.
struct ChangeCounts {
    var inserted = 0, changed = 0, removed = 0, touched = 0

    var total: Int { inserted + changed + removed + touched }

    mutating func add(_ kinds: ChangeKinds) {
        switch kinds.sign {
        case "+": inserted += 1
        case "-": removed += 1
        case "~": changed += 1
        default: touched += 1
        }
    }
}

/// Prints a line for each collection, as `git log --stat` does for files.
///
///     books   3 +~~
///     orders  1 -
///     2 collections, 4 records: 1 inserted, 2 changed, 1 removed
struct StatPrinter {
    let console: Console

    func write(_ counts: [(collection: String, counts: ChangeCounts)], indent: String) throws {
        guard !counts.isEmpty else { return }
        let nameWidth = min(40, counts.reduce(0) { max($0, $1.collection.plain.columns) })
        let most = counts.reduce(1) { max($0, $1.counts.total) }
        let numberWidth = String(most).count
        let room = max(10, console.width - indent.count - nameWidth - numberWidth - 4)
        for (collection, counts) in counts {
            let name = collection.plain.cut(to: nameWidth).padded(to: nameWidth)
            let number = String(counts.total).padded(to: numberWidth, leading: true)
            try console.out.write(
                "\(indent)\(name)  \(number) \(bar(counts, scale: min(1, Double(room) / Double(most))))\n")
        }
        try console.out.write(indent + summary(counts) + "\n")
    }

    private func bar(_ counts: ChangeCounts, scale: Double) -> String {
        let parts: [(Int, Character)] = [
            (counts.inserted, "+"), (counts.changed, "~"), (counts.removed, "-"), (counts.touched, "!"),
        ]
        return parts.map { count, sign in
            // What is there is seen, however little it is beside the rest.
            let width = count == 0 ? 0 : max(1, Int(Double(count) * scale))
            return width == 0
                ? "" : console.paint(String(repeating: sign, count: width), PatchPrinter.color(sign))
        }
        .joined()
    }

    private func summary(_ counts: [(collection: String, counts: ChangeCounts)]) -> String {
        var sum = ChangeCounts()
        for (_, part) in counts {
            sum.inserted += part.inserted
            sum.changed += part.changed
            sum.removed += part.removed
            sum.touched += part.touched
        }
        let parts = [
            (sum.inserted, "inserted"), (sum.changed, "changed"), (sum.removed, "removed"), (sum.touched, "touched"),
        ]
        let named = parts.filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }.joined(separator: ", ")
        let collections = "\(counts.count) collection\(counts.count == 1 ? "" : "s")"
        return "\(collections), \(sum.total.grouped) record\(sum.total == 1 ? "" : "s"): \(named)"
    }
}
