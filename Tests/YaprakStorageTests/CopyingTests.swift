import SystemPackage
import TestSupport
import Testing

@testable import YaprakStorage

/// Forks on the simulated disk: the power goes at every call, links are refused.
@Suite struct CopyingTests {
    private var options: StoreOptions {
        var options = Workload.everything.options
        options.retention = .all
        return options
    }

    /// A directory with everything a fork meets: checkpoints, sealed segments, a group that a commit cuts, a tail in use.
    private func source(_ disk: MemoryFileSystem) throws -> (items: [[UInt8]], store: Store) {
        var opened = try Opened(disk, Harness.path, options)
        for n in 0..<6 {
            try opened.append((1...4).map { Harness.item(n * 10 + $0, bytes: 500 + n * 300) })
            if n % 3 == 1 { try opened.checkpoint() }
        }
        return (opened.items, opened.store)
    }

    @Test func `A fork is there as a whole or not at all, wherever the power goes`() throws {
        let base = MemoryFileSystem()
        let (items, store) = try source(base)
        for number in [2, 7, 11, 18, 24] {
            func fork(_ disk: MemoryFileSystem) throws {
                let reader = try StoreReader.open(Harness.path, fileSystem: disk)
                _ = try reader.fork(
                    at: CommitNumber(UInt64(number)), to: "/fork", options: options, fileSystem: disk)
            }
            let whole = base.copy()
            let start = whole.changes
            try fork(whole)
            let cuts = whole.changes - start
            #expect(cuts > 10)
            for cut in 0...cuts {
                let disk = base.copy()
                disk.cut(afterChanges: disk.changes + cut)
                try? fork(disk)
                for remains in Remains.of(disk, seed: UInt64(cut)) {
                    let image = disk.crashed(keeping: remains.writes, names: remains.names)
                    if image.names("/").contains("fork") {
                        let found = reopened(image, "/fork", options)
                        #expect(try found.get() == Array(items[..<number]), "commit \(number), cut \(cut), \(remains)")
                    } else {
                        #expect(cut < cuts)
                    }
                    #expect(try reopened(image, Harness.path, options).get() == items)
                }
            }
        }
        try store.close()
    }

    @Test(arguments: [Errno.improperLink, .notPermitted, .tooManyLinks])
    func `Where files can't be shared they are copied, and the report says why`(errno: Errno) throws {
        let disk = MemoryFileSystem()
        let (items, store) = try source(disk)
        disk.fail(.link, nth: 2, errno: errno, forever: true)
        let report = try StoreReader.open(Harness.path, fileSystem: disk)
            .fork(at: 20, to: "/fork", options: options, fileSystem: disk)
        #expect(report.linkedFiles == 1 && report.copiedFiles > 1 && report.reasonForCopies == errno)
        disk.healFaults()
        #expect(try reopened(disk, "/fork", options).get() == Array(items[..<20]))
        try store.close()
    }

    @Test func `A fork that fails leaves nothing behind`() throws {
        for operation in [DiskError.Operation.write, .sync, .syncDirectory, .rename, .open, .makeDirectory] {
            for nth in 1...12 {
                let disk = MemoryFileSystem()
                let (items, store) = try source(disk)
                try store.close()
                disk.fail(operation, nth: nth, errno: .ioError)
                let reader = try? StoreReader.open(Harness.path, fileSystem: disk)
                let result = Result {
                    try reader?.fork(at: 20, to: "/fork", options: options, fileSystem: disk)
                }
                disk.healFaults()
                if case .failure(let error) = result {
                    #expect(error is DatabaseError)
                    let names = disk.names("/")
                    // The sync of the parent comes after the name: the fork is whole then, and may be kept.
                    #expect(names == ["db"] || names == ["db", "fork"], "\(operation) \(nth): \(names)")
                }
                if disk.names("/").contains("fork") {
                    #expect(try reopened(disk, "/fork", options).get() == Array(items[..<20]))
                }
            }
        }
    }
}
