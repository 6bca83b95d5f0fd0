import ToolSupport
import Yaprak
import YaprakReplay

/// Loads a dump into a database, a batch per commit.
struct DumpLoader {
    let database: Database
    let header: ReplayDumpHeader
    /// Only this collection.
    var collection: String?
    /// How many records go into one commit; fewer if they are large.
    var batchCount = 1000
    /// Whether records that are not in the dump are removed.
    var replaces = false
    var isInterrupted: @Sendable () -> Bool = { false }
    /// After so many lines that made no commit the user is asked, and shown how far it is.
    static let linesUnasked = 1024

    /// What was done.
    struct Result: Sendable {
        var records = 0
        var inserted = 0
        var changed = 0
        var removed = 0
        var commits = 0
        var isInterrupted = false
        /// Whether the database now has just the records that the dump was made of.
        var isExact = false
        fileprivate var counts: [String: Int] = [:]
        fileprivate var keys: [String: Set<String>] = [:]
    }

    /// A record and the number of its line.
    private struct Line: Sendable {
        let record: ReplayDumpRecord
        let number: Int
    }

    /// Records for one commit.
    private struct Batch {
        let file: String
        private(set) var lines: [Line] = []
        private(set) var bytes = 0

        init(file: String) { self.file = file }

        mutating func append(_ record: ReplayDumpRecord, _ number: Int) {
            lines.append(Line(record: record, number: number))
            bytes += record.object.count + (record.metadata?.count ?? 0) + record.key.utf8.count
        }

        mutating func removeAll() {
            lines.removeAll(keepingCapacity: true)
            bytes = 0
        }
    }

    /// Loads the lines behind the first, and says in `result` what was done, also where it throws.
    /// - Throws: ``Failure`` with the line for what is no record of a dump or one that no database holds, and where records are
    ///   missing at the end; errors of reading and writing. What is before that line stays in the database; nothing is removed
    ///   then.
    func run(
        _ lines: LineReader, _ file: String, into result: inout Result, progress: (Result) -> Void = { _ in }
    ) async throws {
        var batch = Batch(file: file)
        while let line = try await next(lines, &batch, &result) {
            if lines.number.isMultiple(of: Self.linesUnasked) {
                progress(result)
                result.isInterrupted = isInterrupted()
                if result.isInterrupted { return try await commit(&batch, &result) }
            }
            if line.isEmpty { continue }
            let record: ReplayDumpRecord
            do {
                record = try ReplayDumpRecord(line)
            } catch {
                try await commit(&batch, &result)
                throw bad("line \(lines.number) of \(file): \(error.message)", file, lines.number, result)
            }
            result.counts[record.collectionName, default: 0] += 1
            if let collection, record.collectionName != collection { continue }
            if replaces { result.keys[record.collectionName, default: []].insert(record.key) }
            batch.append(record, lines.number)
            if batch.lines.count >= batchCount || batch.bytes >= Loader.batchBytesMax {
                try await commit(&batch, &result)
                progress(result)
                if isInterrupted() {
                    result.isInterrupted = true
                    return
                }
            }
        }
        try await commit(&batch, &result)
        for (name, count) in header.counts.sorted(by: { $0.key < $1.key })
        where result.counts[name] ?? 0 != count {
            throw bad(
                "the dump has \((result.counts[name] ?? 0).counted("record")) of \(name.debugDescription), and its "
                    + "first line promises \(count)",
                file, lines.number, result)
        }
        if replaces { try await removeOthers(&result) }
        result.isExact = header.digest == database.snapshot.digest
    }

    /// The next line. Where the file can't be read on, the records before that are committed first.
    private func next(
        _ lines: LineReader, _ batch: inout Batch, _ result: inout Result
    ) async throws -> ArraySlice<UInt8>? {
        do { return try lines.next() } catch {
            try await commit(&batch, &result)
            throw error
        }
    }

    private func bad(_ reason: String, _ file: String, _ line: Int, _ result: Result) -> Failure {
        Failure(
            "invalidDump", "\(reason). \(Loader.kept(result.records)).",
            place: .init(file: "\(file):\(line)"), exitCode: 64)
    }

    private func commit(_ batch: inout Batch, _ result: inout Result) async throws {
        let lines = batch.lines[...]
        batch.removeAll()
        try await commit(lines, batch.file, &result)
    }

    /// Writes records in one commit. If the database refuses one of them, those before it, in several, and throws with its line.
    private func commit(_ lines: ArraySlice<Line>, _ file: String, _ result: inout Result) async throws {
        guard let first = lines.first else { return }
        do {
            try await write(lines, &result)
        } catch let error as DatabaseError where Self.isOfOneRecord(error) {
            guard lines.count > 1 else {
                let message = error.message.hasSuffix(".") ? error.message : error.message + "."
                throw Failure(
                    error.code.rawValue,
                    "line \(first.number) of \(file): \(message) \(Loader.kept(result.records)).",
                    place: .init(file: "\(file):\(first.number)"), exitCode: 64)
            }
            let middle = lines.startIndex + lines.count / 2
            try await commit(lines[..<middle], file, &result)
            try await commit(lines[middle...], file, &result)
        }
    }

    /// Errors for which one record is to blame, or the size of all of them together.
    static func isOfOneRecord(_ error: DatabaseError) -> Bool {
        // A record may need one collection too many. That the log can have no more files, or no more commits, is no record's.
        if error.code == .overLimit { return error.place.collectionName != nil }
        return [
            .keyTooLong, .valueTooLarge, .transactionTooLarge, .encodingFailed, .undecodableRecord, .migrationFailed,
            .invalidName,
        ].contains(error.code)
    }

    private func write(_ lines: ArraySlice<Line>, _ result: inout Result) async throws {
        let before = database.commitNumber
        let (inserted, changed) = try await database.write(origin: "yaprak load") { transaction in
            var inserted = 0, changed = 0
            for line in lines {
                let kinds = try transaction.put(line.record)
                if kinds.contains(.inserted) { inserted += 1 } else if !kinds.isEmpty { changed += 1 }
            }
            return (inserted, changed)
        }
        result.records += lines.count
        result.inserted += inserted
        result.changed += changed
        if database.commitNumber != before { result.commits += 1 }
    }

    private func removeOthers(_ result: inout Result) async throws {
        let snapshot = database.snapshot
        let keys = result.keys
        // A dump of a selection says nothing about the collections that it doesn't count.
        let names =
            collection.map { [$0] }
            ?? snapshot.collectionNames.filter { header.digest != nil || header.counts[$0] != nil }
        for name in names {
            let kept = keys[name] ?? []
            var batch: [String] = []
            for record in snapshot.untyped(name) where !kept.contains(record.key) {
                batch.append(record.key)
                guard batch.count >= batchCount else { continue }
                try await remove(&batch, name, &result)
                if result.isInterrupted { return }
            }
            try await remove(&batch, name, &result)
            if result.isInterrupted { return }
        }
    }

    private func remove(_ batch: inout [String], _ name: String, _ result: inout Result) async throws {
        if batch.isEmpty { return }
        let keys = batch
        batch.removeAll(keepingCapacity: true)
        let removed = try await database.write(origin: "yaprak load") { transaction in
            keys.reduce(0) { $0 + (transaction.removeUntyped($1, inCollectionNamed: name) ? 1 : 0) }
        }
        result.removed += removed
        if removed > 0 { result.commits += 1 }
        if isInterrupted() { result.isInterrupted = true }
    }
}
