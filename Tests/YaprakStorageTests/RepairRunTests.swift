import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// Which commits a repair takes for one history: those of large commits, and those behind frames without commits.
@Suite(.bounded) struct RepairRunTests {
    /// The segments of a database, ascending.
    private func segments(_ disk: MemoryFileSystem) throws -> [FileName] {
        try StoreReader.open(Harness.path, fileSystem: disk).directory.list().segments
    }

    private func file(_ name: FileName) -> FilePath { FilePath("/db/wal").appending(name.string(.segment)) }

    /// The frames of a segment up to its end.
    private func frames(_ disk: MemoryFileSystem, _ name: FileName) throws -> [(frame: FrameHeader, at: UInt64)] {
        let (file, header) = try DatabaseDirectory.open(name, .segment, in: try disk.openDirectory("/db/wal"))
        var reader = SegmentReader(
            name: name.path(.segment), header: try header.get(), window: try ReadWindow(file))
        var frames: [(frame: FrameHeader, at: UInt64)] = []
        while case .frame(let frame, let at) = try reader.step(limit: .max, { _, _, _, _ in }) {
            frames.append((frame, at))
        }
        return frames
    }

    private func flip(_ disk: MemoryFileSystem, _ name: FileName, _ offset: UInt64) throws {
        var bytes = try #require(disk.contents(file(name)))
        bytes[Int(offset)] ^= 2
        disk.setContents(file(name), bytes)
    }

    private func repair(_ disk: MemoryFileSystem, salvages: Bool = false) throws -> Repair {
        var options = RepairOptions()
        options.salvages = salvages
        return try Repair(try StoreReader.open(Harness.path, fileSystem: disk), options, fileSystem: disk)
    }

    /// The items of the result.
    private func items(of repair: Repair, on disk: MemoryFileSystem, at path: FilePath) throws -> [[UInt8]] {
        try repair.perform(to: path, storeOptions: Harness.options(seed: 8), fileSystem: disk) { _, _ in [0xA0] }
        return try reopened(disk, path, Harness.options(seed: 9)).get()
    }

    // MARK: Commits in several frames

    /// Twenty commits, the first and the twelfth of them in several frames.
    private func large(checkpointAt: Int?) throws -> (MemoryFileSystem, [[UInt8]]) {
        let disk = MemoryFileSystem()
        var options = Harness.options()
        options.frameBytesMax = 1 << 10
        var opened = try Opened(disk, Harness.path, options)
        for number in 1...20 {
            let bytes = number == 1 || number == 12 ? 5000 : 24
            try opened.append(Harness.item(number, bytes: bytes, compressible: false))
            if number == checkpointAt { try opened.checkpoint() }
        }
        try opened.store.close()
        let first = try #require(try segments(disk).first)
        try #require(try frames(disk, first).prefix(4).allSatisfy { $0.frame.first == 1 })
        return (disk, opened.items)
    }

    // A run never began with such a commit: without a checkpoint nothing was kept, with one no history before it.
    @Test(arguments: [nil, 8], [false, true])
    func `A log that begins with a commit in several frames is kept as a whole`(
        checkpointAt: Int?, salvages: Bool
    ) throws {
        let (disk, items) = try large(checkpointAt: checkpointAt)
        let repair = try repair(disk, salvages: salvages)
        #expect(repair.plan.first == 0 && repair.plan.last == 20 && !repair.plan.isSalvaged)
        #expect(repair.plan.losses.isEmpty && repair.plan.holes.isEmpty)
        #expect(try self.items(of: repair, on: disk, at: "/repaired") == items)
        let kept = try StoreReader.open("/repaired", fileSystem: disk)
        #expect(try kept.oldest() == 1)
    }

    @Test(arguments: [nil, 16])
    func `A commit in several frames behind damage is not lost with it`(checkpointAt: Int?) throws {
        let (disk, items) = try large(checkpointAt: checkpointAt)
        for name in try segments(disk) {
            for (frame, at) in try frames(disk, name) where frame.first == 11 && frame.count == 1 {
                try flip(disk, name, at + 70)
            }
        }
        let prefix = try repair(disk)
        if checkpointAt == nil {
            #expect(prefix.plan.last == 10 && prefix.plan.losses.map(\.commits) == [11...20])
            var lost: [CommitNumber] = []
            try prefix.forEachLostCommit { number, _ in lost.append(number) }
            #expect(lost == (12...20).map { CommitNumber($0) })
        } else {
            #expect(prefix.plan.last == 20 && prefix.plan.losses.isEmpty)
            #expect(prefix.plan.holes.map(\.loss.commits) == [11...11])
        }
        let salvage = try repair(disk, salvages: true)
        #expect(salvage.plan.last == 20)
        #expect(salvage.plan.losses.map(\.commits) == (checkpointAt == nil ? [11...11] : []))
        var expected = items
        if checkpointAt == nil { expected[10] = [0xA0] }
        #expect(try self.items(of: salvage, on: disk, at: "/salvaged") == expected)
    }

    // MARK: Frames without commits

