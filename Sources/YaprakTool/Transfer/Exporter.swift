import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakLocks
import YaprakReplay

/// Writes records for other programs: a column for each field.
struct Exporter {
    let snapshot: Snapshot
    let condition: ReplayExpression?
    /// The columns to write; all there are if `nil`.
    let columns: [String]?

    private static let key = "$key", metadata = "$metadata", whole = "."

    /// Writes the records of a collection.
    /// - Returns: how many.
    @discardableResult
    func write(_ collection: String, _ format: OutputFormat, _ console: Console) throws -> Int {
        let records = snapshot.untyped(collection).lazy
            .filter { record in condition?.holds(for: record, in: snapshot) ?? true }
        var count = 0
        if columns == nil, format == .json || format == .ndjson {
            var rows = RowWriter(format, [], console)
            for record in records {
                try rows.write([], json: Self.nested(record))
                count += 1
                try checkInterruption(count)
            }
            try rows.finish()
            return count
        }
        let names = try columnNames(records, collection)
        var rows = try ColumnWriter(format, names, console)
        for record in records {
            let values = Self.values(of: record, withContainers: columns != nil)
            try rows.write(names.map { values[$0] ?? .null })
            count += 1
            try checkInterruption(count)
        }
        try rows.finish()
        return count
    }

    private func checkInterruption(_ count: Int) throws {
        if count % 256 == 0, Invocation.isInterrupted() { throw CancellationError() }
    }

    /// The columns that were asked for, or all in ascending order, the key first.
    private func columnNames(_ records: some Sequence<ReplayRecord>, _ collection: String) throws -> [String] {
        var known: Set<String> = [Self.key]
        for record in records { known.formUnion(Self.values(of: record, withContainers: columns != nil).keys) }
        guard let columns else {
            known.remove(Self.key)
            return [Self.key] + known.sorted()
        }
        if let absent = columns.first(where: { !known.contains($0) }), known.count > 1 {
            throw Failure(
                "notFound",
                "no record of \(collection.debugDescription) has a column \(absent.debugDescription); there are "
                    + "\(known.sorted().joined(separator: ", "))",
                place: .init(collection: collection), exitCode: 3)
        }
        return columns
    }

    // MARK: Records

    /// A record as one object, as it is.
    private static func nested(_ record: ReplayRecord) -> CBORValue {
        let object = record.object
        var pairs: [CBORValue.Pair] = [.init(.text(key), .text(record.key))]
        if let fields = object.map { pairs += fields } else { pairs.append(.init(.text(whole), object)) }
        if let metadata = record.metadata { pairs.append(.init(.text(Self.metadata), metadata)) }
        return .map(pairs)
    }

    /// A record by columns.
    private static func values(of record: ReplayRecord, withContainers: Bool) -> [String: CBORValue] {
        var cells: [String: CBORValue] = [:]
        let object = record.object
        if case .map(let fields) = object, !fields.isEmpty {
            flatten(fields, "", withContainers, 0, into: &cells)
        } else {
            cells[whole] = object
        }
        switch record.metadata {
        case .map(let fields)? where !fields.isEmpty: flatten(fields, metadata + ".", withContainers, 0, into: &cells)
        case let value?: cells[metadata] = value
        case nil: break
        }
        cells[key] = .text(record.key)
        return cells
    }

    private static func flatten(
        _ fields: [CBORValue.Pair], _ prefix: String, _ withContainers: Bool, _ level: Int,
        into cells: inout [String: CBORValue]
    ) {
        if level == DeepStack.levelsBefore {
            return DeepStack.run { flatten(fields, prefix, withContainers, level + 1, into: &cells) }
        }
        for field in fields {
            let name = prefix + component(field.key)
            if case .map(let inner) = field.value, !inner.isEmpty {
                flatten(inner, name + ".", withContainers, level + 1, into: &cells)
                if withContainers { cells[name] = field.value }
            } else {
                cells[name] = field.value
            }
        }
    }

    /// A field's part of a column's name: in brackets if a dot in it could be taken for another field's.
    private static func component(_ key: CBORValue) -> String {
        guard let text = key.text else { return "[\(key)]" }
        let isPlain = !text.isEmpty && !text.hasPrefix("$") && !text.contains { $0 == "." || $0 == "," || $0 == "[" }
        return isPlain ? text : "[\(CBORValue.text(text))]"
    }
}

/// Prints rows of columns, CSV for machines with the bytes that are stored.
private struct ColumnWriter {
    private var rows: RowWriter?
    private let console: Console
    private let isJSON: Bool

    init(_ format: OutputFormat, _ names: [String], _ console: Console) throws {
        self.console = console
        isJSON = format == .json || format == .ndjson
        // On a terminal nothing stored may speak to it; elsewhere a line break in a text is a line break.
        if format == .csv, !console.isTerminal {
            rows = nil
            try console.out.write(CSV.line(names))
        } else {
            rows = RowWriter(format, names.map { Column(name: $0) }, console)
        }
    }

    mutating func write(_ cells: [CBORValue]) throws {
        guard rows == nil else {
            try rows?.write(isJSON ? cells : cells.map(Self.scalar))
            return
        }
        try console.out.write(CSV.line(cells.map { $0.isNull ? "" : $0.text ?? Self.text($0) }))
    }

    mutating func finish() throws { try rows?.finish() }

    private static func text(_ value: CBORValue) -> String {
        let json = value.json()
        // What JSON says as a text stands there without its quotes.
        guard json.hasPrefix("\""), let text = (try? CBORValue(json: json))?.text else { return json }
        return text
    }

    private static func scalar(_ value: CBORValue) -> CBORValue {
        switch value {
        case .array, .map, .bytes, .tag, .simple: .text(text(value))
        default: value
        }
    }
}
