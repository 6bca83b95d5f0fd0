import CHelpers
import Foundation
import SystemPackage
import Yaprak

extension ScaleAxis {
    /// From ten thousand records of 100 bytes to ten million.
    static let records = ScaleAxis(
        name: "records", counted: "records of 100 B", sizes: [10_000, 100_000, 1_000_000, 10_000_000]
    ) { size, settings in
        try await StoredRecords(count: size, bytes: 100, collections: 1).measure(size, settings)
    }

    /// 8,192 records with texts from 100 bytes to 64 KiB.
    static let values = ScaleAxis(
        name: "values", counted: "bytes of a value", sizes: [100, 1 << 10, 8 << 10, 64 << 10]
    ) { size, settings in
        try await StoredRecords(count: 8192, bytes: size, collections: 1).measure(size, settings)
    }

    /// 100,000 records in one collection, or in one each.
    static let collections = ScaleAxis(
        name: "collections", counted: "collections", sizes: [1, 10, 100, 1_000, 10_000, 100_000]
    ) { size, settings in
        try await StoredRecords(count: 100_000, bytes: 100, collections: size).measure(size, settings)
    }
}

/// A database with a log, and what is done with it, from the first load to the next opening.
private struct StoredRecords {
    let count: Int
    let bytes: Int
    /// How many collections share the records.
    let collections: Int

    private func collection(of number: Int) -> RecordCollection<Payload, NoMetadata> {
        collections == 1 ? .payloads : RecordCollection("payloads \(number % collections)")
    }

    /// How many single writes are timed: not more than 64 MB of them.
    private var writes: Int { min(20_000, max(1_000, (64 << 20) / bytes)) }

    func measure(_ size: Int, _ settings: Settings) async throws -> [Scale.Figure] {
        var found: [Scale.Figure] = []
        let path = FilePath(try settings.freshDirectory("scale") + "/scale.yaprak")
        var options = DatabaseOptions()
        options.durability = .relaxed
        options.checkpoints = .manual
        let empty = ch_heap_in_use()
        do {
            let database = try await Database.open(at: path, options: options, collections: .payloads)
            found.add("load, per record", try await load(database))
            try await database.settle()
            found.add("memory of a record", Double(Int(ch_heap_in_use()) - Int(empty)) / Double(count), .bytes)
            found.add("read", read(database.snapshot))
            let idle = Latencies(try await write(database, writes, from: 0))
            found.add("update, one per transaction", idle.p50)
            found.add("update, p99", idle.p99)
            var beside: [UInt64] = []
            var times: [Double] = []
            for round in 0..<(size > 1_000_000 ? 1 : 3) {
                let (time, latencies) = try await checkpoint(database, round)
                times.append(time)
                beside += latencies
            }
            found.add("checkpoint, per record", times.min()! / Double(count))
            found.add("update beside a checkpoint, p99", Latencies(beside).p99)
            found.add("the same, compared with idle", Latencies(beside).p99 / idle.p99, .count)
            let start = now()
            try await database.close()
            found.add("close", Double(now() - start))
        }
        try await waitForQuietHeap()
        let start = now()
        let database =
            collections == 1
            ? try await Database.open(at: path, options: options, collections: .payloads)
            : try await Database.open(at: path, options: options)
        found.add(
            collections == 1 ? "open from a checkpoint, per record" : "open, nothing bound, per record",
            Double(now() - start) / Double(count))
        try await database.close()
        return found
    }

    /// Nanoseconds for each record, 1,000 in a transaction; making them is not counted.
    private func load(_ database: Database) async throws -> Double {
        var nanoseconds: UInt64 = 0
        let batch = max(1, min(1_000, (8 << 20) / bytes))
        for first in stride(from: 0, to: count, by: batch) {
            let numbers = first..<min(count, first + batch)
            let made = numbers.map { (collection(of: $0), Payload.key($0), Payload($0, bytes: bytes)) }
            let start = now()
            try await database.write { transaction in
                for (collection, key, payload) in made { transaction[collection][key] = payload }
            }
            nanoseconds += now() - start
        }
        return Double(nanoseconds) / Double(count)
    }

    private func read(_ snapshot: Snapshot) -> Double {
        var random = SplitMix64(5)
        let probes = (0..<100_000).map { _ in
            let number = Int(random.next() % UInt64(count))
            return (collection(of: number), Payload.key(number))
        }
        return time(probes.count) {
            for (collection, key) in probes { sink &+= UInt64(snapshot[collection][key]!.number) }
        }
    }

    /// Nanoseconds of each update.
    private func write(_ database: Database, _ writes: Int, from first: Int) async throws -> [UInt64] {
        var latencies: [UInt64] = []
        latencies.reserveCapacity(writes)
        for index in first..<first + writes {
            let number = index &* 7919 % count
            // Never what the record has already.
            let (collection, key, payload) = (
                collection(of: number), Payload.key(number), Payload(count + index, bytes: bytes)
            )
            let start = now()
            try await database.write { $0[collection][key] = payload }
            latencies.append(now() - start)
        }
        return latencies
    }

    /// Nanoseconds of a checkpoint, and of each update beside it.
    private func checkpoint(_ database: Database, _ round: Int) async throws -> (Double, [UInt64]) {
        let isDone = Flag()
        let checkpoint = Task.detached {
            let start = now()
            try await database.checkpoint()
            isDone.set()
            return Double(now() - start)
        }
        var latencies: [UInt64] = []
        var written = round * 1_000_000
        // One round of writes even where the checkpoint is done at once.
        repeat {
            latencies += try await write(database, 8, from: written)
            written += 8
        } while !isDone.isSet
        return (try await checkpoint.value, latencies)
    }
}
