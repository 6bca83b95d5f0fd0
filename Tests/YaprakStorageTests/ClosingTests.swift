import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// A clean close proves the last commit: what is missing afterwards was lost, and is said to be.
@Suite(.bounded) struct ClosingTests {
    /// A database that was closed, with its newest segment.
    private func closed(commits: Int = 6, checkpointAt: Int? = nil, seed: UInt64 = 1) throws -> (
        disk: MemoryFileSystem, newest: FilePath, items: [[UInt8]]
    ) {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk, Harness.path, Harness.options(seed: seed))
        for number in 1...commits {
            try opened.append(Harness.item(number, bytes: 300))
            if number == checkpointAt { try opened.checkpoint() }
        }
        try opened.store.close()
        return (disk, try newest(disk), opened.items)
    }

    private func newest(_ disk: MemoryFileSystem) throws -> FilePath {
        FilePath("/db/wal").appending(try #require(disk.names("/db/wal").last))
    }

    private func verify(_ disk: MemoryFileSystem) throws -> VerifyReport {
        try StoreReader.open(Harness.path, fileSystem: disk).verify(level: 1)
    }

    private func ends(_ disk: MemoryFileSystem, _ file: FilePath) throws -> (lastCommit: UInt64, end: UInt64) {
        let mark = try #require(ClosingMark.read(in: try disk.openDirectory("/db")))
        #expect(file.string.hasSuffix(mark.segment.string(.segment)))
        return (mark.last, mark.end)
    }

    @Test(arguments: [nil, 3])
    func `The newest segment of a closed log can't be cut without a word`(checkpointAt: Int?) throws {
        let (disk, file, items) = try closed(checkpointAt: checkpointAt)
        let (last, end) = try ends(disk, file)
        #expect(last == 6)
        let bytes = try #require(disk.contents(file))
        for length in stride(from: 0, through: bytes.count, by: 64) {
            let damaged = disk.copy()
            damaged.setContents(file, Array(bytes[..<length]))
            let report = try verify(damaged)
            let reopened = reopened(damaged)
            if length >= Int(end) {
                // Only the seal is gone, or the zeros behind a frame.
                #expect(try reopened.get() == items, "\(length)")
                #expect(report.severity < .unreadable, "\(length): \(report.findings)")
            } else if case .success(let found) = reopened {
                Issue.record("\(length) bytes of \(bytes.count): \(found.count) commits, without an error")
            } else {
                #expect(throws: DatabaseError.self) { try reopened.get() }
                #expect(report.severity == .corrupt, "\(length): \(report.findings)")
            }
        }
    }

    @Test func `No sector of the last commits can rot unseen`() throws {
        let (disk, file, items) = try closed()
        let (_, end) = try ends(disk, file)
        let bytes = try #require(disk.contents(file))
        for start in stride(from: 0, to: bytes.count, by: 512) {
            let damaged = disk.copy()
            var changed = bytes
            for at in start..<min(start + 512, bytes.count) { changed[at] = 0 }
            if changed == bytes { continue }
            damaged.setContents(file, changed)
            switch reopened(damaged) {
            case .success(let found): #expect(found == items && start + 512 > Int(end), "sector at \(start)")
            case .failure(let error):
                #expect((error as? DatabaseError)?.code == .corruptLog && start < Int(end), "sector at \(start)")
            }
        }
    }

    @Test func `The loss of the newest segment is an error after a clean close`() throws {
        let (disk, _, _) = try closed()
        var again = try Opened(disk)
        try again.append(Harness.item(7))
        try again.store.close()
        let file = try newest(disk)
        disk.remove(file)
        #expect(throws: DatabaseError.self) { try reopened(disk).get() }
        #expect(try verify(disk).severity == .corrupt)
        // A backup that brings older files removes the lock file, which speaks of later ones.
        disk.remove("/db/LOCK")
        #expect(try reopened(disk).get().count == 6)
    }

    @Test func `The loss of every segment is an error after a clean close, though a checkpoint is whole`() throws {
        let (disk, _, _) = try closed(checkpointAt: 3)
        for name in disk.names("/db/wal") { disk.remove(FilePath("/db/wal").appending(name)) }
        #expect {
            try reopened(disk).get()
        } throws: {
            ($0 as? DatabaseError)?.code == .corruptLog && "\($0)".contains("4")
        }
        let report = try verify(disk)
        #expect(report.findings.contains { $0.severity == .corrupt && $0.commits == 4...6 }, "\(report.findings)")
    }

    @Test func `The loss of every segment is an error after a clean close, where there is no checkpoint either`() throws
    {
        let (disk, _, _) = try closed()
        for name in disk.names("/db/wal") { disk.remove(FilePath("/db/wal").appending(name)) }
        let error = #expect(throws: DatabaseError.self) { try reopened(disk).get() }
        #expect(error?.code == .corruptLog && error?.place.commits == 1...6)
        let report = try verify(disk)
        #expect(report.severity == .corrupt && report.findings.contains { $0.commits == 1...6 }, "\(report.findings)")
        let newest = #expect(throws: DatabaseError.self) {
            try StoreReader.open(Harness.path, fileSystem: disk).newest()
        }
        #expect(newest?.code == .corruptLog)
        // Without the lock file, nothing says that there was anything.
        disk.remove("/db/LOCK")
        #expect(try reopened(disk).get().isEmpty)
    }

    @Test func `A database that was opened and never written to opens again`() throws {
        let disk = MemoryFileSystem()
        for _ in 0..<3 { #expect(try reopened(disk).get().isEmpty) }
        #expect(try verify(disk).severity == .clean)
        #expect(try StoreReader.open(Harness.path, fileSystem: disk).newest() == .zero)
    }

    @Test func `A folder that was made again, or a lock file, has a durable name before anything relies on it`() throws
    {
        let (disk, _, _) = try closed(commits: 5)
        disk.remove("/db/ckpt")
        var opened = try Opened(disk)
        for number in 6...20 {
            try opened.append(Harness.item(number, bytes: 300))
            if number % 5 == 0 { try opened.checkpoint() }
        }
        #expect(try reopened(disk.crashed(keeping: .all, names: .none)).get() == opened.items)
        disk.remove("/db/LOCK")
        try opened.store.close()
        let crashed = disk.crashed(keeping: .all, names: .none)
        #expect(ClosingMark.read(in: try crashed.openDirectory("/db"))?.last == 20)
        #expect(try reopened(crashed).get() == opened.items)
    }

    // Only the opening that made the folder synced its name.
    @Test func `A folder that a failed opening made again has a durable name before the log is pruned`() throws {
        let (disk, _, _) = try closed(commits: 5)
        disk.remove("/db/ckpt")
        disk.fail(.syncDirectory, nth: 1, errno: .ioError)
        let error = #expect(throws: DatabaseError.self) { try reopened(disk).get() }
        #expect(error?.code == .syncFailed)
        let killed = disk.afterKill()
        var opened = try Opened(killed)
        for number in 6...20 {
            try opened.append(Harness.item(number, bytes: 300))
            if number % 5 == 0 { try opened.checkpoint() }
            #expect(try reopened(killed.crashed(keeping: .all, names: .none)).get() == opened.items, "\(number)")
        }
        #expect(!killed.names("/db/wal").contains { $0.hasPrefix("00000000000000000001-") })
        try opened.store.close()
    }

    @Test func `Nothing is removed in an opening that could not make the names of the folders durable`() throws {
        let (disk, _, _) = try closed(commits: 5, checkpointAt: 3)
        let first = try #require(disk.names("/db/wal").first)
        // The last sync of a directory is that of the log, after a segment was removed. The one before is that of the names.
        let dry = disk.copy()
        var other = try Opened(dry)
        try other.append(Harness.item(6))
        let before = dry.calls(.syncDirectory)
        try other.checkpoint()
        let syncs = dry.calls(.syncDirectory) - before
        #expect(!dry.names("/db/wal").contains(first))
        try other.store.close()
        var opened = try Opened(disk)
        try opened.append(Harness.item(6))
        disk.fail(.syncDirectory, nth: syncs - 1, errno: .ioError)
        try opened.checkpoint()
        #expect(disk.faultsAreSpent && disk.names("/db/wal").contains(first))
        try opened.append(Harness.item(7))
        try opened.checkpoint()
        #expect(disk.names("/db/wal").contains(first))
        try opened.store.close()
        opened = try Opened(disk)
        try opened.checkpoint()
        #expect(!disk.names("/db/wal").contains(first))
        try opened.store.close()
    }

    @Test func `The loss of every segment behind a checkpoint is an error after a kill, too`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk, Harness.path, Harness.options())
        for number in 1...6 {
            try opened.append(Harness.item(number, bytes: 300))
            if number == 3 { try opened.checkpoint() }
        }
        let killed = disk.afterKill()
        #expect(try verify(killed).severity < .unreadable)
        for name in killed.names("/db/wal") { killed.remove(FilePath("/db/wal").appending(name)) }
        #expect {
            try reopened(killed).get()
        } throws: {
            ($0 as? DatabaseError)?.code == .corruptLog
        }
        #expect(try verify(killed).severity == .corrupt)
        #expect(try StoreReader.open(Harness.path, fileSystem: killed).verify(level: 0).severity == .corrupt)
    }

    @Test func `The loss of the first segment is an error where no checkpoint has its commits`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk, Harness.path, Harness.options())
        for number in 1...40 { try opened.append(Harness.item(number, bytes: 400, compressible: false)) }
        try opened.store.close()
        let first = try #require(disk.names("/db/wal").min())
        disk.remove(FilePath("/db/wal").appending(first))
        #expect {
            try reopened(disk).get()
        } throws: {
            ($0 as? DatabaseError)?.code == .corruptLog && "\($0)".contains("is missing")
        }
        #expect(try verify(disk).severity == .corrupt)
    }

    @Test func `Opening and closing without a commit keeps the proof and writes nothing`() throws {
        let (disk, file, items) = try closed()
        let mark = disk.contents("/db/LOCK")
        for _ in 0..<3 { #expect(try reopened(disk).get() == items) }
        #expect(disk.contents("/db/LOCK") == mark)
        disk.setContents(file, Array(try #require(disk.contents(file)).prefix(4096)))
        #expect(throws: DatabaseError.self) { try reopened(disk).get() }
    }

    @Test func `A directory of an older version, without a mark, opens as before`() throws {
        let (disk, file, items) = try closed()
        for contents in [[], Array("pid 17\n".utf8), [UInt8](repeating: 0xA5, count: 700)] as [[UInt8]] {
            let old = disk.copy()
            old.setContents("/db/LOCK", contents)
            #expect(try reopened(old).get() == items)
            old.setContents("/db/LOCK", contents)
            old.setContents(file, Array(try #require(disk.contents(file)).prefix(4096)))
            #expect(try reopened(old).get().count < items.count)
        }
    }

    /// A file of the wrong database, a torn mark, a mark of an older close: none of them says too much.
    @Test func `A mark that is torn, foreign or old never makes a whole log look damaged`() throws {
        let (disk, _, items) = try closed()
        let lock = try #require(disk.contents("/db/LOCK"))
        for bit in stride(from: 512 * 8, to: lock.count * 8, by: 7) {
            let torn = disk.copy()
            var bytes = lock
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            torn.setContents("/db/LOCK", bytes)
            #expect(try reopened(torn).get() == items, "bit \(bit)")
        }
        let (other, _, _) = try closed(commits: 20, seed: 2)
        let foreign = disk.copy()
        foreign.setContents("/db/LOCK", try #require(other.contents("/db/LOCK")))
        var opened = try Opened(foreign, Harness.path, Harness.options(seed: 99))
        try opened.append(Harness.item(7))
        try opened.store.close()
        foreign.setContents("/db/LOCK", lock)
        #expect(try reopened(foreign).get().count == 7)
        #expect(try verify(foreign).severity == .clean)
    }

    @Test(arguments: [Durability.always, .relaxed])
    func `A writer that is killed or loses power after a clean close is never said to have lost anything`(
        durability: Durability
    ) throws {
        let (disk, _, items) = try closed(checkpointAt: 4)
        let before = disk.changes
        var cut = 0
        while true {
            let running = disk.copy()
            running.cut(afterChanges: running.changes + cut)
            var options = Harness.options(durability, seed: 5)
            options.segmentBytesMax = 2 << 10
            var issued = items
            if var opened = try? Opened(running, Harness.path, options) {
                for number in 7...14 {
                    issued.append(Harness.item(number, bytes: 300))
                    guard (try? opened.append(Harness.item(number, bytes: 300))) != nil else { break }
                    if number == 10 { try? opened.checkpoint() }
                }
                try? opened.store.close()
            }
            for image in [
                running.afterKill(), running.crashed(keeping: .none, names: .none),
                running.crashed(keeping: .all, names: .none), running.crashed(keeping: .none, names: .all),
                running.crashed(keeping: .random(seed: UInt64(cut)), names: .all),
            ] {
                let report = try verify(image)
                #expect(report.severity <= .torn, "cut at \(cut): \(report.findings)")
                let found = try reopened(image).get()
                #expect(found.count >= items.count && found == Array(issued.prefix(found.count)), "cut at \(cut)")
            }
            guard running.isCut else { break }
            cut += 1
        }
        #expect(cut > 20 && before > 0)
    }

    @Test func `A damaged bit of a seal or of the mark of a checkpoint is named`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk)
        for number in 1...4 {
            try opened.append(Harness.item(number, bytes: 100))
            if number % 2 == 0 { try opened.checkpoint() }
        }
        try opened.store.close()
        var seen: [UInt8: Int] = [:]
        for name in disk.names("/db/wal") {
            let file = FilePath("/db/wal").appending(name)
            let bytes = try #require(disk.contents(file))
            let header = try UnprovenFileHeader(bytes: Array(bytes.prefix(4096))).prove(as: .segment)
            for start in stride(from: 4096, through: bytes.count - 64, by: 8) {
                let frame = bytes.withUnsafeBytes { buffer in
                    try? UnprovenFrameHeader(bytes: UnsafeRawBufferPointer(rebasing: buffer[start..<start + 64]))
                        .prove(in: header, at: UInt64(start), end: UInt64(bytes.count)).get()
                }
                guard let frame, [3, 4].contains(frame.type) else { continue }
                for at in start..<start + 64 + frame.storedLength {
                    // The zeros behind it are counted in the header, and have no sum of their own.
                    let damaged = disk.copy()
                    var changed = bytes
                    changed[at] ^= 0x10
                    damaged.setContents(file, changed)
                    let report = try verify(damaged)
                    #expect(report.severity != .clean, "type \(frame.type), byte \(at - start) in \(name)")
                    _ = try? reopened(damaged).get()
                }
                seen[frame.type, default: 0] += 1
            }
        }
        #expect(seen[3, default: 0] >= 2 && seen[4, default: 0] >= 1, "\(seen)")
    }
}
