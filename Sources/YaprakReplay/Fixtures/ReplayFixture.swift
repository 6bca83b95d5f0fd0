import YaprakCBOR
public import YaprakCore
public import YaprakModel

/// A commit and the records before it, as text that a test can carry with it.
///
///     let fixture = try ReplayFixture(text)
///     let database = fixture.database()               // as it was before the commit
///     try await database.bind(.books)                 // so that the commit goes through the program's types
///     try await fixture.play(in: database)
///     #expect(database.snapshot.digest == "fcdbe10cf006a307")
///
/// The text is a dump (``ReplayDump``), and behind it the commit: a line that says when, by whom and with what info it was
/// made, and a line for each record it changed. `yaprak export-test` writes it into a Swift file.
public struct ReplayFixture: Sendable {
    /// The text: lines of JSON.
    public let text: String
    /// The commit.
    public let commitNumber: CommitNumber
    /// When it was made: nanoseconds since 1970.
    public let nanosecondsSince1970: Int64
    /// Who made it.
    public let origin: String

    private let info: [UInt8]?
    private let removesAll: Bool
    private let records: [ReplayDumpRecord]
    private let changes: [FixtureChange]

    // MARK: Reading

    /// Reads a fixture.
    ///
    /// - Throws: `invalidDump` with the line, also for a text that was cut short; `newerFormat`. - Complexity: O(length).
    public init(_ text: String) throws(DatabaseError) {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { Array($0)[...] }
        guard let first = lines.first else { throw .dump("there is no line in it") }
        let header = try ReplayDumpHeader(first)
        var records: [ReplayDumpRecord] = [], changes: [FixtureChange] = []
        var commit: CBORValue?
        for (index, line) in lines.enumerated().dropFirst() {
            do throws(DatabaseError) {
                if commit != nil {
                    changes.append(try FixtureChange(line))
                } else if let head = try? CBORValue(json: line), head["yaprak"] == "commit" {
                    commit = head
                } else {
                    records.append(try ReplayDumpRecord(line))
                }
            } catch {
                throw .dump("line \(index + 1): \(error.message)")
            }
        }
        guard let commit, commit["version"] == .integer(Int64(ReplayDump.version)),
            case .unsigned(let number)? = commit["commit"], let time = commit["time"]?.integer,
            header.commitNumber.rawValue < number, header.commitNumber.rawValue == number - 1
        else { throw .dump("there is no line that says which commit follows, or it is not the one after the records") }
        guard commit["changes"] == .integer(Int64(changes.count)) else {
            let follow = changes.count == 1 ? "1 change follows" : "\(changes.count.grouped) changes follow"
            throw .dump("\(follow), and the line of the commit promises others")
        }
        var keys: [String: Set<String>] = [:]
        for record in records { keys[record.collectionName, default: []].insert(record.key) }
        try header.check(keys.mapValues(\.count))
        commitNumber = CommitNumber(number)
        nanosecondsSince1970 = time
        origin = commit["origin"]?.text ?? ""
        removesAll = commit["removesAll"] == true
        do {
            info = try commit["info"].map { json throws(CBORError) in try DumpNotation.item(of: json) }
        } catch {
            throw .dump("the info of the commit: \(error)")
        }
        self.text = text
        self.records = records
        self.changes = changes
    }

    // MARK: Playing

    /// A database in memory with the records before the commit, as of the commit before it.
    ///
    /// Its collections have no types yet: bind those that the test reads. Its clock stands at the time of the commit.
    /// - Complexity: O(number of records).
    public func database(checkingCoding: Bool = false) -> Database {
        var collections = RecordsByCollection()
        for record in records { collections.append(record) }
        var options = DatabaseOptions()
        let time = nanosecondsSince1970
        options.clock = { time }
        return Database.inMemory(
            collections.all, at: CommitNumber(commitNumber.rawValue - 1), checkingCoding: checkingCoding,
            options: options)
    }

    /// Makes the commit in a database again: origin, info, every change, removals of everything, touches.
    ///
    /// - Throws: `undecodableRecord`, `migrationFailed` where a record does not fit the type that is bound; what an
    ///   extension throws; as `write`.
    public nonisolated(nonsending) func play(in database: Database) async throws {
        try await database.write(origin: origin) { transaction in
            if removesAll { transaction.removeAll() }
            for change in changes { try change.apply(to: &transaction) }
            if let info { transaction.setInfo(encoded: info) }
        }
    }
}

/// One line of the commit.
private enum FixtureChange: Sendable {
    case removeAll(collection: String)
    case remove(key: String, collection: String)
    case touch(key: String, collection: String, ChangeKinds)
    case put(ReplayDumpRecord, ChangeKinds)

    init(_ line: ArraySlice<UInt8>) throws(DatabaseError) {
        let json: CBORValue
        do { json = try CBORValue(json: line) } catch { throw .dump("\(error)") }
        guard let collection = json["collection"]?.text else { throw .dump("a change has a collection") }
        if json["removesAll"] == true {
            self = .removeAll(collection: collection)
            return
        }
        guard let key = json["key"]?.text, let words = json["kinds"]?.array else {
            throw .dump("a change has a key and kinds")
        }
        let kinds = ChangeKinds(words: words.map { $0.text ?? "" })
        if kinds.contains(.removed) {
            self = .remove(key: key, collection: collection)
        } else if json["object"] == nil {
            guard kinds.isDisjoint(with: [.inserted, .objectChanged]) else {
                throw .dump("a change that inserts or replaces an object has one")
            }
            self = .touch(key: key, collection: collection, kinds)
        } else {
            self = .put(try ReplayDumpRecord(json), kinds)
        }
    }

    func apply(to transaction: inout WriteTransaction) throws {
        switch self {
        case .removeAll(let name): transaction.removeAll(inCollectionNamed: name)
        case .remove(let key, let name): transaction.removeUntyped(key, inCollectionNamed: name)
        case .touch(let key, let name, let kinds): transaction.touchUntyped(key, kinds, inCollectionNamed: name)
        case .put(let record, let kinds):
            try transaction.put(
                object: record.object[...], metadata: record.metadata.map { $0[...] }, version: record.version,
                for: record.key, inCollectionNamed: record.collectionName, reporting: kinds)
        }
    }
}
