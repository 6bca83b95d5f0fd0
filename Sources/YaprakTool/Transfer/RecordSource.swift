import ToolSupport
import YaprakCBOR

/// Records of a file in one of the forms that can be loaded, one after the other.
///
///     let source = try RecordSource(ByteSource("cities.csv"), .csv, separator: ",")
///     while let item = try source.next() { print(item.place, try item.value.get()) }
final class RecordSource {
    /// The forms.
    enum Form: String, CaseIterable {
        case ndjson, json, csv
    }

    /// What stands where a record should be: its value, or what is wrong with it.
    struct Item {
        /// The number of its line, or of its place in an array.
        let number: Int
        let value: Result<CBORValue, InputError>
    }

    private enum Reader {
        case lines(LineReader)
        case items(JSONItemReader)
        case rows(CSVReader, [CSVColumn])
    }

    private let reader: Reader
    let form: Form

    /// - Throws: `Errno`; ``InputError`` for a head of CSV that names no columns.
    init(_ bytes: ByteSource, _ form: Form, separator: UInt8) throws {
        self.form = form
        switch form {
        case .ndjson: reader = .lines(LineReader(bytes))
        case .json: reader = .items(JSONItemReader(bytes))
        case .csv:
            let rows = CSVReader(bytes, separator: separator)
            let first: [CSVReader.Cell]?
            do { first = try rows.next() } catch let error as RowError { throw InputError(error.description) }
            guard let head = first else { throw InputError("the file is empty: it has no names of columns") }
            reader = .rows(rows, try head.map { cell throws(InputError) in try CSVColumn(cell.text) })
        }
    }

    /// The form of a file: by its name's ending, else by its first character.
    static func form(of path: String, _ bytes: ByteSource) throws -> Form {
        let name = unpackedName(path)
        if name.hasSuffix(".csv") || name.hasSuffix(".tsv") { return .csv }
        if name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") { return .ndjson }
        let first = try bytes.peek().first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
        return first == UInt8(ascii: "[") ? .json : .ndjson
    }

    /// Whether a file has tabs between its cells, by its name's ending.
    static func hasTabs(_ path: String) -> Bool { unpackedName(path).hasSuffix(".tsv") }

    private static func unpackedName(_ path: String) -> String {
        let name = path.lowercased()
        return name.hasSuffix(".lz4") ? String(name.dropLast(4)) : name
    }

    var progress: (done: Int, total: Int?) {
        switch reader {
        case .lines(let lines): lines.progress
        case .items(let items): items.progress
        case .rows(let rows, _): rows.progress
        }
    }

    /// What a number of an item counts.
    var unit: String { form == .json ? "item" : "line" }

    /// The next record; `nil` behind the last.
    /// - Throws: what ends the reading of the file.
    func next() throws -> Item? {
        switch reader {
        case .lines(let lines):
            while let line = try lines.next() {
                if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
                return Item(number: lines.number, value: Self.value(of: line))
            }
            return nil
        case .items(let items):
            guard let bytes = try items.next() else { return nil }
            return Item(number: items.number, value: Self.value(of: bytes))
        case .rows(let rows, let columns):
            do {
                guard let row = try rows.next() else { return nil }
                return Item(number: rows.line, value: CSVColumn.value(of: row, columns))
            } catch let error as RowError {
                return Item(number: rows.line, value: .failure(InputError(error.description)))
            }
        }
    }

    private static func value(of bytes: ArraySlice<UInt8>) -> Result<CBORValue, InputError> {
        do { return .success(try CBORValue(json: bytes)) } catch {
            return .failure(InputError(error.offset.map { "\(error.message), at byte \($0)" } ?? error.message))
        }
    }
}

/// A column of CSV: which field of a record its cells are.
///
///     address.city      the field city of the field address
///     ["a.b"]           the field a.b
///     .                 the object itself, if it has no fields
struct CSVColumn {
    private let path: [CBORValue]

