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
        case rows(CSVReader, CSVColumns)
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
            reader = .rows(rows, try CSVColumns(head))
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
                return Item(number: rows.line, value: columns.value(of: row))
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
