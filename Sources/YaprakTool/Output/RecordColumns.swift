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
        // A column may have been asked for twice.
        let places = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        let order = names.map { places[$0] ?? 0 }
        var values = [CBORValue](repeating: .null, count: names.count)
        for record in records {
            for index in values.indices { values[index] = .null }
            Self.visitValues(of: record, withContainers: columns != nil) { name, value in
                if let place = places[name] { values[place] = isForPeople ? Self.scalar(value) : value }
            }
            let row = order.map { values[$0] }
            try rows.write(row)
            count += 1
            if count % 256 == 0, Invocation.isInterrupted() { break }
        }
        // Also where it is interrupted: what was printed is JSON, where that is the format.
        try rows.finish()
        try Self.checkInterruption()
        return count
    }

    /// A walk over records that is interrupted ends as if there were no more.
    private static func checkInterruption() throws { if Invocation.isInterrupted() { throw CancellationError() } }

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
        // Whether a column has other values than numbers.
        var isText = [Self.key: true]
        for record in records {
            Self.visitValues(of: record, withContainers: columns != nil) { name, value in
                let known = isText[name]
                if known == true { return }
                switch value {
                case .unsigned, .negative, .float, .null, .undefined: if known == nil { isText[name] = false }
                default: isText[name] = true
                }
            }
        }
        var known = Set(isText.keys)
        let texts = Set(isText.filter(\.value).keys)
        try Self.checkInterruption()
        guard let columns else {
            known.remove(Self.key)
            return ([Self.key] + known.sorted(), texts)
        }
        // A person may have put a space behind a comma. It may be the name's, too.
        let wanted = columns.map { known.contains($0) ? $0 : ColumnList.trimmed($0) }
        if let absent = wanted.first(where: { !known.contains($0) }), known.count > 1 {
            throw Failure(
                "notFound",
                "no record of \((collection ?? "").debugDescription) has a column \(absent.debugDescription)",
                place: .init(collectionName: collection), exitCode: 3,
                hint: Suggestion.sentence(for: absent, among: known)
                    ?? "There are \(Suggestion.list(known.sorted(), isQuoted: false)).")
        }
        return (wanted, texts)
    }

    // MARK: Records

    /// A record as one object, as it is.
    static func nested(_ record: ReplayRecord) -> CBORValue {
        let object = record.object
        var pairs: [CBORValue.Pair] = [.init(.text(key), .text(record.key))]
        if let fields = object.map, !hasNameOfPart(fields) {
            pairs += fields
        } else {
            pairs.append(.init(.text(whole), object))
        }
        if let metadata = record.metadata { pairs.append(.init(.text(Self.metadata), metadata)) }
        return .map(pairs)
    }

    /// Whether a field has the name of another part of a record: such an object stands in one piece where one without fields
    /// does, so that neither is taken for the other.
    private static func hasNameOfPart(_ fields: [CBORValue.Pair]) -> Bool {
        // Asked of each record: no values are made to compare with.
        fields.contains { field in
            guard let name = field.key.text else { return false }
            return name == key || name == metadata || name == whole
        }
    }

    /// Calls a closure with the values of a record by columns, the key last: the last one of a name counts.
    private static func visitValues(
        of record: ReplayRecord, withContainers: Bool, _ body: (String, CBORValue) -> Void
    ) {
        let object = record.object
        if case .map(let fields) = object, !fields.isEmpty {
            let isWhole = hasNameOfPart(fields)
            if isWhole { body(whole, object) }
            if !isWhole || withContainers {
                DeepStack.run(if: object.isDeep) { flatten(fields, "", withContainers, body) }
            }
        } else {
            body(whole, object)
        }
        switch record.metadata {
        case .map(let fields)? where !fields.isEmpty:
            DeepStack.run(if: record.metadata?.isDeep ?? false) {
                flatten(fields, metadata + ".", withContainers, body)
            }
        case let value?: body(metadata, value)
        case nil: break
        }
        body(key, .text(record.key))
    }

    private static func flatten(
        _ fields: [CBORValue.Pair], _ prefix: String, _ withContainers: Bool,
        _ body: (String, CBORValue) -> Void
    ) {
        for field in fields {
            let part = component(field.key), name = prefix.isEmpty ? part : prefix + part
            if case .map(let inner) = field.value, !inner.isEmpty {
                flatten(inner, name + ".", withContainers, body)
                if withContainers { body(name, field.value) }
            } else {
                body(name, field.value)
            }
        }
    }

    /// A field's part of a column's name: in brackets if a dot in it could be taken for another field's, or if nothing of it
    /// can be seen.
    private static func component(_ key: CBORValue) -> String {
        guard let text = key.text else { return "[\(key)]" }
        let isPlain =
            text.contains { !$0.isWhitespace } && text.utf8.first != UInt8(ascii: "$")
            && !text.utf8.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "[") }
        return isPlain ? text : "[\(CBORValue.text(text))]"
    }
}
