internal import SystemPackage
internal import Yaprak
internal import YaprakCore
internal import YaprakSimulator
internal import YaprakStorage

extension WritingOperation {
    /// Every operation, over databases whose size follows from the seed.
    package static func all(seed: UInt64) -> [WritingOperation] {
        let size = 6 + Int(seed % 5)
        let closed = base(commits: size, durability: .always, closes: true)
        let killed = base(commits: size, durability: .relaxed, closes: false)
        let edits = (0..<4).map { (key: 20 + $0, bytes: $0 == 2 ? 1700 + Int(seed % 400) : 30) }
        let recovered = states([:], adding: (0..<size).map { ($0, 40) })
        return onDatabase(closed, edits) + byTools(closed) + [
            // Nothing is synced behind the second checkpoint.
            WritingOperation(
                name: "recover what a kill left", base: killed.disk, states: recovered,
                accepts: inOrder(recovered, from: lastCheckpointed + 1), copy: nil
            ) { disk, options, _ in try await open(disk, options).close() }
        ]
    }

    /// The key behind which a base has its second checkpoint.
    private static let lastCheckpointed = 3

    private struct Base {
        var disk: MemoryFileSystem
        var records: Records
    }

    private static func base(commits: Int, durability: Durability, closes: Bool) -> Base {
        let disk = MemoryFileSystem()
        let scheduler = SeededScheduler(seed: 1)
        let options = options(scheduler, durability)
        let records = scheduler.run { () -> Records in
            do {
                let database = try await open(disk, options)
                try await database.register(Marks())
                for key in 0..<commits {
                    try await put(database, key)
                    if key == 1 || key == lastCheckpointed { try await database.checkpoint() }
                    if key == 2 { try await database.write { try $0.perform(.toggle(7), on: Marks()) } }
                }
                if closes { try await database.close() } else { disk.cut(afterChanges: 0) }
                let records = SimulationModel.records(of: database.snapshot)
                try? await database.close()
                return records
            } catch {
                preconditionFailure("a disk without faults refused: \(error)")
            }
        }
        // A kill leaves what was not synced in the cache: readable, and not durable.
        return Base(disk: disk.afterKill(), records: records ?? [:])
    }

    /// An operation on an open database, which is closed behind it.
    private static func on(
        _ base: Base, _ name: String, states: [Records]? = nil,
        accepts: (@Sendable (Records, Acknowledged) -> Bool)? = nil, copy: Records? = nil,
        _ body: @escaping @Sendable (Database, MemoryFileSystem, Progress) async throws -> Void
    ) -> WritingOperation {
        let states = states ?? [base.records]
        return WritingOperation(
            name: name, base: base.disk, states: states, accepts: accepts ?? inOrder(states), copy: copy
        ) { disk, options, progress in
            let database = try await open(disk, options)
            do {
                try await body(database, disk, progress)
            } catch {
                try? await database.close()
                throw error
            }
            try await database.close()
        }
    }

