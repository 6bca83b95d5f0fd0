/// What an import found and did.
public struct ImportReport: Sendable, Hashable {
    /// What was found and done of one collection.
    public struct Collection: Sendable, Hashable {
        /// Its name in the file.
        public let name: String
        /// Its name in the database; `nil` if it was skipped.
        public let target: String?
        /// The rows that were read.
        public internal(set) var rowCount = 0
        /// Those whose records are new in the database.
        public internal(set) var insertedCount = 0
        /// Those that replaced a record.
        public internal(set) var replacedCount = 0
        /// Those whose keys the database had already, and that were left as they are.
        public internal(set) var unchangedCount = 0
        /// Those that are not in the database, each with a note.
        public internal(set) var leftOutCount = 0
        /// How many objects have which form.
        public internal(set) var forms: [StoredValue.Form: Int] = [:]
        /// How many rows have metadata of which form.
        public internal(set) var metadataForms: [StoredValue.Form: Int] = [:]

        init(name: String, target: String?) {
            self.name = name
            self.target = target
        }
    }

    /// The collections, by name.
    public internal(set) var collections: [Collection] = []
    /// How many rows the file says it has; `nil` if it is damaged and can't say.
    public let totalRowCount: Int?
    /// Whether all rows were read. An import that was ended by its progress is run again, and goes on.
    public internal(set) var isComplete = false
    /// The commits that were made.
    public internal(set) var commitCount = 0
    /// The first notes; each was handed over as it came.
    public internal(set) var notes: [ImportNote] = []
    /// How many notes there were.
    public internal(set) var noteCount = 0

    /// How many notes a report keeps.
    public static let notesMax = 1000

    /// The rows that were read.
    public var rowCount: Int { collections.reduce(0) { $0 + $1.rowCount } }
    /// Those whose records are new in the database.
    public var insertedCount: Int { collections.reduce(0) { $0 + $1.insertedCount } }
    /// Those that replaced a record.
    public var replacedCount: Int { collections.reduce(0) { $0 + $1.replacedCount } }
    /// Those that the database had already.
    public var unchangedCount: Int { collections.reduce(0) { $0 + $1.unchangedCount } }
    /// Places of the file that are damaged: a row in each, or several.
    public internal(set) var unreadPlaceCount = 0
    /// What is not in the database, and was not to be left out: rows with a note, and damaged places.
    public var leftOutCount: Int { collections.reduce(unreadPlaceCount) { $0 + $1.leftOutCount } }

    init(totalRowCount: Int?) { self.totalRowCount = totalRowCount }

    mutating func add(_ note: ImportNote) {
        noteCount += 1
        if notes.count < Self.notesMax { notes.append(note) }
    }
}
