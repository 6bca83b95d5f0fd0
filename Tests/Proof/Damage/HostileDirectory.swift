internal import SystemPackage
internal import Yaprak
package import YaprakCore
internal import YaprakSimulator
internal import YaprakStorage

/// A database directory made of any bytes. Whatever they are, opening succeeds or throws a typed error (R7).
package enum HostileDirectory {
    /// How far the bytes are taken.
    package enum Depth: Sendable {
        /// The headers are read, and frames verified.
        case verify
        /// The directory is opened without types, as a tool does.
        case replay
        /// It is opened with types, written to, and opened again.
        case open
    }

    /// The name that a file with this header must have: `wal/…` or `ckpt/…`.
    package static func name(of bytes: [UInt8]) -> String {
        func digits(_ number: UInt64, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let isCheckpoint = bytes.count > 3 && bytes[3] == 0x43
        let first = bytes.count >= 80 ? FileRegions.number64(bytes, 64) : 1
        let epoch = bytes.count >= 80 ? FileRegions.number64(bytes, 56) % 10_000_000_000 : 1
        let stem = "\(digits(first, 20))-\(digits(epoch, 10))"
        return isCheckpoint ? "ckpt/\(stem).ckpt" : "wal/\(stem).wal"
    }

    /// Looks at a directory of these files, each under its path below the database.
    /// - Returns: what is wrong; nil if everything that happened may happen.
    package static func examine(_ files: [(path: String, bytes: [UInt8])], _ depth: Depth) -> String? {
        let disk = MemoryFileSystem()
        let scheduler = SeededScheduler(seed: 1)
        let failure = scheduler.run { () -> String? in
            do {
                let root = try disk.openDirectory("/")
                try root.makeDirectory("db")
                let db = try root.openDirectory("db")
                try db.makeDirectory("wal")
                try db.makeDirectory("ckpt")
            } catch {
                return "a disk without faults refused: \(error)"
            }
            for (path, bytes) in files { disk.setContents(FilePath("/db/\(path)"), bytes) }
            do {
                let reader = try StoreReader.open("/db", fileSystem: disk)
                _ = try reader.verify(level: 1)
                _ = try? reader.segments()
                _ = try? reader.checkpoints()
                if depth == .verify { return nil }
                if depth == .replay {
                    _ = try Maintenance(
                        "/db", fileSystem: disk, storeOptions: WritingOperation.options(scheduler).store
                    ).checkpoint()
                    return nil
                }
                let database = try await WritingOperation.open(disk, WritingOperation.options(scheduler))
                let number = database.commitNumber
                do {
                    try await WritingOperation.put(database, 1)
                    try await database.checkpoint()
                } catch {
                    if !(error is DatabaseError) { return "writing throws \(error)" }
                }
                let records = SimulationModel.records(of: database.snapshot)
                try await database.close()
                // What it wrote itself, it opens.
                let again = try await WritingOperation.open(disk, WritingOperation.options(scheduler))
                let isSame = SimulationModel.records(of: again.snapshot) == records
                try await again.close()
                return isSame ? nil : "opened at \(number), it opens with another state the second time"
            } catch {
                return error is DatabaseError ? nil : "it throws \(error)"
            }
        }
        return failure ?? "it hangs"
    }

    /// The files of a small database, for a corpus.
    package static func sample(seed: UInt64) -> [(path: String, bytes: [UInt8])] {
        let disk = MemoryFileSystem()
        let scheduler = SeededScheduler(seed: seed)
        _ = scheduler.run {
            do {
                var options = WritingOperation.options(scheduler)
                options.store.preallocationBytes = 0
                options.store.compresses = seed % 2 == 0
                let database = try await WritingOperation.open(disk, options)
                try await database.register(Tally())
                try await database.register(Marks())
                for key in 0..<4 + Int(seed % 3) {
                    try await WritingOperation.put(database, key, bytes: key == 2 ? 1800 : 20)
                    if key == 1 || key == 3 { try await database.checkpoint() }
                }
                try await database.write { try $0.perform(.toggle(7), on: Marks()) }
                try await database.close()
            } catch {
                preconditionFailure("a disk without faults refused: \(error)")
            }
        }
        var files: [(path: String, bytes: [UInt8])] = []
        for folder in ["wal", "ckpt"] {
            for name in disk.names(FilePath("/db/\(folder)")) {
                let bytes = disk.contents(FilePath("/db/\(folder)/\(name)")) ?? []
                files.append(("\(folder)/\(name)", bytes))
            }
        }
        return files
    }

    /// A small database before and after a commit that changes one record of `items`; `others` has one, too.
    package static func sampleStates() -> (before: Snapshot, after: Snapshot)? {
        let scheduler = SeededScheduler(seed: 1)
        return scheduler.run { () -> (before: Snapshot, after: Snapshot)? in
            do {
                let database = try await WritingOperation.open(MemoryFileSystem(), WritingOperation.options(scheduler))
                try await WritingOperation.put(database, 1)
                try await WritingOperation.put(database, 3)
                let before = database.snapshot
                try await WritingOperation.put(database, 1, bytes: 7)
                let after = database.snapshot
                try await database.close()
                return (before, after)
            } catch {
                preconditionFailure("a disk without faults refused: \(error)")
            }
        } ?? nil
    }
}
