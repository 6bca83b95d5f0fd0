import CCounters
import Foundation
import SystemPackage
import Yaprak

extension CostGates {
    /// What commits and checkpoints write and sync.
    static func files() async throws -> [Gate] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "yaprak-costs-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = FilePath(folder.appending(path: "costs.yaprak").path)
        var options = DatabaseOptions()
        options.checkpoints = .manual
        let database = try await Database.open(at: path, options: options, collections: .items)
        try await database.fill(count)
        let keys = (0..<count).map(key)
        func update(_ round: Int) async throws {
            let key = keys[round * 7919 % count]
            try await database.write { $0[.items][key] = Item(rank: round, group: 1, weight: 2, height: 3) }
        }

        let rounds = 500
        var before = database.statistics.log!
        let start = ContinuousClock.now
        let statusCalls = cc_status_calls()
        var gates = try await allocations("a durable update", atMost: 29, rounds: rounds, update)
        let isSyncSlow = start.duration(to: .now) / (rounds + rounds / 10) > .microseconds(60)
        var after = database.statistics.log!
        // A file that was asked for its times has a new time to sync with the next write (decision 0065).
        if cc_counts() != 0 {
            gates.append(
                Gate(
                    "calls of fstat by a durable update",
                    Double(cc_status_calls() - statusCalls) / Double(rounds + rounds / 10), atMost: 0))
        }
        // Each sync ends at a sector of 512 bytes.
        let commits = Double(after.commitCount - before.commitCount)
        gates.append(
            Gate(
                "syncs of a durable update, one writer",
                Double(after.syncCount - before.syncCount) / commits, atMost: 1))
        gates.append(
            Gate(
                "bytes in the log for a durable update, one writer",
                Double(after.storedByteCount - before.storedByteCount) / commits, atMost: 512))

        before = after
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<64 {
                group.addTask {
                    for round in 0..<50 {
                        let key = keys[(writer * 50 + round) * 31 % count]
                        try await database.write { $0[.items][key]?.rank = -round }
                    }
                }
            }
            try await group.waitForAll()
        }
        after = database.statistics.log!
        // Where a sync takes no longer than a write, there is nothing to share.
        if isSyncSlow {
            gates.append(
                Gate(
                    "syncs of a durable update, 64 writers",
                    Double(after.syncCount - before.syncCount) / Double(after.commitCount - before.commitCount),
                    atMost: 0.25))
        } else {
            print("syncs are faster here than writes: how 64 writers share them was left out")
        }

        try await database.checkpoint()
        try await database.close()
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.fileSizeKey])
        let checkpoints = try (files?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == "ckpt" }
            .compactMap { try $0.resourceValues(forKeys: [.fileSizeKey]).fileSize }
        gates.append(Gate("checkpoints that are missing", checkpoints.isEmpty ? 1 : 0, atMost: 0))
        let checkpoint = checkpoints.max() ?? 0
        gates.append(Gate("bytes on disk for a record of a checkpoint", Double(checkpoint) / Double(count), atMost: 25))
        return gates
    }
}
