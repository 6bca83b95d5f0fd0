import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

/// Prints what a revert writes, or would write.
struct RevertPrinter {
    let format: OutputFormat
    let console: Console
    /// Whether conflicts are written, too.
    let force: Bool

    func write(_ revert: ReplayRevert) throws {
        if format == .table { return try writePatch(revert) }
        var rows = RowWriter(
            format,
            [
                Column(name: "change"), Column(name: "collection"), Column(name: "key"), Column(name: "now"),
                Column(name: "then"),
            ], console)
        for change in revert.changes {
            let word =
                change.isConflict && !force
                ? "conflict" : change.then == nil ? "remove" : change.now == nil ? "insert" : "replace"
            try rows.write(
                [.text(word), .text(change.collectionName), .text(change.key), value(change.now), value(change.then)],
                json: json(change, word))
        }
        try rows.finish()
    }

    /// Field by field: the value now, and the value it will have.
    private func writePatch(_ revert: ReplayRevert) throws {
        let conflicts = force ? [] : revert.conflicts
        let printer = PatchPrinter(console: console)
        if !conflicts.isEmpty {
            try console.out.write(console.paint("changed since", .bad) + "\n")
            try printer.write(conflicts.map { ShownChange($0.change) }, indent: "  ")
            if conflicts.count == revert.changes.count { return }
            try console.out.write("as the commits left it\n")
        }
        let others = revert.changes.filter { force || !$0.isConflict }
        try printer.write(others.map { ShownChange($0.change) }, indent: conflicts.isEmpty ? "" : "  ")
    }

    private func value(_ record: ReplayRecord?) -> CBORValue { record?.object ?? .null }

    private func json(_ change: ReplayRevert.Change, _ word: String) -> CBORValue {
        var pairs: [CBORValue.Pair] = [
            .init("change", .text(word)), .init("collection", .text(change.collectionName)),
            .init("key", .text(change.key)),
        ]
        for (name, record) in [("now", change.now), ("left", change.left), ("then", change.then)] {
            guard name != "left" || change.isConflict else { continue }
            pairs.append(.init(.text(name), record.map(json) ?? .null))
        }
        return .map(pairs)
    }

    private func json(_ record: ReplayRecord) -> CBORValue {
        var pairs: [CBORValue.Pair] = [.init("object", record.object)]
        if let metadata = record.metadata { pairs.append(.init("metadata", metadata)) }
        return .map(pairs)
    }
}
