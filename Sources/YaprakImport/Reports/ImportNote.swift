import YaprakModel

/// What became of a row that could not be imported as it is; or what else an import does not do.
public struct ImportNote: Sendable, Hashable, CustomStringConvertible {
    /// What was done. The set is open: later versions may add to it.
    public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name.
        public let rawValue: String
        /// A kind with this name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The stable name.
        public var description: String { rawValue }

        /// The row is in the database, its object or its metadata as a byte string.
        public static let keptAsBytes = Self(rawValue: "keptAsBytes")
        /// The row is not in the database.
        public static let leftOut = Self(rawValue: "leftOut")
        /// The row, or its collection, is in the database under another name.
        public static let renamed = Self(rawValue: "renamed")
        /// The program reads a collection in which the file has no row, and says nothing of another one that the file has.
        public static let unmatched = Self(rawValue: "unmatched")
    }

    /// What was done.
    public let kind: Kind
    /// The row, if its number is known.
    public let rowID: Int64?
    /// The name of its collection in the file, if it is known; the beginning of one that is longer than a key may be.
    public let collectionName: String?
    /// Its key in the file, if it is known; the beginning of one that is longer than a key may be.
    public let key: String?
    /// What was found: a clause without a period, and without the values that an error holds; the beginning of one that is
    /// longer than a key may be.
    public let reason: String

    init(_ kind: Kind, _ reason: String, rowID: Int64? = nil, collectionName: String? = nil, key: String? = nil) {
        self.kind = kind
        self.reason = Self.beginning(of: reason)
        self.rowID = rowID
        self.collectionName = collectionName.map { Self.beginning(of: $0) }
        self.key = key.map { Self.beginning(of: $0) }
    }

    /// A text, or so much of it as a key may have: notes are kept, and in a file of another's each may be of many megabytes.
    static func beginning(of text: String, bytes most: Int = DatabaseLimits().keyBytesMax) -> String {
        guard text.utf8.count > most else { return text }
        var scalars = text[..<text.utf8.index(text.startIndex, offsetBy: most)].unicodeScalars
        // The last one may have been cut.
        scalars.removeLast()
        return String(scalars) + "…"
    }

    /// One line: the place, and what was found.
    public var description: String {
        var place: [String] = []
        if let rowID { place.append("row \(rowID)") }
        if let collectionName { place.append("collection \(collectionName.debugDescription)") }
        if let key { place.append("key \(key.debugDescription)") }
        return place.isEmpty ? reason : "\(place.joined(separator: ", ")): \(reason)"
    }
}
