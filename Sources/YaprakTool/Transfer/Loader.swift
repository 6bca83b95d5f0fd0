import ToolSupport
import Yaprak
import YaprakCBOR

/// Loads the lines of an NDJSON file into a collection, a batch per commit.
///
/// Each batch is one commit, so an interruption at any moment leaves whole batches; loading the file again puts the same
/// records under the same keys.
struct Loader {
    let database: Database
    let collection: RecordCollection<CBORValue, NoMetadata>
    /// The field of an object that is its key: a text or an integer.
    let keyField: String
    /// How many records go into one commit.
    var batchCount = 1000
    /// Whether bad lines are counted and skipped.
    var skipsBadLines = false
    var isInterrupted: @Sendable () -> Bool = { false }

    /// What was done.
    struct Result: Sendable, Equatable {
        var records = 0
        var inserted = 0
        var commits = 0
        var isInterrupted = false
        /// The first bad lines that were skipped, and their number.
        var badLines: [BadLine] = []
        var badCount = 0
    }

    /// A line that is no record.
    struct BadLine: Error, Sendable, Equatable {
        let number: Int
        let reason: String
    }

    /// Loads all lines.
    ///
    /// - Returns: what was done, and the bad line it stopped at, if it did; every record before that is committed.
    /// - Throws: errors of reading the input and of writing to the database.
    func run(_ lines: LineReader, progress: (Result) -> Void = { _ in }) async throws -> (Result, BadLine?) {
        var result = Result()
        var batch: [(String, CBORValue)] = []
        var stop: BadLine?
        while let line = try lines.next() {
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
            do throws(InputError) {
                batch.append(try record(of: line))
            } catch {
                let bad = BadLine(number: lines.number, reason: error.description)
                guard skipsBadLines else {
                    stop = bad
                    break
                }
                result.badCount += 1
                if result.badLines.count < 10 { result.badLines.append(bad) }
            }
            if batch.count >= batchCount {
                try await commit(&batch, &result)
                progress(result)
                if isInterrupted() {
                    result.isInterrupted = true
                    break
                }
            }
        }
        try await commit(&batch, &result)
        return (result, stop)
    }

    private func commit(_ batch: inout [(String, CBORValue)], _ result: inout Result) async throws {
        if batch.isEmpty { return }
        let records = batch
        batch.removeAll(keepingCapacity: true)
        result.inserted += try await database.write(origin: "yaprak load") { transaction in
            let before = transaction[collection].count
            for (key, object) in records { transaction[collection][key] = object }
            return transaction[collection].count - before
        }
        result.records += records.count
        result.commits += 1
    }

    private func record(of line: ArraySlice<UInt8>) throws(InputError) -> (String, CBORValue) {
        let value: CBORValue
        do { value = try CBORValue(json: line) } catch {
            throw InputError(error.offset.map { "\(error.message), at byte \($0)" } ?? error.message)
        }
        guard case .map = value else { throw InputError("the line is no object") }
        guard let field = value[keyField] else { throw InputError("the object has no field \"\(keyField)\"") }
        if let text = field.text { return (text, value) }
        if let number = field.integer { return (String(number), value) }
        throw InputError("the field \"\(keyField)\" is neither a text nor an integer")
    }
}
