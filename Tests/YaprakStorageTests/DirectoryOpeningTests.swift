import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// Which directories are opened as databases, and what is asked of those around them.
@Suite(.bounded) struct DirectoryOpeningTests {
    /// A disk with a directory that holds these; a name that ends in a slash is that of a folder.
    private func disk(_ names: [String]) throws -> MemoryFileSystem {
        let disk = MemoryFileSystem()
        let root = try disk.openDirectory("/")
        try root.makeDirectory("db")
        let directory = try root.openDirectory("db")
        for name in names {
            if name.hasSuffix("/") {
                try directory.makeDirectory(String(name.dropLast()))
            } else {
                disk.setContents(Harness.path.appending(name), [1])
            }
        }
        return disk
    }

    private func everything(_ disk: MemoryFileSystem) -> [[String]] {
        ["/db", "/db/wal", "/db/ckpt"].map { disk.names($0) }
    }

    // Of the names of ours one was enough. The lock file and the other folder were made beside those of another program, and
    // the first commit wrote a segment among its files.
    @Test(
        arguments: [
            ["wal/", "data"], ["wal/", "wal/00000001"], ["wal/", "wal/00000001", "data"],
            ["chunks_head/", "lock", "queries.active", "wal/", "wal/00000001"], ["data/", "meta/", "wal/"],
            ["snap/", "wal/", "wal/0000000000000000-0000000000000000.wal"],
            ["CURRENT", "LOCK", "wal/", "wal/000003.log"],
            ["ckpt/", "ckpt/model-1000.ckpt"], ["ckpt/", "ckpt/model-1000.ckpt", "wal/"], ["wal"],
            [".DS_Store", "notes.txt"], [".DS_Store", "LOCK", "data"], [".data", "LOCK"], [".git/"], ["notes~"],
        ] as [[String]])
    func `Another program's directory is refused and left alone, though a folder has a name of ours`(
        names: [String]
    ) throws {
        let disk = try disk(names)
        let before = everything(disk), changes = disk.changes
        let error = #expect(throws: DatabaseError.self) { try Opened(disk) }
        #expect(error?.code == .notADatabase)
        #expect(everything(disk) == before && disk.changes == changes && disk.calls(.lock) == 0)
    }

    @Test(
        arguments: [
            // What a kill or a power cut leaves of a database that is being made, with the names that it keeps.
            [], ["LOCK"], ["LOCK", "wal/"], ["LOCK", "ckpt/"], ["wal/"], ["ckpt/"], ["wal/", "ckpt/"],
            ["LOCK", "wal/", "ckpt/"],
            // Which looks empty: a file manager has left a file, or the directory is that of a whole disk.
            [".DS_Store"], [".DS_Store", "LOCK"], ["lost+found/"], ["LOCK", "Thumbs.db"],
            // With what systems, editors and users put beside it.
            [".DS_Store", "LOCK", "wal/"], ["lost+found/", "wal/"], ["ckpt/", "ckpt/.DS_Store", "lost+found/", "wal/"],
            ["README.md", "ckpt/", "wal/"], ["LOCK", "README.md", "ckpt/", "wal/", "wal/notes.txt"],
            ["ckpt/", "desktop.ini", "notes.txt~"], ["LOCK", "tags", "wal/"], ["tags", "tags.lock", "wal/"],
        ] as [[String]])
    func `A database that nothing was committed to opens, whatever a crash or a copy has left of it`(
        names: [String]
    ) throws {
        let disk = try disk(names)
        var opened = try Opened(disk)
        #expect(opened.items.isEmpty)
        try opened.append(Harness.item(1))
        try opened.store.close()
        #expect(Set(disk.names("/db")).isSuperset(of: names.filter { !$0.contains("/") }))
        #expect(try reopened(disk).get() == opened.items)
    }

