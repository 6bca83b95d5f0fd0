import Yaprak
import YaprakCBOR
import YaprakReplay

/// Which records of a collection are wanted, and in which order.
struct RecordChoice {
    /// Only keys that start with this, in the form that keys have.
    var prefix = ""
    /// Only records that this is true of.
    var condition: ReplayExpression?
    /// What they are ordered by; by key if `nil`.
    var order: ReplayExpression?
    var isDescending = false
    /// At most so many.
    var limit: Int?

    /// Says on standard error which collections the expressions name that have no records.
    func noteAbsentCollections(in snapshot: Snapshot) throws {
        try condition?.noteAbsentCollections(in: snapshot)
        try order?.noteAbsentCollections(in: snapshot)
    }

    /// The records. Without an order they are found while they are walked; with one all that match are looked at first, and at
    /// most twice the limit kept.
    func records(of collection: String, in snapshot: Snapshot) throws -> ChosenRecords {
        let records = snapshot.untyped(collection)
        guard let order else {
            return ChosenRecords(choice: self, snapshot: snapshot, records: records, positions: nil)
        }
        var found: [(value: CBORValue, position: Int)] = []
        let limit = limit ?? .max, keptMax = limit > 1 << 20 ? Int.max : 2 * limit + 1000
        func cut() {
            found.sort { a, b in
                let sign = a.value.sortOrder(to: b.value)
                // Equal values stay in the order of their keys.
                return sign == 0 ? a.position < b.position : (sign < 0) != isDescending
            }
            found.removeLast(max(0, found.count - limit))
        }
        let isInterrupted = Invocation.isInterrupted
        for position in records.position(notBefore: prefix)..<records.count {
            let record = records[position]
            guard record.key.utf8.starts(with: prefix.utf8) else { break }
            guard let isWanted = holds(for: record, in: snapshot, unless: isInterrupted) else {
                throw CancellationError()
            }
            guard isWanted else { continue }
            guard let value = order.value(for: record, in: snapshot, unless: isInterrupted) else {
                throw CancellationError()
            }
            found.append((value, position))
            if found.count >= keptMax { cut() }
        }
        cut()
        return ChosenRecords(choice: self, snapshot: snapshot, records: records, positions: found.map(\.position))
    }

    /// Whether the condition is true of a record; `nil` if the user pressed Ctrl-C before that was known. It may look through
    /// whole collections for each record.
    fileprivate func holds(
        for record: ReplayRecord, in snapshot: Snapshot, unless isInterrupted: @escaping () -> Bool
    ) -> Bool? {
        guard let condition else { return true }
        return condition.holds(for: record, in: snapshot, unless: isInterrupted)
    }
}

/// The records that were chosen. It can be walked several times. A walk that is interrupted ends within 256 records, as if there
/// were no more.
struct ChosenRecords: Sequence {
    fileprivate let choice: RecordChoice
    fileprivate let snapshot: Snapshot
    fileprivate let records: UntypedRecords
    fileprivate let positions: [Int]?

    func makeIterator() -> AnyIterator<ReplayRecord> {
        let isInterrupted = Invocation.isInterrupted
        var seen = 0
        if let positions {
            var left = positions.makeIterator()
            return AnyIterator {
                seen += 1
                if seen % 256 == 0, isInterrupted() { return nil }
                return left.next().map { records[$0] }
            }
        }
        var all = records.makeIterator(), position = records.position(notBefore: choice.prefix)
        var left = choice.limit ?? .max
        // From the beginning each record is the next of a walk; from elsewhere it is looked up.
        func next() -> ReplayRecord? {
            if choice.prefix.isEmpty { return all.next() }
            guard position < records.count else { return nil }
            position += 1
            return records[position - 1]
        }
        return AnyIterator {
            while left > 0, let record = next() {
                guard record.key.utf8.starts(with: choice.prefix.utf8) else { return nil }
                seen += 1
                if seen % 256 == 0, isInterrupted() { return nil }
                guard let isWanted = choice.holds(for: record, in: snapshot, unless: isInterrupted) else {
                    return nil
                }
                guard isWanted else { continue }
                left -= 1
                return record
            }
            return nil
        }
    }
}
