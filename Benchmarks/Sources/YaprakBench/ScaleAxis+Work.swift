import CHelpers
import Foundation
import SystemPackage
import Yaprak
import YaprakReplay

extension ScaleAxis {
    /// Views over 10,000 records: each write passes through all of them.
    static let views = ScaleAxis(name: "views", counted: "views", sizes: [1, 10, 100, 1_000]) { size, _ in
        var found: [Scale.Figure] = []
        let count = 10_000
        let keys = KeyShape.random.keys(count)
        let items = Item.make(count)
        let database = try await Database.filled(keys, items)
        let views = (0..<size).map {
            AutoView("view \($0)", of: .items, groupedBy: \.group, sortedBy: \.rank)
        }
        try await database.settle()
        let before = ch_heap_in_use()
        found.add(
            "register, per view",
            try await time(size) {
                for view in views { try await database.register(view) }
            })
        try await database.settle()
        found.add(
            "memory of a row in a view", Double(Int(ch_heap_in_use()) - Int(before)) / Double(size * count), .bytes)
        let writes = max(100, 10_000 / size)
        func update(_ change: @escaping @Sendable (inout Item, Int) -> Void) async throws -> Double {
            try await time(writes) {
                for number in 0..<writes {
                    let key = keys[number &* 7919 % count]
                    try await database.write { transaction in
                        if var item = transaction[.items][key] {
                            change(&item, number)
                            transaction[.items][key] = item
                        }
                    }
                }
            }
        }
        let unsorted = try await update { item, number in item.count = number + 1000 }
        let sorted = try await update { item, number in item.rank += Double(number % 100) + 1 }
        found.add("update that moves nothing", unsorted)
        found.add("update that moves nothing, per view", unsorted / Double(size))
        found.add("update that moves a row of each", sorted)
        found.add("update that moves a row of each, per view", sorted / Double(size))
        let snapshot = database.snapshot
        for index in 0..<1_000 {
            let group = snapshot[views[index % size]]["group\(index % 100)"]
            precondition(group.prefix(70).dropFirst(20).count == 50, "the pages have 50 records")
        }
        found.add(
            "page of 50 records",
            time(1_000) {
                for index in 0..<1_000 {
                    let group = snapshot[views[index % size]]["group\(index % 100)"]
                    for row in group.prefix(70).dropFirst(20) { sink &+= UInt64(row.object.count) }
                }
            })
        return found
    }

    /// Streams of changesets, each with a task of its own, while one writer goes on without waiting for them.
    static let followers = ScaleAxis(
        name: "followers", counted: "followers", sizes: [1, 10, 100, 1_000, 10_000]
    ) { size, _ in
        var found: [Scale.Figure] = []
        let count = 10_000
        let keys = KeyShape.random.keys(count)
        let items = Item.make(count)
        let database = try await Database.filled(keys, items)
        let writes = min(5_000, 2_000_000 / size)
        let last = database.commitNumber.rawValue + UInt64(writes)
        try await waitForQuietHeap()
        let before = ch_heap_in_use()
        let streams = (0..<size).map { _ in database.changesets() }
        let tasks = streams.map { stream in
            Task.detached {
                for try await changeset in stream where changeset.commitNumber.rawValue >= last { return now() }
                throw UsageError("a stream has ended")
            }
        }
        try await Task.sleep(for: .milliseconds(200))
        found.add("memory of a follower", Double(Int(ch_heap_in_use()) - Int(before)) / Double(size), .bytes)
        let start = now()
        var latencies: [UInt64] = []
        for number in 0..<writes {
            let at = number &* 7919 % count
            let from = now()
            try await database.write { $0[.items][keys[at]] = items[(at + 1) % count] }
            latencies.append(now() - from)
        }
        found.add("update, p50", Latencies(latencies).p50)
        found.add("update, p99", Latencies(latencies).p99)
        var end = start
        for task in tasks { end = max(end, try await task.value) }
        found.add("until all have seen all, per commit and follower", Double(end - start) / Double(size * writes))
        return found
    }

    /// Histories, all of them kept: updates of 1,000 records, one per commit, checkpoints as they come.
    static let commits = ScaleAxis(
        name: "commits", counted: "commits kept", sizes: [10_000, 100_000, 1_000_000, 10_000_000]
    ) { size, settings in
        var found: [Scale.Figure] = []
        let path = FilePath(try settings.freshDirectory("scale") + "/scale.yaprak")
        var options = DatabaseOptions()
        options.durability = .relaxed
        options.retention = .all
        let records = 1_000
        let payloads = (0..<records).map { (Payload.key($0), Payload($0, bytes: 100)) }
        do {
            let database = try await Database.open(at: path, options: options, collections: .payloads)
            try await database.settle()
            let before = ch_heap_in_use()
            found.add(
                "commit of one update",
                try await time(size) {
                    for number in 0..<size {
                        let key = payloads[number % records].0
                        // Another one than the record has: each round of all records begins one further.
                        let payload = payloads[(number &* 7919 + number / records + 1) % records].1
                        try await database.write { $0[.payloads][key] = payload }
                    }
                })
            try await database.settle()
            found.add("memory in all", Double(max(0, Int(ch_heap_in_use()) - Int(before))), .bytes)
            found.add("close", try await time(1) { try await database.close() })
        }
        found.add("bytes on disk, per commit", try diskBytes(of: path) / Double(size), .bytes)
        var opened: Database?
        found.add(
            "open",
            try await time(1) {
                opened = try await Database.open(at: path, options: options, collections: .payloads)
            })
        try await opened?.close()
        var reader: ReplayReader?
        found.add("open the history", try time(1) { reader = try ReplayReader(path) })
        var seen: Snapshot?
        let middle = CommitNumber(UInt64(size / 2))
        found.add("the state in the middle of it", try time(1) { seen = try reader?.snapshot(at: middle) })
        precondition(seen?.commitNumber == middle && seen?.count == min(size / 2, records))
        return found
    }

    private static func diskBytes(of path: FilePath) throws -> Double {
        let files = FileManager.default.enumerator(atPath: path.string)?.compactMap { $0 as? String } ?? []
        return try files.map { file in
            let attributes = try FileManager.default.attributesOfItem(atPath: path.string + "/" + file)
            let isFile = attributes[.type] as? FileAttributeType == .typeRegular
            return isFile ? (attributes[.size] as? NSNumber)?.doubleValue ?? 0 : 0
        }.reduce(0, +)
    }
}
