import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// The power goes at every call that changes the disk, and leaves every kind of remains.
@Suite(.bounded) struct CrashTests {
    @Test(arguments: Workload.all.indices)
    func `After a power cut anywhere every promised commit is there, and nothing that was not written`(
        index: Int
    ) throws {
        let workload = Workload.all[index]
        let whole = MemoryFileSystem()
        let outcome = workload.run(on: whole)
        try #require(outcome.error == nil, "\(workload.name): \(String(describing: outcome.error))")
        var images = 0
        // Each run takes other cuts; a soak takes all.
        let stride = Soak.volume(13, soak: 1)
        for cut in Swift.stride(from: Int.random(in: 0..<stride), through: whole.changes, by: stride) {
            let disk = MemoryFileSystem()
            disk.cut(afterChanges: cut)
            let outcome = workload.run(on: disk)
            for remains in Remains.of(disk, seed: UInt64(cut)) {
                images += 1
                let goesOn = images % 5 == 0 || remains.isPlain
                let image = disk.crashed(keeping: remains.writes, names: remains.names)
                if let failure = Check(workload, outcome).survives(image, goesOn: goesOn) {
                    Issue.record("\(workload.name), cut after \(cut) changes, \(remains): \(failure)")
                    return
                }
            }
        }
        print("\(workload.name): \(whole.changes) cuts, \(images) images")
    }

    @Test(arguments: Workload.all.indices)
    func `A power cut while recovering from a power cut takes nothing away`(index: Int) throws {
        let workload = Workload.all[index]
        let whole = MemoryFileSystem()
        _ = workload.run(on: whole)
        var images = 0
        let stride = Soak.volume(23, soak: 1)
        for cut in Swift.stride(from: Int.random(in: 0..<stride), through: whole.changes, by: stride) {
            let disk = MemoryFileSystem()
            disk.cut(afterChanges: cut)
            let outcome = workload.run(on: disk)
            for remains in Remains.plain(disk) {
                let image = disk.crashed(keeping: remains.writes, names: remains.names)
                let changes = recoveryChanges(image.copy(), workload)
                for second in 0..<changes {
                    let again = image.copy()
                    again.cut(afterChanges: second)
                    _ = try? Opened(again, Harness.path, workload.options).store.close()
                    for more in Remains.plain(again) {
                        images += 1
                        let result = again.crashed(keeping: more.writes, names: more.names)
                        if let failure = Check(workload, outcome).survives(result, goesOn: false) {
                            Issue.record(
                                "\(workload.name), cut \(cut), \(remains), then \(second), \(more): \(failure)")
                            return
                        }
                    }
                }
            }
        }
        print("\(workload.name): \(images) images of second cuts")
    }

    private func recoveryChanges(_ disk: MemoryFileSystem, _ workload: Workload) -> Int {
        _ = try? Opened(disk, Harness.path, workload.options).store.close()
        return disk.changes
    }

    @Test(arguments: Workload.all.indices)
    func `After a kill what is served then survives a power cut`(index: Int) throws {
        let workload = Workload.all[index]
        let whole = MemoryFileSystem()
        _ = workload.run(on: whole)
        for cut in 0...whole.changes {
            let disk = MemoryFileSystem()
            disk.cut(afterChanges: cut)
            let outcome = workload.run(on: disk)
            let killed = disk.afterKill()
            let opened = try Opened(killed, Harness.path, workload.options)
            #expect(opened.items.count >= outcome.promised, "\(workload.name), \(cut)")
            for remains in Remains.plain(killed) {
                let image = killed.crashed(keeping: remains.writes, names: remains.names)
                let after = try reopened(image, Harness.path, workload.options).get()
                #expect(after == opened.items, "\(workload.name), killed after \(cut) changes, \(remains)")
            }
            try opened.store.close()
        }
    }

    @Test func `A standalone directory is there as a whole or not at all`() throws {
        let items = (1...5).map { Harness.item($0, bytes: 300) }
        func make(_ disk: MemoryFileSystem) throws {
            let options = Workload.everything.options
            let writer = try Store.createStandalone("/copy", at: 5, options: options, fileSystem: disk)
            try writer.beginSection(kind: 1, name: "items", asOf: 5)
            for item in items { try writer.append(item) }
            try writer.endSection(count: 5, digest: 0)
            try writer.finish()
        }
        let whole = MemoryFileSystem()
        try make(whole)
        for cut in 0...whole.changes {
            let disk = MemoryFileSystem()
            disk.cut(afterChanges: cut)
            try? make(disk)
            for remains in Remains.of(disk, seed: UInt64(cut)) {
                let image = disk.crashed(keeping: remains.writes, names: remains.names)
                guard image.names("/").contains("copy") else {
                    #expect(cut < whole.changes)
                    continue
                }
                #expect(try reopened(image, "/copy").get() == items, "\(cut), \(remains)")
            }
        }
    }

