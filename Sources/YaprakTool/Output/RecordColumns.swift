import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakLocks
import YaprakReplay

/// Records by columns: one for each field, the key first.
struct RecordColumns {
    /// The columns to write; all there are if `nil`.
    let columns: [String]?

    static let key = "$key", metadata = "$metadata", whole = "."

    /// Writes records, which are walked twice: once for the names of the columns.
    /// - Returns: how many.
    /// - Throws: `notFound` if no record has a column that was asked for.
    @discardableResult
    func write(
        _ records: some Sequence<ReplayRecord>, of collection: String? = nil, _ format: OutputFormat, _ console: Console
    ) throws -> Int {
        let (names, texts) = try names(of: records, collection)
        var rows = RowWriter(
            format, names.map { Column(name: $0, isNumber: !texts.contains($0), isKept: columns != nil) }, console,
            isExact: true)
        // In tables and Markdown, too, what has parts is JSON, as a program would read it.
        let isForPeople = format == .table || format == .markdown
        var count = 0
        for record in records {
            let values = Self.values(of: record, withContainers: columns != nil)
            try rows.write(
                names.map { name in isForPeople ? Self.scalar(values[name] ?? .null) : values[name] ?? .null })
            count += 1
            if count % 256 == 0, Invocation.isInterrupted() { throw CancellationError() }
        }
        try rows.finish()
        return count
    }

    private static func scalar(_ value: CBORValue) -> CBORValue {
        switch value {
        case .array, .map, .bytes, .tag, .simple: .text(CSV.text(value))
        default: value
        }
    }

    /// The columns that were asked for, or all in ascending order, the key first; and those that have other values than numbers.
    private func names(
        of records: some Sequence<ReplayRecord>, _ collection: String?
    ) throws -> (names: [String], texts: Set<String>) {
        var known: Set<String> = [Self.key], texts = known
        for record in records {
            for (name, value) in Self.values(of: record, withContainers: columns != nil) {
                known.insert(name)
                switch value {
                case .unsigned, .negative, .float, .null, .undefined: break
                default: texts.insert(name)
                }
            }
        }
        guard let columns else {
            known.remove(Self.key)
            return ([Self.key] + known.sorted(), texts)
        }
        if let absent = columns.first(where: { !known.contains($0) }), known.count > 1 {
            throw Failure(
                "notFound",
                "no record of \((collection ?? "").debugDescription) has a column \(absent.debugDescription)",
                place: .init(collection: collection), exitCode: 3,
                hint: Suggestion.sentence(for: absent, among: known)
                    ?? "There are \(known.sorted().joined(separator: ", ")).")
        }
        return (columns, texts)
    }

    // MARK: Records

    /// A record as one object, as it is.
    static func nested(_ record: ReplayRecord) -> CBORValue {
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
