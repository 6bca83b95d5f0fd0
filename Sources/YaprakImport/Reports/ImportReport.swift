/// What an import found and did.
public struct ImportReport: Sendable, Hashable {
    /// What was found and done of one collection.
    public struct Collection: Sendable, Hashable {
        /// Its name in the file.
        public let name: String
        /// Its name in the database; `nil` if it was skipped.
        public let target: String?
        /// The rows that were read.
        public internal(set) var rows = 0
        /// Those whose records are new in the database.
        public internal(set) var inserted = 0
        /// Those that replaced a record.
        public internal(set) var replaced = 0
        /// Those whose keys the database had already, and that were left as they are.
        public internal(set) var unchanged = 0
        /// Those that are not in the database, each with a note.
        public internal(set) var leftOut = 0
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
    public let total: Int?
    /// Whether all rows were read. An import that was ended by its progress is run again, and goes on.
    public internal(set) var isComplete = false
    /// The commits that were made.
    public internal(set) var commits = 0
    /// The first notes; each was handed over as it came.
    public internal(set) var notes: [ImportNote] = []
    /// How many notes there were.
    public internal(set) var noteCount = 0

    /// How many notes a report keeps.
    public static let notesMax = 1000

    /// The rows that were read.
    public var rows: Int { collections.reduce(0) { $0 + $1.rows } }
    /// Those whose records are new in the database.
    public var inserted: Int { collections.reduce(0) { $0 + $1.inserted } }
    /// Those that replaced a record.
    public var replaced: Int { collections.reduce(0) { $0 + $1.replaced } }
    /// Those that the database had already.
    public var unchanged: Int { collections.reduce(0) { $0 + $1.unchanged } }
    /// Places of the file that are damaged: a row in each, or several.
    public internal(set) var unread = 0
    /// What is not in the database, and was not to be left out: rows with a note, and damaged places.
    public var leftOut: Int { collections.reduce(unread) { $0 + $1.leftOut } }

    init(total: Int?) { self.total = total }

    mutating func add(_ note: ImportNote) {
        noteCount += 1
        if notes.count < Self.notesMax { notes.append(note) }
    }
}
