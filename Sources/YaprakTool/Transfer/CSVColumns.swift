import ToolSupport
import Yaprak
import YaprakCBOR

/// The columns of CSV as a tree of fields, from which rows become objects.
///
///     id,size.w,size.h           id    size
///                                     ╱    ╲
///                                    w      h
///
/// A row costs its cells and the fields around them, however many columns there are: a first line of another's may name 65,536,
/// and lines of one cell may follow.
final class CSVColumns {
    /// A field, and what the row at hand has of it: a value, or fields within it.
    private struct Field {
        let key: CBORValue
        /// The number of the field that it is in, which is smaller than its own.
        let parent: Int
        var value: CBORValue?
        var parts: [Int] = []
    }

    /// What leads from a field to one within it.
    private struct Edge: Hashable {
        let parent: Int
        let key: CBORValue
    }

    /// By their numbers; 0 is the object itself.
    private var fields = [Field(key: .null, parent: 0)]
    /// The field of each column.
    private var columns: [Int] = []
    /// What the columns are called, no more of it than a message needs.
    private let names: [String]
    /// The fields that the row at hand has something of.
    private var used: [Int] = []

    /// - Parameters:
    ///   - head: the names of the columns.
    ///   - fieldsMax: how many fields there may be, with those that they are in, of all columns together.
    /// - Throws: ``InputError`` for a name that can't be read, and for too many fields. - Complexity: O(length of the names).
    init(_ head: [CSVReader.Cell], fieldsMax: Int = 1 << 20) throws(InputError) {
        names = head.map { String($0.text.prefix(80)).cut(to: 40) }
        var numbers: [Edge: Int] = [:]
        for cell in head {
            var number = 0
            for key in try CSVColumn(cell.text).path {
                let edge = Edge(parent: number, key: key)
                if let known = numbers[edge] {
                    number = known
                    continue
                }
                guard fields.count < fieldsMax else {
                    throw InputError("the columns are nested too deep: they have more than \(fieldsMax) fields")
                }
                fields.append(Field(key: key, parent: number))
                number = fields.count - 1
                numbers[edge] = number
            }
            columns.append(number)
        }
    }

    /// A row as an object. An empty cell without quotes is no field.
    func value(of row: [CSVReader.Cell]) -> Result<CBORValue, InputError> {
        guard row.count <= columns.count else {
            return .failure(
                InputError(
                    "the row has \(row.count.counted("cell")), and the first line names "
                        + columns.count.counted("column")))
        }
        defer { forget() }
        for (column, cell) in row.enumerated() {
            guard let value = Self.value(of: cell) else { continue }
            if let other = put(value, at: columns[column]) { return .failure(collision(of: column, with: other)) }
        }
        return .success(object())
    }

    /// Why a column and the field of one before it can't both have a value.
    private func collision(of column: Int, with field: Int) -> InputError {
        let name = names[column], other = columns.firstIndex(of: field).map { names[$0] } ?? name
        return InputError(
            field == columns[column]
                ? "two columns are called \(name), and both have a value in this row: leave one empty, or rename one"
                : "the columns \(other) and \(name) both have a value in this row, and one of them is a field within the "
                    + "other: leave one empty, or rename one")
    }

    /// Gives a field its value. If it has something already, or is within one that has a value: the number of what is in the way.
    private func put(_ value: CBORValue, at number: Int) -> Int? {
        guard fields[number].value == nil else { return number }
        guard fields[number].parts.isEmpty else {
            var inner = number
            while let part = fields[inner].parts.first { inner = part }
            return inner
        }
        fields[number].value = value
        used.append(number)
        var number = number
        while number != 0 {
            let parent = fields[number].parent
            guard fields[parent].value == nil else { return parent }
            fields[parent].parts.append(number)
            // It is part of those around it already.
            if fields[parent].parts.count > 1 { return nil }
            used.append(parent)
            number = parent
        }
        return nil
    }

    /// The object, made from the inside outwards: what is within a field has a greater number.
    private func object() -> CBORValue {
        for number in used.sorted(by: >) where !fields[number].parts.isEmpty {
            fields[number].value = .map(fields[number].parts.map { .init(fields[$0].key, fields[$0].value ?? .null) })
        }
        return fields[0].value ?? .map([])
    }

    private func forget() {
        for number in used {
            fields[number].value = nil
            fields[number].parts.removeAll(keepingCapacity: true)
        }
        used.removeAll(keepingCapacity: true)
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
