internal import Synchronization
internal import ToolSupport
internal import Yaprak
internal import YaprakCore
internal import YaprakSimulator
internal import YaprakStorage

/// A history of clients over several openings, with a power cut or a fault of the disk between them.
package enum CrashHistory {
    /// Runs one by a seed.
    ///
    /// - Parameter opens: how often the database is opened; each but the last ends in a crash or a failing disk.
    package static func record(seed: UInt64, opens: Int, clients: Int = 4, transactions: Int = 40) -> History? {
        var random = SplitMix64(seed: seed)
        var disk = MemoryFileSystem()
        let recorder = HistoryRecorder(seed: seed)
        for open in 0..<opens {
            let scheduler = SeededScheduler(seed: seed &* 64 &+ UInt64(open))
            let isLast = open == opens - 1
            let cut = random.below(clients * transactions)
            if !isLast {
                disk.cut(afterChanges: disk.changes + cut)
                if random.chance(50) { disk.fail(.write, nth: 1 + random.below(20), errno: .noSpace) }
                if random.chance(20) { disk.fail(.syncData, nth: 1 + random.below(20), errno: .ioError) }
            }
            disk.observe { isChange in if isChange { scheduler.interrupt() } }
            var options = DatabaseOptions()
            options.checkpoints = .manual
            options.clock = { Int64(scheduler.now()) }
            options.store.segmentBytesMax = 8192
            options.store.preallocationBytes = 4096
            options.store.scheduler = scheduler
            let finished = scheduler.run { [options, disk] in
                guard
                    let database = try? await Database.open(
                        at: "/db", options: options, fileSystem: disk,
                        collections: HistoryRecorder.lists, HistoryRecorder.registers)
                else { return !isLast }
                await recorder.run(database, clients: clients, transactions: transactions, run: UInt64(open))
                try? await database.close()
                return true
            }
            disk.observe(nil)
            guard finished == true else { return nil }
            disk = disk.crashed(keeping: random.chance(50) ? .none : .random(seed: random.next()), names: .all)
        }
        return recorder.history()
    }
}