    /// Twenty commits in two segments, with padding within and at the end of the first, and a mark at the start of the second.
    private func padded() throws -> (MemoryFileSystem, [[UInt8]]) {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk, Harness.path, Harness.options(.interval(.seconds(3600)), segmentBytes: 1 << 20))
        for number in 1...20 {
            try opened.append(Harness.item(number))
            if [4, 10, 15].contains(number) { try opened.store.flush() }
            if number == 10 { try opened.checkpoint() }
        }
        try opened.store.close()
        // Otherwise the state of the checkpoint leads across.
        for name in disk.names("/db/ckpt") { try disk.openDirectory("/db/ckpt").unlink(name) }
        return (disk, opened.items)
    }

    // The first commit of the next segment was called lost.
    @Test func `A damaged frame without commits at the end of a segment ends no reading of commits`() throws {
        let (disk, _) = try padded()
        let first = try #require(try segments(disk).first)
        let last = try #require(try frames(disk, first).last)
        try #require(last.frame.type != FrameType.commitGroup.rawValue)
        try flip(disk, first, last.at + 9)
        var commits = try StoreReader.open(Harness.path, fileSystem: disk).commits(from: 1)
        var numbers: [CommitNumber] = []
        while let commit = try commits.next() { numbers.append(commit.number) }
        #expect(numbers == (1...20).map { CommitNumber($0) })
    }

    // One damaged frame of padding, of which there is one at each sync, and all behind it was given up.
    @Test func `Damaged frames without commits lose no commit, wherever they are, and a check says so`() throws {
        let (pristine, items) = try padded()
        var places: [(name: FileName, at: UInt64)] = []
        for name in try segments(pristine) {
            places += try frames(pristine, name).filter { $0.frame.type != FrameType.commitGroup.rawValue }
                .map { (name, $0.at) }
        }
        try #require(places.count >= 4)
        for damaged in places.indices.map({ [places[$0]] }) + [places] {
            let disk = pristine.copy()
            for place in damaged { try flip(disk, place.name, place.at + 9) }
            let repair = try repair(disk)
            #expect(repair.plan.last == 20 && repair.plan.losses.isEmpty, "\(damaged)")
            #expect(try self.items(of: repair, on: disk, at: "/repaired") == items, "\(damaged)")
            let findings = try StoreReader.open(Harness.path, fileSystem: disk).verify(level: 1).findings
            #expect(findings.count >= damaged.count && findings.allSatisfy { $0.commits == nil }, "\(findings)")
            // The last one is behind everything that is known to be durable.
            guard damaged[0].at != places.last?.at || damaged[0].name != places.last?.name else { continue }
            #expect(findings.contains { $0.message.contains("No commit is lost by it") }, "\(findings)")
        }
    }

    // The mark of the close says how far the segment was written.
    @Test func `Commits behind damage of a closed log are history, also where its seal is damaged`() throws {
        let (disk, items) = try padded()
        let name = try #require(try segments(disk).last)
        let frames = try frames(disk, name)
        let padding = try #require(
            frames.first { $0.frame.type == FrameType.padding.rawValue && $0.frame.first == 16 })
        let last = try #require(frames.last)
        try #require(last.at > padding.at)
        try flip(disk, name, padding.at + 9)
        try flip(disk, name, last.at + UInt64(last.frame.totalLength) + 9)
        let repair = try repair(disk)
        #expect(repair.plan.last == 20 && repair.plan.losses.isEmpty, "\(repair.plan.losses)")
        #expect(try self.items(of: repair, on: disk, at: "/repaired") == items)
    }

    // MARK: Failed writes

    /// Ten commits of a program that was killed, and two of a failed write behind their end.
    ///
    /// They have numbers of commits, and salt and offset are those of the file.
    private func withRemains(first: UInt64) throws -> (MemoryFileSystem, [[UInt8]]) {
        let source = MemoryFileSystem()
        var opened = try Opened(source)
        for number in 1...10 { try opened.append(Harness.item(number)) }
        // As after a crash: the segment has no seal.
        let disk = source.copy()
        try opened.store.close()
        let name = try #require(try segments(disk).last)
        let (file, header) = try DatabaseDirectory.open(name, .segment, in: try disk.openDirectory("/db/wal"))
        var reader = SegmentReader(name: "", header: try header.get(), window: try ReadWindow(file))
        while case .frame = try reader.step(limit: .max, { _, _, _, _ in }) {}
        var builder = FrameBuilder(salt: reader.header.salt, base: reader.offset + 512, chain: 0x1234)
        var gate = CompressionGate(isEnabled: false)
        for number in first...first + 1 {
            Harness.item(1000 + Int(number)).withUnsafeBytes {
                builder.add(.commitGroup, $0, first: number, count: 1, durable: 9, alignment: 8, gate: &gate)
            }
        }
        var bytes = Array(try #require(disk.contents(self.file(name))).prefix(Int(reader.offset)))
        bytes += [UInt8](repeating: 7, count: 512) + builder.bytes
        disk.setContents(self.file(name), bytes)
        return (disk, opened.items)
    }

    @Test func `The remains of a failed write behind the end of a log are not taken for its next commits`() throws {
        let (disk, items) = try withRemains(first: 11)
        let repair = try repair(disk)
        #expect(repair.plan.last == 10)
        #expect(try self.items(of: repair, on: disk, at: "/repaired") == items)
    }

    // As after the directory that a fork was made from was copied over the fork.
    @Test(arguments: [false, true])
    func `Commits behind damage of the newest segment are history, whatever another database's is called`(
        hasForeign: Bool
    ) throws {
        let source = MemoryFileSystem()
        var parent = try Opened(source, "/parent")
        for number in 1...5 { try parent.append(Harness.item(number)) }
        try parent.store.close()
        _ = try StoreReader.open("/parent", fileSystem: source)
            .fork(at: 5, to: Harness.path, options: Harness.options(seed: 2), fileSystem: source)
        for range in [6...10, 11...11] {
            parent = try Opened(source, "/parent")
            for number in range { try parent.append(Harness.item(100 + number)) }
            try parent.store.close()
        }
        var options = Harness.options(seed: 3)
        // No frame says that the last commit was durable.
        options.attestAfter = .seconds(3600)
        var opened = try Opened(source, Harness.path, options)
        for number in 6...10 { try opened.append(Harness.item(number)) }
        // Killed: no seal and no mark says how far the segment was written.
        let disk = source.copy()
        try opened.store.close()
        let name = try #require(try segments(disk).last)
        let ninth = try #require(
            try frames(disk, name).first { $0.frame.first == 9 && $0.frame.type == FrameType.commitGroup.rawValue })
        try flip(disk, name, ninth.at + 9)
        if hasForeign {
            let foreign = try #require(source.names("/parent/wal").last)
            try #require(FileName(foreign, .segment).map { $0 > name } == true)
            disk.setContents(
                FilePath("/db/wal").appending(foreign),
                try #require(source.contents(FilePath("/parent/wal").appending(foreign))))
        }
        let salvage = try repair(disk, salvages: true)
        #expect(salvage.plan.last == 10 && salvage.plan.losses.map(\.commits) == [9...9])
    }

    // Their numbers are those of commits that came later: they were history up to the checkpoint behind them.
    @Test(arguments: [11, 12] as [UInt64], [false, true])
    func `The remains of a failed write are not history where the segment behind them can't be read`(
        first: UInt64, hasCheckpoint: Bool
    ) throws {
        let (disk, _) = try withRemains(first: first)
        var options = Harness.options(segmentBytes: 1 << 20, seed: 2)
        options.retention = .all
        var opened = try Opened(disk, Harness.path, options)
        try #require(opened.items.count == 10)
        for number in 11...30 {
            try opened.append(Harness.item(number))
            if number == 20 { try opened.checkpoint() }
        }
        try opened.store.close()
        let later = try segments(disk).filter { $0.epoch == 2 }
        try #require(later.count == 2 && later[0].first <= 11 && later[1].first == 21, "\(later)")
        try flip(disk, later[0], UInt64(Layout.FileField.salt))
        if !hasCheckpoint {
            for name in disk.names("/db/ckpt") { try disk.openDirectory("/db/ckpt").unlink(name) }
        }
        let prefix = try repair(disk)
        let doubt = "may be the rest of a failed write"
        if hasCheckpoint {
            #expect(prefix.plan.last == 30 && prefix.plan.losses.isEmpty)
            #expect(prefix.plan.holes.map(\.loss.commits) == [11...20])
            #expect(prefix.plan.holes.map(\.nextState) == [20])
            #expect(prefix.plan.holes.allSatisfy { $0.loss.what.contains(doubt) }, "\(prefix.plan.holes)")
            #expect(try items(of: prefix, on: disk, at: "/repaired") == opened.items)
            var commits = try StoreReader.open("/repaired", fileSystem: disk).commits(from: 1, skippingHoles: true)
            var kept: [[UInt8]] = []
            while let commit = try commits.next() { kept.append(commit.item) }
            #expect(kept == Array(opened.items[..<10] + opened.items[20...]))
        } else {
            #expect(prefix.plan.last == 10 && prefix.plan.losses.map(\.commits) == [11...30])
            #expect(prefix.plan.losses.allSatisfy { $0.what.contains(doubt) }, "\(prefix.plan.losses)")
            // They can be read, and are shown.
            var lost: [CommitNumber] = []
            try prefix.forEachLostCommit { number, _ in lost.append(number) }
            #expect(lost == ([first, first + 1] + Array(21...30)).map { CommitNumber($0) })
            let salvage = try repair(disk, salvages: true)
            #expect(salvage.plan.last == 30 && salvage.plan.isSalvaged)
            #expect(salvage.plan.losses.map(\.commits) == [11...20])
            var expected = opened.items
            for place in 10..<20 { expected[place] = [0xA0] }
            #expect(try items(of: salvage, on: disk, at: "/salvaged") == expected)
        }
    }
}