    // Found by failing every call after its work: the rename was done, and what had its name was taken apart.
    @Test func `A new directory whose rename reported an error, although it was done, is kept`() throws {
        let items = (1...5).map { Harness.item($0, bytes: 300) }
        let disk = MemoryFileSystem()
        // The first is that of the checkpoint.
        disk.plan(.rename, nth: 2, .errorAfter(.ioError))
        let options = Workload.everything.options
        let writer = try Store.createStandalone("/copy", at: 5, options: options, fileSystem: disk)
        try writer.beginSection(kind: 1, name: "items", asOf: 5)
        for item in items { try writer.append(item) }
        try writer.endSection(count: 5, digest: 0)
        try writer.finish()
        #expect(disk.faultsAreSpent)
        #expect(try reopened(disk.crashed(keeping: .none, names: .none), "/copy").get() == items)
    }

    // Found by the simulation, seed 1126: opening said that the segment had changed while it was read.
    @Test func `A mark whose payload a power cut tore does not prevent opening`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk, Harness.path, Harness.options(.relaxed))
        try opened.append([Harness.item(1), Harness.item(2)])
        try opened.checkpoint()
        try opened.append([Harness.item(3), Harness.item(4)])
        let image = disk.crashed(keeping: .all, names: .all)
        let name = try #require(image.names("/db/wal").last)
        let path = Harness.path.appending("wal").appending(name)
        var bytes = try #require(image.contents(path))
        let header = try UnprovenFileHeader(bytes: bytes).prove(as: .segment)
        var at = Layout.fileHeaderBytes
        var marks = 0
        while case .success(let frame) = bytes.withUnsafeBytes({ buffer in
            UnprovenFrameHeader(bytes: UnsafeRawBufferPointer(rebasing: buffer[at..<at + Layout.frameHeaderBytes]))
                .prove(in: header, at: UInt64(at), end: UInt64(buffer.count))
        }) {
            if frame.type == FrameType.checkpointMark.rawValue {
                marks += 1
                for i in 0..<frame.storedLength { bytes[at + Layout.frameHeaderBytes + i] = 0 }
            }
            at += frame.totalLength
        }
        try #require(marks == 1)
        image.setContents(path, bytes)
        #expect(try reopened(image).get() == opened.items)
        try opened.store.close()
    }

    // Found by the simulation, seeds 4681 and 15571: the next segment or checkpoint was there, the one it names was not.
    @Test(arguments: [false, true])
    func `A segment whose name was never synced is not missed after a power cut`(checkpoints: Bool) throws {
        let failed = MemoryFileSystem()
        var first = try Opened(failed)
        if !checkpoints {
            try first.append(Harness.item(1))
            try first.checkpoint()
        }
        try first.store.close()
        var second = try Opened(failed)
        failed.fail(.syncDirectory, nth: 1, errno: .ioError)
        #expect(throws: DatabaseError.self) { try second.append(Harness.item(2)) }
        try? second.store.close()
        var cuts = 0
        while true {
            let disk = failed.afterKill()
            disk.cut(afterChanges: disk.changes + cuts)
            var third = try? Opened(disk)
            if checkpoints { try? third?.checkpoint() } else { try? third?.append(Harness.item(2)) }
            try? third?.store.close()
            for names in [MemoryFileSystem.KeptNames.none, .all, .subset(1), .subset(2)] {
                let image = disk.crashed(keeping: .all, names: names)
                #expect(throws: Never.self, "\(cuts), \(names)") { try reopened(image).get() }
            }
            guard disk.isCut else { break }
            cuts += 1
        }
        #expect(cuts > 4)
    }

    @Test func `What was served after a crash survives the next`() throws {
        // Under no syncs the tail is in the cache only. Recovery reads it, so it has to make it durable first.
        let disk = MemoryFileSystem()
        var opened = try Opened(disk, Harness.path, Harness.options(.relaxed))
        try opened.append((1...4).map { Harness.item($0) })
        let afterKill = disk.crashed(keeping: .all, names: .all)
        let second = try Opened(afterKill)
        #expect(second.items == opened.items && second.report.reloggedCommitCount == 4)
        let third = try Opened(afterKill.crashed(keeping: .none, names: .none))
        #expect(third.items == opened.items && third.report.reloggedCommitCount == 0)
        for store in [opened.store, second.store, third.store] { try store.close() }
    }

    // The tail that the first of both wrote again was taken for proven, and its name was not on the disk.
    @Test func `What is shown after an opening that lost a sync of a folder survives the next power cut`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk, Harness.path, Harness.options(.relaxed))
        try opened.append((1...4).map { Harness.item($0) })
        var nth = 0
        while true {
            nth += 1
            let killed = disk.afterKill()
            killed.fail(.syncDirectory, nth: nth, errno: .ioError)
            let first = try? Opened(killed, Harness.path, Harness.options(.relaxed, seed: 2))
            try first?.store.close()
            guard killed.faultsAreSpent else { break }
            let image = killed.afterKill()
            let second = try Opened(image, Harness.path, Harness.options(.relaxed, seed: 3))
            #expect(second.items == opened.items)
            let third = try Opened(image.crashed(keeping: .none, names: .none), Harness.path, Harness.options(seed: 4))
            #expect(third.items == second.items, "sync \(nth) of a folder")
            for store in [second.store, third.store] { try store.close() }
        }
        #expect(nth > 1)
        try opened.store.close()
    }
}