    /// Operations of a wrong engine, which acknowledges before it writes: an enumeration is believed when it finds that.
    package static func planted(seed: UInt64) -> [WritingOperation] {
        let base = base(commits: 6 + Int(seed % 5), durability: .always, closes: true)
        let edits = [(key: 20, bytes: 30), (key: 21, bytes: 30)]
        return [
            on(base, "write", states: states(base.records, adding: edits)) { database, _, progress in
                for (key, bytes) in edits {
                    progress.acknowledged.state += 1
                    try await put(database, key, bytes: bytes)
                }
            },
            on(base, "write beside each other", accepts: besideEachOther(base.records, edits)) {
                database, _, progress in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (key, bytes) in edits {
                        group.addTask {
                            progress.acknowledged.keys.insert(key)
                            try await put(database, key, bytes: bytes) { progress.acknowledged.commits[key] = $0 }
                        }
                    }
                    try await group.waitForAll()
                }
            },
        ]
    }

    private static func onDatabase(_ base: Base, _ edits: [(key: Int, bytes: Int)]) -> [WritingOperation] {
        let states = states(base.records, adding: edits)
        func make(
            _ name: String, states: [Records]? = nil, accepts: (@Sendable (Records, Acknowledged) -> Bool)? = nil,
            copy: Records? = nil,
            _ body: @escaping @Sendable (Database, MemoryFileSystem, Progress) async throws -> Void
        ) -> WritingOperation {
            on(base, name, states: states, accepts: accepts, copy: copy, body)
        }
        return [
            make("open and close") { _, _, _ in },
            make("write", states: states) { database, _, progress in
                for (key, bytes) in edits {
                    try await put(database, key, bytes: bytes)
                    progress.acknowledged.state += 1
                }
            },
            make("write beside each other", accepts: besideEachOther(base.records, edits)) { database, _, progress in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (key, bytes) in edits {
                        group.addTask {
                            try await put(database, key, bytes: bytes) { progress.acknowledged.commits[key] = $0 }
                            progress.acknowledged.keys.insert(key)
                        }
                    }
                    try await group.waitForAll()
                }
            },
            make("checkpoint") { database, _, _ in try await database.checkpoint() },
            make("write and checkpoint twice", states: Array(states[...2])) { database, _, progress in
                for (key, bytes) in edits[..<2] {
                    try await put(database, key, bytes: bytes)
                    progress.acknowledged.state += 1
                    try await database.checkpoint()
                }
            },
            make("steps of a primary extension") { database, _, _ in
                try await database.register(Marks())
                try await database.write { try $0.perform(.toggle(3), on: Marks()) }
                try await database.unregister("marks")
                try await database.checkpoint()
            },
            make("restore", states: [base.records, [:]]) { database, _, progress in
                let fork = database.fork()
                try await fork.write { $0.removeAll() }
                try await database.restore(fork.snapshot)
                progress.acknowledged.state += 1
                try await fork.close()
            },
            make("backup", copy: base.records) { database, disk, _ in
                try await database.backup(nil, to: target, fileSystem: disk)
            },
        ]
    }

    /// What the tool does to a directory.
    private static func byTools(_ base: Base) -> [WritingOperation] {
        func make(
            _ name: String, copy: Records? = nil,
            _ body: @escaping @Sendable (MemoryFileSystem, StoreOptions) throws -> Void
        ) -> WritingOperation {
            WritingOperation(
                name: name, base: base.disk, states: [base.records], accepts: inOrder([base.records]), copy: copy
            ) { disk, options, _ in try body(disk, options.store) }
        }
        return [
            make("tool: checkpoint") { disk, options in
                _ = try Maintenance("/db", fileSystem: disk, storeOptions: options).checkpoint()
            },
            make("tool: compact") { disk, options in
                _ = try Maintenance("/db", fileSystem: disk, storeOptions: options)
                    .compact(.checkpoints(2), isDryRun: false)
            },
            make("tool: purge") { disk, options in
                _ = try Maintenance("/db", fileSystem: disk, storeOptions: options).purge(isDryRun: false)
            },
            make("tool: tag") { disk, _ in
                // One that a crash stopped half-way is removed by the user, as the error says.
                let reader = try StoreReader.open("/db", fileSystem: disk)
                try reader.editTagFile { $0 = Array("first 1\n".utf8) }
            },
            make("tool: fork", copy: base.records) { disk, options in
                let reader = try StoreReader.open("/db", fileSystem: disk)
                _ = try reader.fork(at: try reader.newest(), to: target, options: options, fileSystem: disk)
            },
            make("tool: repair", copy: base.records) { disk, options in
                let reader = try StoreReader.open("/db", fileSystem: disk)
                let repair = try Repair(reader, RepairOptions(), fileSystem: disk)
                try repair.perform(to: target, storeOptions: options, fileSystem: disk) { _, _ in [0xA0] }
            },
        ]
    }
}
