import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

/// Prints what happens in a list, a line for each change, until Ctrl-C.
struct ListChangePrinter {
    private var rows: RowWriter
    private let update: ListUpdate<StoredView>
    private let isMixed: Bool

    init(_ format: OutputFormat, _ update: ListUpdate<StoredView>, _ console: Console) {
        self.update = update
        isMixed = update.new[update.mappings.view].collectionNames.count > 1
        var columns = [Column(name: "change"), Column(name: "from"), Column(name: "to"), Column(name: "group")]
        if isMixed { columns.append(Column(name: "collection")) }
        columns += [Column(name: "key"), Column(name: "what")]
        rows = RowWriter(format, columns, console)
    }

    /// All rows are others, or can't be compared: there is no change of one.
    mutating func writeReload() throws {
        let cells = [CBORValue.text("reload")] + Array(repeating: .text(""), count: isMixed ? 6 : 5)
        try rows.write(cells, json: ["change": "reload"])
    }

    mutating func write(_ change: SectionChange) throws {
        let word =
            switch change.kind {
            case .delete: "delete section"
            case .insert: "insert section"
            case .move: "move section"
            }
        var pairs: [CBORValue.Pair] = [.init("change", .text(word)), .init("group", .text(change.group))]
        if let source = change.source { pairs.append(.init("from", .count(source))) }
        if let target = change.target { pairs.append(.init("to", .count(target))) }
        let cells: [CBORValue] =
            [
                .text(word), .text(change.source?.description ?? ""), .text(change.target?.description ?? ""),
                .text(change.group),
            ] + Array(repeating: .text(""), count: isMixed ? 3 : 2)
        try rows.write(cells, json: .map(pairs))
        try rows.endIfInterrupted()
    }

    mutating func write(_ change: RowChange) throws {
        let word =
            switch change.kind {
            case .delete: "delete"
            case .insert: "insert"
            case .move: "move"
            case .update: "update"
            }
        let group = change.group == change.oldGroup ? change.group : "\(change.oldGroup) → \(change.group)"
        var cells: [CBORValue] = [
            .text(word), .text(change.source?.description ?? ""), .text(change.target?.description ?? ""), .text(group),
        ]
        if isMixed { cells.append(.text(change.collectionName)) }
        cells += [.text(change.key), .text(change.aspects.words.joined(separator: ", "))]
        var pairs: [CBORValue.Pair] = [
            .init("change", .text(word)), .init("collection", .text(change.collectionName)),
            .init("key", .text(change.key)), .init("group", .text(change.group)),
        ]
        if change.oldGroup != change.group { pairs.append(.init("oldGroup", .text(change.oldGroup))) }
        if let source = change.source { pairs.append(.init("from", source.json)) }
        if let target = change.target { pairs.append(.init("to", target.json)) }
        if !change.aspects.isEmpty { pairs.append(.init("what", .array(change.aspects.words.map { .text($0) }))) }
        try rows.write(cells, json: .map(pairs))
        try rows.endIfInterrupted()
    }

    mutating func finish() throws { try rows.finish() }
}

extension ListPath {
    fileprivate var json: CBORValue { .array([.count(section), .count(row)]) }
}

extension RowAspects {
    /// The names of the aspects.
    fileprivate var words: [String] {
        let all: [(RowAspects, String)] = [
            (.object, "object"), (.metadata, "metadata"), (.touch, "touch"), (.dependency, "dependency"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}
