import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

/// Writes the records of a collection for other programs: objects in JSON, else a column for each field.
struct Exporter {
    let snapshot: Snapshot
    let choice: RecordChoice
    /// The columns to write; all there are if `nil`.
    let columns: [String]?

    /// Writes the records of a collection.
    /// - Returns: how many.
    @discardableResult
    func write(_ collection: String, _ format: OutputFormat, _ console: Console) throws -> Int {
        let records = try choice.records(of: collection, in: snapshot)
        guard columns == nil, format == .json || format == .ndjson else {
            return try RecordColumns(columns: columns).write(records, of: collection, format, console)
        }
        var rows = RowWriter(format, [], console)
        var count = 0
        for record in records {
            try rows.write([], json: RecordColumns.nested(record))
            count += 1
            if count % 256 == 0, Invocation.isInterrupted() { break }
        }
        // Also where it is interrupted: what was printed is JSON.
        try rows.finish()
        if Invocation.isInterrupted() { throw CancellationError() }
        return count
    }
}
