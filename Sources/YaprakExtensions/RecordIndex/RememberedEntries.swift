import YaprakCore
import YaprakTrees

/// The entries that an index has of one record, where its columns can't be asked for them again: they are code, and one of
/// them has several values.
///
/// A record has exactly one entry in an index whose columns have one value each, so what a closure has changed its mind about
/// shows in the number of entries. Of several, none may be asked for any more, and nothing would show it.
///
///     ┌ length, 4 bytes ┬ whether a column is nil, 1 ┬ columns … ┐   for each entry
final class RememberedEntries: KeyedRow, @unchecked Sendable {
    // Written once, before the row is shared; that is the whole of the @unchecked.
    private let bytes: [UInt8]

    /// - Parameter bytes: what ``pack(_:)`` made.
    init(of record: RecordBox, _ bytes: [UInt8]) {
        self.bytes = bytes
        super.init(withKeyOf: record)
    }

    /// The columns of entries, with whether one of them is `nil`, as bytes.
    static func pack(_ entries: [[UInt8]: Bool]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (columns, hasNil) in entries {
            withUnsafeBytes(of: UInt32(columns.count).littleEndian) { bytes += $0 }
            bytes.append(hasNil ? 1 : 0)
            bytes += columns
        }
        return bytes
    }

    /// The columns of each entry, and whether one of them is `nil`.
    var entries: [[UInt8]: Bool] {
        var entries: [[UInt8]: Bool] = [:]
        var rest = bytes[...]
        while rest.count >= 5 {
            let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            let hasNil = rest[rest.startIndex + 4] == 1
            rest = rest.dropFirst(5)
            entries[Array(rest.prefix(count))] = hasNil
            rest = rest.dropFirst(count)
        }
        return entries
    }

    /// The tree of some rows, each of another record.
    static func tree(of rows: [RememberedEntries], in draft: TreeDraft) -> TreeRoot {
        if rows.isEmpty { return TreeRoot() }
        let builder = TreeBuilder(in: draft)
        for row in rows.sorted(by: { $0.compareKey(to: $1) < 0 }) {
            do { try builder.append(row) } catch { preconditionFailure("a record is remembered once: \(error)") }
        }
        return builder.finish()
    }
}

extension IndexRoot {
    /// The columns of each entry of a record, and whether one of them is `nil`. O(log *n*).
    func rememberedEntries(of key: String) -> [[UInt8]: Bool] {
        remembered.lookup(key).map { unsafeDowncast($0, to: RememberedEntries.self).entries } ?? [:]
    }
}