    @Test func `A database with a file of its own opens, whatever else is there`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk)
        for number in 1...4 {
            try opened.append(Harness.item(number))
            if number == 2 { try opened.checkpoint() }
        }
        try opened.store.close()
        let root = try disk.openDirectory("/db")
        try root.makeDirectory("data")
        for name in ["README.md", "wal/00000001", "ckpt/model.ckpt"] {
            disk.setContents(Harness.path.appending(name), [1])
        }
        for missing in [[], ["LOCK"], ["LOCK", "wal"], ["LOCK", "ckpt"]] {
            let copy = disk.copy()
            for name in missing { copy.remove(Harness.path.appending(name)) }
            switch reopened(copy) {
            case .success(let items): #expect(items == opened.items && !missing.contains("wal"), "\(missing)")
            case .failure(let error):
                #expect((error as? DatabaseError)?.code == .corruptLog && missing.contains("wal"), "\(missing)")
            }
        }
        // Killed while its first segment was being written.
        let young = try self.disk(["data/", "wal/"])
        young.setContents(FilePath("/db/wal").appending(FileName(first: 1, epoch: 1).temporary(.segment)), [])
        #expect(try reopened(young).get().isEmpty)
        #expect(young.names("/db/wal").isEmpty)
    }

    @Test(arguments: [Errno.permissionDenied, .notPermitted])
    func `A parent that may not be read is no reason against a directory that was there before`(errno: Errno) throws {
        let disk = try disk([])
        // The directory, its two folders, its parent.
        disk.fail(.openDirectory, nth: 4, errno: errno)
        var opened = try Opened(disk)
        #expect(disk.faultsAreSpent)
        try opened.append(Harness.item(1))
        try opened.store.close()
        #expect(try reopened(disk).get() == opened.items)
    }

    // Some file systems sync no directories, and some that a directory is mounted in are read-only.
    @Test(arguments: [Errno.invalidArgument, .notSupported, .readOnlyFileSystem])
    func `A parent that can't be synced is no reason against a directory that was there before`(errno: Errno) throws {
        let disk = try disk([])
        // The directory, its parent.
        disk.fail(.syncDirectory, nth: 2, errno: errno)
        var opened = try Opened(disk)
        #expect(disk.faultsAreSpent)
        try opened.append(Harness.item(1))
        try opened.store.close()
        #expect(try reopened(disk).get() == opened.items)
        let empty = MemoryFileSystem()
        empty.fail(.syncDirectory, nth: 2, errno: errno)
        let error = #expect(throws: DatabaseError.self) { try Opened(empty) }
        #expect(empty.faultsAreSpent && error?.code == .syncFailed)
    }

    @Test func `The name of a directory that an opening has made is durable, or the opening fails`() throws {
        let cases: [(Errno, DatabaseError.Code)] = [
            (.permissionDenied, .permissionDenied), (.tooManyOpenFiles, .ioFailed),
        ]
        for (errno, code) in cases {
            let disk = MemoryFileSystem()
            // The directory, which is not there, its parent, itself, its two folders, its parent.
            disk.fail(.openDirectory, nth: 6, errno: errno)
            let error = #expect(throws: DatabaseError.self) { try Opened(disk) }
            #expect(disk.faultsAreSpent && error?.code == code)
        }
        // One that was there, too, where the parent is what fails.
        let disk = try disk([])
        disk.fail(.syncDirectory, nth: 2, errno: .ioError)
        let error = #expect(throws: DatabaseError.self) { try Opened(disk) }
        #expect(disk.faultsAreSpent && error?.code == .syncFailed)
    }

    // A path without a last name had no parent.
    @Test func `The name of a directory that is opened by a path that ends in dots is durable`() throws {
        let disk = MemoryFileSystem()
        // Made by somebody, and not synced.
        try disk.openDirectory("/").makeDirectory("db")
        var opened = try Opened(WatchedFileSystem(disk), "/db/.")
        try opened.append(Harness.item(1))
        #expect(try reopened(disk.crashed(keeping: .none, names: .none)).get() == opened.items)
        try opened.store.close()
        // The simulated disk has no parents to give, and opens nevertheless.
        #expect(try reopened(disk, "/db/.").get() == opened.items)
        #expect(try reopened(MemoryFileSystem(), "/").get().isEmpty)
    }

    @Test func `A full disk says that it is full where the lock file can't be made`() throws {
        let cases: [(Errno, DatabaseError.Code)] = [(.noSpace, .diskFull), (.tooManyOpenFiles, .ioFailed)]
        for (errno, code) in cases {
            let disk = try disk(["ckpt/", "wal/"])
            disk.fail(.lock, nth: 1, errno: errno)
            let error = #expect(throws: DatabaseError.self) { try Opened(disk) }
            #expect(disk.faultsAreSpent && error?.code == code)
        }
    }

    // All calls but reads counted as writes.
    @Test func `A segment that can't be opened to be read is no failed write`() throws {
        let disk = MemoryFileSystem()
        for number in 1...3 {
            var opened = try Opened(disk)
            try opened.append(Harness.item(number))
            try opened.store.close()
        }
        let dry = disk.copy()
        _ = try reopened(dry).get()
        let opens = dry.calls(.open)
        // The newest segment, all for the lineage, the mark of the last close, all for their commits.
        #expect(opens == 2 + 2 * disk.names("/db/wal").count)
        for nth in 1...opens {
            let copy = disk.copy()
            copy.fail(.open, nth: nth, errno: .tooManyOpenFiles)
            let error = #expect(throws: DatabaseError.self) { try reopened(copy).get() }
            #expect(copy.faultsAreSpent && error?.code == .ioFailed, "\(nth)")
        }
    }
}
