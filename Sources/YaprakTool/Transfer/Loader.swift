import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

/// Loads the records of a file into a collection, a batch per commit.
///
/// Each batch is one commit, so an interruption at any moment leaves whole batches; loading the file again puts the same
/// records under the same keys. A record that is what the file says already is not written again.
struct Loader {
    let database: Database
    let collection: String
    let key: KeyRule
    /// How many records go into one commit; fewer if they are large.
    var batchCount = 1000
    /// A commit with more bytes of records than this gets no further one. The format has a bound of 256 MiB.
    static let batchBytesMax = 64 << 20
    /// Whether bad records are counted and skipped.
    var skipsBad = false
    var isInterrupted: @Sendable () -> Bool = { false }

    /// What was done.
    struct Result: Sendable, Equatable {
        var records = 0
        var inserted = 0
        var changed = 0
        var commits = 0
        var isInterrupted = false
        /// The line or the item that was read last.
        var number = 0
        /// The first bad records that were skipped, and their number.
        var bad: [BadRecord] = []
        var badCount = 0

        var unchanged: Int { records - inserted - changed }
    }

    /// Something in the file that is no record.
    struct BadRecord: Error, Sendable, Equatable {
        let number: Int
        let reason: String
    }

    /// A record as its bytes.
    private struct Encoded {
        let key: String
        let object: [UInt8]
        let metadata: [UInt8]?

        var byteCount: Int { object.count + (metadata?.count ?? 0) + key.utf8.count }
    }

    /// What is said of the records where loading ended early.
    static func kept(_ count: Int) -> String { "\(count.counted("record")) \(count.word("is", "are")) in the database" }

    /// Loads all records, and says in `result` what was done, also where it throws.
    ///
    /// - Returns: the bad record it stopped at, if it did; every record before that is committed.
    /// - Throws: errors of reading the input and of writing to the database.
    func run(
        _ source: RecordSource, into result: inout Result, progress: (Result) -> Void = { _ in }
    ) async throws -> BadRecord? {
        var batch: [Encoded] = [], bytes = 0, count = 0
        var stop: BadRecord?
        while true {
            let next: RecordSource.Item?
            do { next = try source.next() } catch {
                // What can't be read on keeps no good record before it from being loaded.
                try await commit(&batch, &result)
                throw error
            }
            guard let item = next else { break }
            result.number = item.number
            do throws(InputError) {
                let record = try encoded(try item.value.get())
                batch.append(record)
                bytes += record.byteCount
            } catch {
                let bad = BadRecord(number: item.number, reason: error.description)
                guard skipsBad else {
                    stop = bad
                    break
                }
                result.badCount += 1
                if result.bad.count < 10 { result.bad.append(bad) }
            }
            count += 1
            let isFull = batch.count >= batchCount || bytes >= Self.batchBytesMax
            if isFull {
                try await commit(&batch, &result)
                bytes = 0
            }
            // Also where nothing is committed, because all are bad.
            if isFull || count.isMultiple(of: DumpLoader.linesUnasked) {
                progress(result)
                if isInterrupted() {
                    result.isInterrupted = true
                    break
                }
            }
        }
        try await commit(&batch, &result)
        return stop
    }

    private func commit(_ batch: inout [Encoded], _ result: inout Result) async throws {
        if batch.isEmpty { return }
        let records = batch
        batch.removeAll(keepingCapacity: true)
        let before = database.commitNumber
        let (inserted, changed) = try await database.write(origin: "yaprak load") { [collection] transaction in
            var inserted = 0, changed = 0
            // A new record takes the version of the others.
            let known = transaction.before.untyped(collection), version = known.first?.version ?? 1
            for record in records {
                let kinds = try transaction.put(
                    object: record.object[...], metadata: record.metadata.map { $0[...] },
                    version: known[record.key]?.version ?? version, for: record.key, inCollectionNamed: collection)
                if kinds.contains(.inserted) { inserted += 1 } else if !kinds.isEmpty { changed += 1 }
            }
            return (inserted, changed)
        }
        result.records += records.count
        result.inserted += inserted
        result.changed += changed
        if database.commitNumber != before { result.commits += 1 }
    }

    // MARK: Records

    private func encoded(_ value: CBORValue) throws(InputError) -> Encoded {
        guard case .map(var fields) = value else { throw InputError("this is not an object") }
        let key = try self.key.key(of: value)
        let most = DatabaseLimits().keyBytesMax
        // As a commit counts it: in normal form, which may have three times as many bytes.
        if key.utf8.count > most / 3, key.normalizedKey.utf8.count > most {
            throw InputError("the key has more than \(most) bytes")
        }
        guard self.key.isExported else { return try Encoded(key: key, object: bytes(value), metadata: nil) }
        var metadata: CBORValue?
        fields.removeAll { field in
            if field.key == .text(RecordColumns.metadata) { metadata = field.value }
            return [.text(RecordColumns.key), .text(RecordColumns.metadata)].contains(field.key)
        }
        // An object without fields, or with one of these names, was exported as a field named by a dot.
        let isWhole = fields.count == 1 && fields[0].key == .text(RecordColumns.whole)
        let object = isWhole ? fields[0].value : .map(fields)
        let metadataBytes: [UInt8]? = if let metadata { try bytes(metadata) } else { nil }
        return try Encoded(key: key, object: bytes(object), metadata: metadataBytes)
    }

    private func bytes(_ value: CBORValue) throws(InputError) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try value.encoded()
            // What a commit refuses: two containers for each level of a record, and for the record.
            _ = try CBORItem.length(of: bytes, maxDepth: 2 * (DatabaseLimits.recordLevelsMax + 1))
        } catch {
            throw InputError(error.message)
        }
        let most = DatabaseLimits().valueBytesMax
        guard bytes.count <= most else { throw InputError("the record has \(bytes.count) bytes, \(most) are allowed") }
        return bytes
    }
}
