import YaprakCore
public import YaprakModel

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

    /// What a tag may be called: 1 to 255 bytes of UTF-8 that no ``LogPosition`` or ``LogRange`` could read as something else.
    ///
    /// No number; no white space, no control or format characters; none of `@ ~ ^ { }` and no two dots in a row; no minus, plus
    /// or dot in front, and no dot at the end. Names are equal if they are equal in Swift, so `é` is one name however it was
    /// typed.
    public struct Name: Sendable, Hashable, Comparable, CustomStringConvertible {
        /// The name as text, in NFC.
        public let description: String

        /// A name; `nil` if a tag may not be called that. O(length).
        public init?(_ text: String) {
            self.init(written: text)
            if description.utf8.last == UInt8(ascii: ".") { return nil }
        }

        /// A name that a file of tags has: it may end with a dot, as names did once.
        package init?(written text: String) {
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
