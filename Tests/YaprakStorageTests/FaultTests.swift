import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// Every call to the file system fails, in every way, at every place.
@Suite(.bounded) struct FaultTests {
    static let operations: [DiskError.Operation] = [
        .openDirectory, .makeDirectory, .open, .list, .rename, .unlink, .syncDirectory, .lock, .size, .read, .write,
        .syncData, .sync, .allocate, .truncate, .close,
    ]
    static let errnos: [Errno] = [
        .ioError, .noSpace, .diskQuotaExceeded, .fileTooLarge, .tooManyOpenFiles, .permissionDenied,
        .readOnlyFileSystem,
    ]

    @Test(arguments: operations, [false, true])
    func `Whatever call fails, the error is typed and no promise is broken`(
        operation: DiskError.Operation, forever: Bool
    ) throws {
        let workload = Workload.everything
        for errno in Self.errnos {
            var nth = 1
            while true {
                let disk = MemoryFileSystem()
                disk.fail(operation, nth: nth, errno: errno, forever: forever)
                let outcome = workload.run(on: disk)
                let isSpent = disk.faultsAreSpent
                if let error = outcome.error, !(error is DatabaseError) {
                    Issue.record("\(operation) \(errno) at \(nth): \(error) is not typed")
                }
                disk.healFaults()
                for remains in Remains.plain(disk) {
                    let image = disk.crashed(keeping: remains.writes, names: remains.names)
                    if let failure = Check(workload, outcome).survives(image, goesOn: remains.isPlain && nth % 3 == 0) {
                        Issue.record("\(operation) \(errno) at \(nth), forever \(forever), \(remains): \(failure)")
                        return
                    }
                }
                guard isSpent else { break }
                nth += Soak.isOn ? 1 : 1 + nth / 2
            }
            #expect(nth > 1)
        }
    }

    @Test func `Interrupted and short calls are resumed`() throws {
        let workload = Workload.everything
        for operation in [DiskError.Operation.read, .write] {
            for nth in 1...200 {
                let disk = MemoryFileSystem()
                disk.fail(operation, nth: nth, errno: .interrupted)
                disk.shortenWrite(nth: nth)
                let outcome = workload.run(on: disk)
                #expect(outcome.error == nil, "\(operation) \(nth)")
                #expect(try reopened(disk, Harness.path, workload.options).get() == outcome.issued)
                if !disk.faultsAreSpent { break }
            }
        }
    }

