import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

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
    /// About how many bytes of the fields of each record are printed; the rest of the fields is counted.
    var fieldBytesMax = Int.max

    /// Prints changes; those of one collection stand together.
    /// - Throws: ``Interrupted`` if `isInterrupted` is true, which is asked now and then.
    func write(_ changes: [ShownChange], indent: String, unless isInterrupted: () -> Bool = { false }) throws {
        var collection: String?
        for (index, change) in changes.enumerated() {
            if index % 256 == 255, isInterrupted() { throw Interrupted() }
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
        var bytes = 0, more = 0
        for field in change.fields {
            guard bytes <= fieldBytesMax else {
                more += 1
                continue
            }
            for text in lines(of: field, change.kinds.sign) {
                try line(indent, text)
                bytes += text.utf8.count
            }
        }
        if more > 0 { try line(indent, console.paint("… and \(more.grouped) more \(more.word("field"))", .faint)) }
    }

    /// What becomes of a field. A record that came or went is one field; its own fields are easier to read.
    private func lines(of field: FieldChange, _ sign: Character) -> [String] {
        let path = field.path
        if path.isEmpty, let map = (field.before ?? field.after)?.map, field.before == nil || field.after == nil {
            return map.map { pair in paint(sign, "\(Self.name(pair.key)): \(pair.value.diagnostic())") }
        }
        let name = path.isEmpty ? "" : "\(path.plain): "
        switch (field.before?.diagnostic(), field.after?.diagnostic()) {
        case (let before?, let after?): return [name + before + console.paint(" → ", .faint) + after]
        case (let before?, nil): return [paint("-", "- " + name + before)]
        case (nil, let after?): return [paint("+", "+ " + name + after)]
        case (nil, nil): return []
        }
    }

    private func paint(_ sign: Character, _ text: String) -> String {
        sign == "~" ? text : console.paint(text, Self.color(sign))
    }

    private static func name(_ key: CBORValue) -> String { key.text?.plain ?? key.diagnostic() }

    static func color(_ sign: Character) -> Console.Color { sign == "+" ? .good : sign == "-" ? .bad : .warning }

    private func line(_ start: String, _ text: String) throws { try console.out.write(start + text + "\n") }
}
