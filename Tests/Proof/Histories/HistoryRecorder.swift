internal import Synchronization
internal import ToolSupport
package import Yaprak
internal import YaprakLocks

/// Runs clients against a database and writes down what they did and saw.
///
///     let recorder = HistoryRecorder(seed: 7)
///     await recorder.run(database, clients: 8, transactions: 1_000)
///     let anomalies = HistoryChecker(recorder.history()).anomalies()
///
/// It may run several times, on a database that was opened again: the clients of the next run are others, and what became
/// of a write that a crash interrupted is not known.
package final class HistoryRecorder: Sendable {
    /// The collections that it writes.
    package static let lists = RecordCollection<[Int32], NoMetadata>("lists")
    package static let registers = RecordCollection<Int32, NoMetadata>("registers")

    /// One operation, or what it saw.
    private struct Seen: Sendable {
        var kind: History.Kind
        var key: Int32
        var value: Int32
        var list: [Int32] = []

        var isWrite: Bool { kind == .append || kind == .write }
    }

    private struct Recorded: Sendable {
        var operations: [Seen]
        var outcome: History.Outcome
        var start: Int
        var end: Int
        var commit: Int
    }

    /// A transaction is thrown away, and has seen something.
    private struct Away: Error {
        var seen: [Seen]
        /// The commit that it has read.
        var commit: Int
    }

    private let events = Atomic<Int>(0)
    private let tickets = Atomic<Int>(0)
    private let recorded = YaprakLocks.Mutex<[Recorded]>([])
    private let seed: UInt64

    private static let keys = 8
    private static let appendsPerKey = 16

    package init(seed: UInt64) { self.seed = seed }

    private func event() -> Int { events.add(1, ordering: .sequentiallyConsistent).newValue }

    /// Runs clients until each has done its transactions, or the database takes no more.
    package func run(_ database: Database, clients: Int, transactions: Int, run: UInt64 = 0) async {
        await withTaskGroup(of: [Recorded].self) { group in
            for client in 0..<clients {
                let seed = seed &* 1000 &+ run &* 100 &+ UInt64(client)
                group.addTask { await self.client(database, transactions, SplitMix64(seed: seed)) }
            }
            for await part in group { recorded.withLock { $0 += part } }
        }
    }

    private func client(_ database: Database, _ count: Int, _ random: SplitMix64) async -> [Recorded] {
        var random = random
        var part: [Recorded] = []
        part.reserveCapacity(count)
        for _ in 0..<count {
            let ticket = tickets.add(1, ordering: .relaxed).oldValue
            // Each key gets some appends, then others come: lists stay short, and every one is written by all clients.
            let window = Int32(ticket / (Self.keys * Self.appendsPerKey)) * Int32(Self.keys)
            var plan: [Seen] = []
            let isReadOnly = random.chance(30)
            for _ in 0...random.below(4) {
                let key = window + Int32(random.below(Self.keys))
                let value = Int32(ticket * 4 + plan.count + 1)
                switch random.below(4) {
                case 0 where !isReadOnly: plan.append(Seen(kind: .append, key: key, value: value))
                case 1 where !isReadOnly: plan.append(Seen(kind: .write, key: -key - 1, value: value))
                case 2: plan.append(Seen(kind: .read, key: -key - 1, value: 0))
                default: plan.append(Seen(kind: .readList, key: key, value: 0))
                }
            }
            if isReadOnly {
                part.append(read(database, plan))
                continue
            }
            let start = event()
            let isThrown = random.chance(10)
            do {
                let (seen, commit) = try await write(database, plan, throwing: isThrown)
                part.append(Recorded(operations: seen, outcome: .committed, start: start, end: event(), commit: commit))
            } catch let away as Away {
                // Nobody may see what it wrote. What its client learns by the error is what it had read.
                let end = event()
                part.append(
                    Recorded(operations: plan.filter(\.isWrite), outcome: .failed, start: start, end: end, commit: -1))
                part.append(
                    Recorded(
                        operations: Self.readsOfOthers(in: away.seen), outcome: .committed, start: start, end: end,
                        commit: away.commit))
            } catch {
                let code = (error as? DatabaseError)?.code
                // What was refused was not written; of the others nobody knows.
                let isKnown = [.closed, .abandoned, .diskFull, .writeFailed].contains(code)
                let writes = plan.filter(\.isWrite)
                part.append(
                    Recorded(
                        operations: writes, outcome: isKnown ? .failed : .unknown, start: start, end: event(),
                        commit: -1))
                if [.closed, .readOnly, .syncFailed].contains(code) { return part }
            }
        }
        return part
    }

    private func write(
        _ database: Database, _ plan: [Seen], throwing: Bool
    ) async throws -> (seen: [Seen], commit: Int) {
        try await database.write { transaction in
            var seen = plan
            for index in seen.indices {
                let key = "\(seen[index].key)"
                switch seen[index].kind {
                case .append: transaction[Self.lists][key] = (transaction[Self.lists][key] ?? []) + [seen[index].value]
                case .write: transaction[Self.registers][key] = seen[index].value
                case .readList: seen[index].list = transaction[Self.lists][key] ?? []
                case .read: seen[index].value = transaction[Self.registers][key] ?? 0
                }
            }
            let number = Int(transaction.commitNumber.rawValue)
            if throwing { throw Away(seen: seen, commit: number - 1) }
            let changes = seen.contains(where: \.isWrite)
            return (seen, changes ? number : number - 1)
        }
    }

    /// The reads of what a transaction had not written itself. Lists and registers share no key.
    private static func readsOfOthers(in seen: [Seen]) -> [Seen] {
        var own: Set<Int32> = []
        return seen.filter { operation in
            if operation.isWrite { own.insert(operation.key) }
            return !own.contains(operation.key)
        }
    }

    private func read(_ database: Database, _ plan: [Seen]) -> Recorded {
        let start = event()
        let snapshot = database.snapshot
        var seen = plan
        for index in seen.indices {
            let key = "\(seen[index].key)"
            if seen[index].kind == .readList {
                seen[index].list = snapshot[Self.lists][key] ?? []
            } else {
                seen[index].value = snapshot[Self.registers][key] ?? 0
            }
        }
        let commit = Int(snapshot.commitNumber.rawValue)
        return Recorded(operations: seen, outcome: .committed, start: start, end: event(), commit: commit)
    }

    /// Everything so far. Behind the last `run`.
    package func history() -> History {
        recorded.withLock { recorded in
            var history = History()
            for transaction in recorded {
                let operations = transaction.operations.map { seen in
                    seen.kind == .readList
                        ? history.readList(seen.key, seen.list)
                        : History.Operation(kind: seen.kind, key: seen.key, value: seen.value, list: 0..<0)
                }
                history.add(
                    operations, transaction.outcome, from: transaction.start, to: transaction.end,
                    commit: transaction.commit)
            }
            return history
        }
    }
}