    @Test func `A full disk suspends, and writing goes on when there is space again`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk)
        try opened.append((1...3).map { Harness.item($0) })
        for errno in [Errno.noSpace, .diskQuotaExceeded, .fileTooLarge, .ioError] {
            disk.fail(.write, nth: 1, errno: errno, forever: true)
            let before = opened.items
            #expect { try opened.append(Harness.item(99)) } throws: {
                ($0 as? DatabaseError)?.code == (errno == .ioError ? .writeFailed : .diskFull)
            }
            guard case .suspended = opened.store.status else {
                Issue.record("not suspended")
                return
            }
            #expect { try opened.append(Harness.item(99)) } throws: { ($0 as? DatabaseError)?.code == .abandoned }
            disk.healFaults()
            try opened.store.resume(after: opened.store.acknowledgedNumber)
            #expect(opened.items == before)
            try opened.append(Harness.item(opened.items.count + 1))
            #expect(try reopened(disk.crashed(keeping: .none, names: .none)).get() == opened.items)
        }
        try opened.store.close()
        #expect(try reopened(disk).get() == opened.items)
    }

    // A segment is opened under its temporary name, and errors went on naming that after it was renamed.
    @Test func `An error names the file as it is found in the directory`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk)
        try opened.append(Harness.item(1))
        let name = try #require(disk.names(Harness.path.appending("wal")).last)
        disk.fail(.write, nth: 1, errno: .ioError)
        let error = #expect(throws: DatabaseError.self) { try opened.append(Harness.item(2)) }
        #expect(error?.place.file == "wal/\(name)")
        #expect(
            error.map { !"\($0)".contains(".tmp") && "\($0)".contains(name) } == true, "\(String(describing: error))")
        disk.healFaults()
        try opened.store.resume(after: opened.store.acknowledgedNumber)
        disk.fail(.syncData, nth: 1, errno: .ioError)
        let failedSync = #expect(throws: DatabaseError.self) { try opened.append(Harness.item(2)) }
        #expect(failedSync?.code == .syncFailed && failedSync?.place.file == "wal/\(name)")
    }

    @Test func `What stands behind a failed write fails with it, in order`() throws {
        let disk = MemoryFileSystem()
        var options = Harness.options()
        options.groupCommitsMax = 2
        options.attestAfter = .seconds(100)
        var opened = try Opened(disk, Harness.path, options)
        try opened.append(Harness.item(1))
        let codes = Monitor<[String]>([])
        let store = opened.store
        // The first completion holds the thread, so that the others wait in line.
        enum Gate { case waiting, reached, open }
        let gate = Monitor(Gate.waiting)
        try store.append(number: 2, item: Harness.item(2)) { _ in
            gate.withLock { $0 = .reached }
            gate.broadcast()
            gate.waitFor { gate, _ in gate == .open ? () : nil }
        }
        gate.waitFor { gate, _ in gate == .reached ? () : nil }
        for n in 3...8 {
            try store.append(number: CommitNumber(UInt64(n)), item: Harness.item(n)) { result in
                let code: String
                switch result {
                case .success: code = "durable"
                case .failure(let error): code = error.code.rawValue
                }
                codes.withLock { $0.append("\(n) \(code)") }
                codes.broadcast()
            }
        }
        disk.fail(.write, nth: 2, errno: .noSpace)
        gate.withLock { $0 = .open }
        gate.broadcast()
        let seen = codes.waitFor { all, _ in all.count == 6 ? all : nil }
        #expect(
            seen == ["3 durable", "4 durable", "5 diskFull", "6 diskFull", "7 abandoned", "8 abandoned"])
        try store.close()
        #expect(try reopened(disk).get().count == Int(store.acknowledgedNumber.rawValue))
    }

    @Test func `A failed sync makes the database read-only permanently, and is not asked again`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk)
        try opened.append(Harness.item(1))
        disk.fail(.syncData, nth: 1, errno: .ioError)
        #expect { try opened.append(Harness.item(2)) } throws: { ($0 as? DatabaseError)?.code == .syncFailed }
        let syncs = disk.calls(.syncData) + disk.calls(.sync)
        let writes = disk.calls(.write)
        #expect { try opened.append(Harness.item(2)) } throws: { ($0 as? DatabaseError)?.code == .readOnly }
        #expect { try opened.store.flush() } throws: { ($0 as? DatabaseError)?.code == .readOnly }
        #expect { try opened.checkpoint() } throws: { ($0 as? DatabaseError)?.code == .readOnly }
        #expect(throws: DatabaseError.self) { try opened.store.resume(after: 1) }
        try? opened.store.close()
        #expect(disk.calls(.syncData) + disk.calls(.sync) == syncs && disk.calls(.write) == writes)
        #expect(opened.store.durableNumber == 1)
        // The failed page is in the cache, so the commit is readable; serving it means writing it again.
        let second = try Opened(disk)
        #expect(second.items.count == 2)
        let image = disk.crashed(keeping: .none, names: .none)
        try second.store.close()
        #expect(try reopened(image).get() == second.items)
    }

    // Found by the simulation, seed 24: closing said nothing, and the commits were gone after a power cut.
    @Test func `Closing says that commits were acknowledged and are not durable`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk, Harness.path, Harness.options(.relaxed))
        try opened.append([Harness.item(1), Harness.item(2)])
        disk.fail(.syncData, nth: 1, errno: .ioError)
        #expect { try opened.store.flush() } throws: { ($0 as? DatabaseError)?.code == .syncFailed }
        #expect { try opened.store.close() } throws: { ($0 as? DatabaseError)?.code == .syncFailed }
        // The lock is released all the same.
        #expect(throws: Never.self) { try reopened(disk).get() }
    }

    // The documentation promised the tags of before, and did not name the error.
    @Test func `Where a sync fails, tags are as before or are said to be written`() throws {
        let disk = MemoryFileSystem()
        #expect(try reopened(disk).get().isEmpty)
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        let old = Array("first 1\n".utf8), new = Array("second 1\n".utf8)
        try reader.editTagFile { $0 = old }
        for operation in [DiskError.Operation.sync, .syncDirectory] {
            disk.fail(operation, nth: 1, errno: .ioError)
            let error = #expect(throws: DatabaseError.self) { try reader.editTagFile { $0 = new } }
            let isWritten = operation == .syncDirectory
            #expect(disk.faultsAreSpent && error?.code == .syncFailed && error?.place.file == "tags")
            #expect(error?.message.contains("are written") == isWritten)
            #expect(try reader.tagFile() == (isWritten ? new : old))
            #expect(!disk.names("/db").contains("tags.lock"))
            disk.healFaults()
        }
        let crashed = disk.crashed(keeping: .all, names: .all)
        #expect(try StoreReader.open(Harness.path, fileSystem: crashed).tagFile() == old)
    }

    @Test func `A failed sync of the directory is a failed sync`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk)
        disk.fail(.syncDirectory, nth: 1, errno: .ioError)
        #expect { try opened.append(Harness.item(1)) } throws: { ($0 as? DatabaseError)?.code == .syncFailed }
        #expect { try opened.append(Harness.item(1)) } throws: { ($0 as? DatabaseError)?.code == .readOnly }
        try? opened.store.close()
        #expect(try reopened(disk).get().isEmpty)
    }

    // A process without a descriptor to give took the files of a database for those of another, or of none.
    @Test(arguments: [Errno.tooManyOpenFiles, .permissionDenied])
    func `A segment that this process can't open is no segment that says nothing`(errno: Errno) throws {
        let code: DatabaseError.Code = errno == .permissionDenied ? .permissionDenied : .ioFailed
        let disk = MemoryFileSystem()
        for number in 1...4 {
            var opened = try Opened(disk)
            try opened.append(Harness.item(number))
            try opened.store.close()
        }
        let names = disk.names("/db/wal")
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        let lineage = try reader.lineage()
        for nth in 1...names.count {
            let copy = disk.copy()
            copy.fail(.open, nth: nth, errno: errno)
            let error = #expect(throws: DatabaseError.self, "\(nth)") {
                try StoreReader.open(Harness.path, fileSystem: copy).lineage()
            }
            #expect(copy.faultsAreSpent && error?.code == code && error?.place.file?.hasPrefix("wal/") == true)
        }
        // The newest segment, all of them for the lineage, the mark of the last close.
        for nth in 1...names.count + 2 {
            let copy = disk.copy()
            copy.fail(.open, nth: nth, errno: errno)
            let error = #expect(throws: DatabaseError.self, "\(nth)") { try Opened(copy) }
            #expect(copy.faultsAreSpent && error?.code == code)
            copy.healFaults()
            #expect(try reopened(copy).get().count == 4)
        }
        // What the device does not give back says nothing, as long as nobody needs it.
        for nth in 1...names.count {
            let copy = disk.copy()
            copy.fail(.open, nth: nth, errno: .ioError)
            #expect(try StoreReader.open(Harness.path, fileSystem: copy).lineage().id == lineage.id)
        }
        // A check goes on with those that it can open. The first file that it opens has the mark of the last close.
        disk.fail(.open, nth: 2, errno: errno)
        #expect(try reader.verify(level: 1).severity == .clean && disk.faultsAreSpent)
    }

    @Test(arguments: [Errno.tooManyOpenFiles, .permissionDenied])
    func `A damaged checkpoint that can't be opened again is not taken for one that proves nothing`(
        errno: Errno
    ) throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk)
        try opened.append(Harness.item(1))
        try opened.checkpoint()
        try opened.store.close()
        let file = FilePath("/db/ckpt").appending(try #require(disk.names("/db/ckpt").first))
        var bytes = try #require(disk.contents(file))
        bytes[Layout.fileHeaderBytes + 70] ^= 1
        disk.setContents(file, bytes)
        // The newest segment, the segments for the lineage, the checkpoint, and the checkpoint again.
        let nth = 1 + disk.names("/db/wal").count + 2
        disk.fail(.open, nth: nth, errno: errno)
        let error = #expect(throws: DatabaseError.self) { try Opened(disk) }
        #expect(disk.faultsAreSpent && error?.code == (errno == .permissionDenied ? .permissionDenied : .ioFailed))
        #expect(try reopened(disk).get() == opened.items)
    }

    /// Two checkpoints, and a third that is complete but for its end.
    private func withThirdCheckpoint(
        _ disk: MemoryFileSystem
    ) throws -> (opened: Opened, writer: CheckpointWriter) {
        var opened = try Opened(disk)
        for number in 1...2 {
            try opened.append(Harness.item(number))
            try opened.checkpoint()
        }
        try opened.append(Harness.item(3))
        let writer = try opened.store.beginCheckpoint(at: 3)
        try writer.beginSection(kind: 1, name: "items", info: [0xA0], asOf: 3)
        for item in opened.items { try writer.append(item) }
        try writer.endSection(count: 3, digest: 7)
        return (opened, writer)
    }

    // Its own beginning looks whether the log is well; what came while it was written was not looked at.
    @Test(arguments: [false, true])
    func `A checkpoint that ends behind a failed or closed log removes nothing`(closes: Bool) throws {
        let disk = MemoryFileSystem()
        var (opened, writer) = try withThirdCheckpoint(disk)
        if closes {
            try opened.store.close()
        } else {
            disk.fail(.syncData, nth: 1, errno: .ioError)
            #expect(throws: DatabaseError.self) { try opened.append(Harness.item(4)) }
        }
        let segments = disk.names("/db/wal")
        try writer.finish()
        #expect(disk.names("/db/ckpt").count == 3 && disk.names("/db/wal") == segments)
        try? opened.store.close()
        var second = try Opened(disk)
        #expect(second.items.starts(with: opened.items))
        try second.append(Harness.item(9))
        try second.checkpoint()
        #expect(disk.names("/db/ckpt").count == 2 && disk.names("/db/wal").count < segments.count + 2)
        try second.store.close()
    }

    // A full disk is a reason for a removal, and none against it.
    @Test func `A checkpoint that ends while the log waits for space removes what retention gives up`() throws {
        let disk = MemoryFileSystem()
        var (opened, writer) = try withThirdCheckpoint(disk)
        disk.fail(.write, nth: 1, errno: .noSpace)
        #expect(throws: DatabaseError.self) { try opened.append(Harness.item(4)) }
        try writer.finish()
        #expect(disk.names("/db/ckpt").count == 2)
        try opened.store.close()
        #expect(try reopened(disk).get() == opened.items)
    }

    @Test func `A checkpoint that fails costs nothing but itself`() throws {
        for (operation, errno) in [(DiskError.Operation.write, Errno.noSpace), (.sync, .ioError), (.rename, .ioError)] {
            let disk = MemoryFileSystem()
            var opened = try Opened(disk)
            try opened.append(Harness.item(1))
            let writer = try opened.store.beginCheckpoint(at: 1)
            try writer.beginSection(kind: 1, name: "items", asOf: 1)
            disk.fail(operation, nth: 1, errno: errno)
            #expect(throws: DatabaseError.self) {
                try writer.append(opened.items[0])
                try writer.endSection(count: 1, digest: 0)
                try writer.finish()
            }
            #expect(disk.names("/db/ckpt").isEmpty)
            try opened.append(Harness.item(2))
            try opened.checkpoint()
            try opened.store.close()
            #expect(try reopened(disk).get() == opened.items)
        }
    }
}