/// What a power cut leaves.
struct Remains: CustomStringConvertible {
    let writes: MemoryFileSystem.KeptWrites
    let names: MemoryFileSystem.KeptNames
    var isPlain = false

    var description: String { "kept writes: \(writes), names: \(names)" }

    static func plain(_ disk: MemoryFileSystem) -> [Remains] {
        if disk.pendingWriteSizes.isEmpty, disk.pendingNameCount == 0 {
            return [Remains(writes: .none, names: .none, isPlain: true)]
        }
        return [
            Remains(writes: .none, names: .none, isPlain: true), Remains(writes: .all, names: .all, isPlain: true),
            Remains(writes: .all, names: .none, isPlain: true), Remains(writes: .none, names: .all, isPlain: true),
        ]
    }

    static func of(_ disk: MemoryFileSystem, seed: UInt64) -> [Remains] {
        var remains = plain(disk)
        let count = disk.pendingNameCount
        if count > 1 {
            for mask in UInt64(1)..<UInt64(1) << UInt64(min(count, 5)) {
                remains.append(Remains(writes: .all, names: .subset(mask)))
            }
        }
        let sizes = disk.pendingWriteSizes
        guard let last = sizes.last(where: { $0 > 0 }) else { return remains }
        let step = Harness.soak > 1 ? 1 : last > 600 ? 13 : 1
        for bytes in stride(from: 0, to: last, by: step) {
            remains.append(Remains(writes: .prefix(bytes), names: .all))
        }
        let sectors = sizes.reduce(0) { $0 + ($1 + 511) / 512 }
        if sectors <= 6 {
            for mask in UInt64(0)..<UInt64(1) << UInt64(sectors) {
                remains.append(Remains(writes: .sectors(mask), names: .all))
            }
        }
        for i in 0..<UInt64(8 * Harness.soak) {
            remains.append(Remains(writes: .random(seed: seed &* 1000 &+ i), names: .all))
        }
        return remains
    }
}

/// The promise, asked of one image.
struct Check {
    let workload: Workload
    let outcome: Workload.Outcome

    init(_ workload: Workload, _ outcome: Workload.Outcome) {
        self.workload = workload
        self.outcome = outcome
    }

    /// nil, or what was broken.
    func survives(_ disk: MemoryFileSystem, goesOn: Bool) -> String? {
        do {
            var opened = try Opened(disk, Harness.path, workload.options)
            defer { try? opened.store.close() }
            let count = opened.items.count
            guard count >= outcome.promised else { return "\(count) commits of \(outcome.promised) promised" }
            guard count <= outcome.issued.count, haveSameItems(opened.items, outcome.issued[..<count]) else {
                return "a state that never was"
            }
            guard goesOn else { return nil }
            // What was served is on the disk.
            let served = reopened(disk.crashed(keeping: .none, names: .none), Harness.path, workload.options)
            guard try served.get() == opened.items else { return "a commit was served and then lost" }
            try opened.append(Harness.item(1000, bytes: 100))
            try opened.checkpoint()
            try opened.append(Harness.item(1001, bytes: 100))
            let later = reopened(disk.crashed(keeping: .none, names: .none), Harness.path, workload.options)
            let isKept = try later.get() == opened.items
            guard workload.durability != .always || isKept else { return "it did not go on" }
            try opened.store.close()
            guard try reopened(disk, Harness.path, workload.options).get() == opened.items else {
                return "it did not go on after a close"
            }
            let report = try StoreReader.open(Harness.path, fileSystem: disk).verify(level: 1)
            return report.severity <= .torn ? nil : "verify says \(report.findings)"
        } catch {
            return "it does not open: \(error)"
        }
    }
}
