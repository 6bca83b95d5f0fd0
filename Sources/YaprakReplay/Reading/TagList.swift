import YaprakModel
import YaprakStorage

/// The file of tags: lines of a name, a space, a number. See the page on the format.
struct TagList {
    private var numbers: [LogTag.Name: CommitNumber] = [:]

    init(_ bytes: [UInt8]) throws(DatabaseError) {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw Self.damage("it is not UTF-8") }
        // Bytes, not characters: some letters are one character with the space behind them.
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
        where !line.isEmpty {
            let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = LogTag.Name(written: String(decoding: parts[0], as: UTF8.self)),
                parts[1].allSatisfy({ (0x30...0x39).contains($0) }),
                let number = UInt64(String(decoding: parts[1], as: UTF8.self)), number <= LogPosition.commitNumberMax
            else { throw Self.damage("line \(index + 1) is not a name, a space and a number") }
            guard numbers.updateValue(CommitNumber(number), forKey: name) == nil else {
                throw Self.damage("line \(index + 1) has a name that another line has")
            }
        }
    }

    var tags: [LogTag] { numbers.map { LogTag(name: $0, number: $1) }.sorted { $0.name < $1.name } }

    subscript(name: LogTag.Name) -> CommitNumber? { numbers[name] }

    mutating func set(_ name: LogTag.Name, to number: CommitNumber?) -> CommitNumber? {
        let before = numbers[name]
        numbers[name] = number
        return before
    }

    func encoded() throws(DatabaseError) -> [UInt8] {
        let bytes = tags.flatMap { Array("\($0.name) \($0.number)\n".utf8) }
        guard bytes.count <= StoreReader.tagFileBytesMax else {
            throw DatabaseError(
                .overLimit, "The tags don't fit into \(StoreReader.tagFileBytesMax) bytes. Delete some first.")
        }
        return bytes
    }

    private static func damage(_ what: String) -> DatabaseError {
        DatabaseError(
            .corruptTags, "The file of tags is damaged: \(what). Correct it with a text editor, or remove it.",
            place: .init(file: StoreReader.tagFileName))
    }
}
