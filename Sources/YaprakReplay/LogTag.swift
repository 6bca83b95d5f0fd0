import YaprakCore
public import YaprakModel
import YaprakStorage

/// A name for a commit, kept beside the log.
///
///     try reader.setTag(LogTag.Name("before-import")!, to: 42)
///     let number = try reader.commitNumber(at: LogPosition("before-import~1"))
///
/// Tags are in one text file of the database's directory, `tags`. The engine never reads it: a database without it, or
/// with a damaged one, opens as ever.
public struct LogTag: Sendable, Hashable {
    /// The name.
    public let name: Name
    /// The commit it stands for.
    public let number: CommitNumber

    /// A tag.
    public init(name: Name, number: CommitNumber) {
        self.name = name
        self.number = number
    }

    /// What a tag may be called: 1 to 255 bytes of UTF-8 that no ``LogPosition`` or ``LogRange`` could mean otherwise.
    ///
    /// No number; no white space and no control characters; none of `@ ~ ^ { }` and no two dots in a row; no minus, plus
    /// or dot in front. Names are equal if they are equal in Swift, so `é` is one name however it was typed.
    public struct Name: Sendable, Hashable, Comparable, CustomStringConvertible {
        /// The name as text, in NFC.
        public let description: String

        /// A name; `nil` if a tag may not be called that. O(length).
        public init?(_ text: String) {
            // Bytes, not characters: a mark behind a sign makes another character of it, and the same byte.
            let name = RecordKey.normalized(text), bytes = name.utf8
            guard let first = bytes.first, bytes.count <= 255, !"-+.".utf8.contains(first),
                !bytes.allSatisfy({ (0x30...0x39).contains($0) }),
                !zip(bytes, bytes.dropFirst()).contains(where: { $0 == UInt8(ascii: ".") && $0 == $1 }),
                name.unicodeScalars.allSatisfy(Self.isAllowed)
            else { return nil }
            description = name
        }

        /// Orders names as Swift orders strings.
        public static func < (a: Self, b: Self) -> Bool { a.description < b.description }

        private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: false
            default: !"@~^{}".unicodeScalars.contains(scalar)
            }
        }
    }
}

extension ReplayReader {
    /// The tags there are, in the order of their names.
    ///
    /// - Throws: `corruptTags` if the file of tags is not in its form; `permissionDenied`, `ioFailed`.
    /// - Complexity: O(*n* log *n*).
    public func tags() throws(DatabaseError) -> [LogTag] {
        guard let bytes = try store.tagFile() else { return [] }
        return try TagList(bytes).tags
    }

    /// Gives a commit a name; one that has the name already loses it.
    ///
    /// Writes the file of tags anew and puts it in the place of the old one in one step; nothing else of the database is
    /// touched, so a program may be writing meanwhile.
    /// - Returns: the commit that had the name before.
    /// - Throws: `alreadyOpen` if tags are being written elsewhere; `corruptTags`, `overLimit`, `permissionDenied`,
    ///   `diskFull`, `writeFailed`. The tags are then as before.
    /// - Complexity: O(*n* log *n*).
    @discardableResult
    public func setTag(_ name: LogTag.Name, to number: CommitNumber) throws(DatabaseError) -> CommitNumber? {
        var before: CommitNumber?
        try store.editTagFile { bytes throws(DatabaseError) in
            var list = try TagList(bytes ?? [])
            before = list.set(name, to: number)
            bytes = try list.encoded()
        }
        return before
    }

    /// Takes a name away.
    ///
    /// - Returns: the commit it stood for; `nil` if there is no such tag.
    /// - Throws: as ``setTag(_:to:)``. - Complexity: O(*n* log *n*).
    @discardableResult
    public func removeTag(_ name: LogTag.Name) throws(DatabaseError) -> CommitNumber? {
        var before: CommitNumber?
        try store.editTagFile { bytes throws(DatabaseError) in
            guard let old = bytes else { return }
            var list = try TagList(old)
            before = list.set(name, to: nil)
            bytes = before == nil ? nil : try list.encoded()
        }
        return before
    }
}

/// The file of tags: lines of a name, a space, a number. See the page on the format.
struct TagList {
    private var numbers: [LogTag.Name: CommitNumber] = [:]

    init(_ bytes: [UInt8]) throws(DatabaseError) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Self.damage("it is not UTF-8") }
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        where !line.isEmpty {
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 2, let name = LogTag.Name(String(parts[0])),
                parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(parts[1]),
                number <= LogPosition.commitNumberMax
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