    /// - Throws: ``InputError`` for a name that can't be read.
    init(_ name: String) throws(InputError) {
        guard !name.isEmpty else { throw InputError("a column has no name") }
        if name == "." {
            path = []
            return
        }
        // By scalars: a combining mark may follow a dot or a bracket.
        var path: [CBORValue] = [], rest = Substring(name).unicodeScalars
        while !rest.isEmpty {
            guard path.count < CBORItem.depthMax else {
                throw InputError("a column is nested too deep: \(CBORItem.depthMax) levels are allowed")
            }
            if rest.first == "[" {
                guard let (key, end) = Self.bracketed(rest) else {
                    // A name of another program's, taken as it is.
                    self.path = [.text(name)]
                    return
                }
                path.append(key)
                rest = rest[end...]
            } else {
                let end = rest.firstIndex { $0 == "." || $0 == "[" } ?? rest.endIndex
                path.append(.text(String(rest[..<end])))
                rest = rest[end...]
            }
            if rest.first == ".", !rest.dropFirst().isEmpty {
                rest = rest.dropFirst()
            } else if !rest.isEmpty, rest.first != "[" {
                self.path = [.text(name)]
                return
            }
        }
        self.path = path
    }

    /// A key in brackets, in JSON, and where it ends.
    private static func bracketed(_ text: Substring.UnicodeScalarView) -> (CBORValue, Substring.Index)? {
        for end in text.indices where text[end] == "]" {
            let inner = text[text.index(after: text.startIndex)..<end]
            if let key = try? CBORValue(json: String(inner)) { return (key, text.index(after: end)) }
        }
        return nil
    }

    /// A row as an object. An empty cell without quotes is no field.
    static func value(of row: [CSVReader.Cell], _ columns: [CSVColumn]) -> Result<CBORValue, InputError> {
        guard row.count <= columns.count else {
            return .failure(
                InputError("the row has \(row.count) cells, and the first line names \(columns.count) columns"))
        }
        var object = CBORValue.map([])
        for (cell, column) in zip(row, columns) {
            guard let value = value(of: cell) else { continue }
            if column.path.isEmpty {
                object.set([.text(".")], value)
            } else if !object.set(column.path[...], value) {
                return .failure(InputError("a column is within another one that has a value in this row"))
            }
        }
        return .success(object)
    }

    /// What a cell is: without quotes a number, a truth value, null or an array, as JSON has them; otherwise a text. A text that
    /// reads like one of those is in quotes; one that reads like an array or an object is a text of JSON in them.
    private static func value(of cell: CSVReader.Cell) -> CBORValue? {
        if cell.text.isEmpty { return cell.isQuoted ? .text("") : nil }
        let first = cell.text.utf8.first ?? 0
        let mayBeJSON =
            cell.isQuoted
            ? [UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "\"")].contains(first)
            : first < 0x80 && (CharacterSet.json.contains(first) || (0x30...0x39).contains(first))
        guard mayBeJSON, let value = try? CBORValue(json: cell.text) else { return .text(cell.text) }
        if !cell.isQuoted, case .text = value { return .text(cell.text) }
        return value
    }

    private enum CharacterSet {
        /// How a number, a truth value, null, an array and an object begin.
        static let json = Set("-tfn[{".utf8)
    }
}

extension CBORValue {
    /// Sets a field by its path; `false` if something on the way is no map.
    @discardableResult
    fileprivate mutating func set(_ path: ArraySlice<CBORValue>, _ value: CBORValue) -> Bool {
        guard case .map(var pairs) = self, let key = path.first else { return false }
        let index = pairs.firstIndex { $0.key == key }
        if path.count == 1 {
            if index != nil { return false }
            pairs.append(.init(key, value))
        } else {
            var inner = index.map { pairs[$0].value } ?? .map([])
            guard inner.set(path.dropFirst(), value) else { return false }
            if let index { pairs[index] = .init(key, inner) } else { pairs.append(.init(key, inner)) }
        }
        self = .map(pairs)
        return true
    }
}
