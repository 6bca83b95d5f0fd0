import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// A reference directory is damaged in every way there is; the answer is the same state, a typed error, or a tail that was
/// reported and never promised. Never other data, never a trap.
@Suite(.bounded) struct DamageTests {
    /// The directory, its files and the state in it.
    struct Reference {
        let disk: MemoryFileSystem
        let items: [[UInt8]]
        let files: [FilePath]

        init(seed: UInt64 = 1, groups: Int = 14, closes: Bool = true) throws {
            disk = MemoryFileSystem()
            var options = Harness.options(seed: seed)
            options.preallocationBytes = 0
            var opened = try Opened(disk, Harness.path, options)
            for n in 1...groups {
                try opened.append((0..<1 + n % 3).map { Harness.item(opened.items.count + 1 + $0, bytes: 40 * n) })
                if n % 5 == 0 { try opened.checkpoint() }
            }
            if closes { try opened.store.close() }
            items = opened.items
            files = ["/db/wal", "/db/ckpt"].flatMap { [disk] folder in
                disk.names(FilePath(folder)).map { FilePath(folder).appending($0) }
            }
            if !closes { try opened.store.close() }
        }
    }

    enum Answer: Equatable { case same, shorter(Int), refused }

    /// Opens a damaged copy; throws if the answer is none that is allowed.
    func answer(_ disk: MemoryFileSystem, _ items: [[UInt8]], checks: Bool = true) throws -> Answer {
        var newest: CommitNumber?
        if checks {
            let reader = try StoreReader.open(Harness.path, fileSystem: disk)
            newest = try? reader.newest()
            _ = try? reader.verify(level: 1)
            if var commits = try? reader.commits(from: 1) {
                var count = 0
                while let commit = try? commits.next() {
                    count += 1
                    guard haveSameBytes(commit.item, items[Int(commit.number.rawValue) - 1]) else {
                        throw TestFailure("wrong data")
                    }
                }
            }
        }
        do {
            let opened = try Opened(disk)
            try opened.store.close()
            if let newest, newest.rawValue != UInt64(opened.items.count) {
                throw TestFailure("a reader calls \(newest) the newest, opening ends with \(opened.items.count)")
            }
            if haveSameItems(opened.items, items) { return .same }
            guard opened.items.count < items.count, haveSameItems(opened.items, items[..<opened.items.count]) else {
                throw TestFailure("wrong data")
            }
            return .shorter(opened.items.count)
        } catch is DatabaseError {
            // What is damaged may lie before the end.
            if let newest, newest.rawValue != UInt64(items.count) {
                throw TestFailure("a reader calls \(newest) the newest, and opening does not end there")
            }
            return .refused
        }
    }

    func damaged(_ reference: Reference, _ file: FilePath, _ change: (inout [UInt8]) -> Void) -> MemoryFileSystem {
        let disk = reference.disk.copy()
        var bytes = disk.contents(file) ?? []
        change(&bytes)
        disk.setContents(file, bytes)
        return disk
    }

    @Test func `Every changed bit is noticed or harmless`() throws {
        let reference = try Reference()
        // Each run takes other bits; a soak takes all.
        let step = Soak.volume(127, soak: 1)
        var counts: [String: Int] = [:]
        for file in reference.files {
            let size = reference.disk.contents(file)?.count ?? 0
            for bit in stride(from: Int.random(in: 0..<step), to: size * 8, by: step) {
                let disk = damaged(reference, file) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
                let answer = try answer(disk, reference.items, checks: bit % 3 == 0)
                guard answer == .same || answer == .refused else {
                    Issue.record("bit \(bit) of \(file): \(answer)")
                    return
                }
                counts["\(answer)", default: 0] += 1
            }
        }
        print("changed bits: \(counts)")
    }

    @Test func `Every zeroed sector is noticed or harmless`() throws {
        let reference = try Reference()
        for file in reference.files {
            let size = reference.disk.contents(file)?.count ?? 0
            for start in stride(from: 0, to: size, by: 512) {
                let disk = damaged(reference, file) {
                    for i in start..<min(size, start + 512) { $0[i] = 0 }
                }
                let answer = try answer(disk, reference.items)
                #expect(answer == .same || answer == .refused, "sector \(start) of \(file)")
            }
        }
    }

    @Test func `A file cut off anywhere gives a prefix or an error`() throws {
        let reference = try Reference()
        for file in reference.files {
            let size = reference.disk.contents(file)?.count ?? 0
            let step = Soak.volume(127, soak: 1)
            for length in stride(from: Int.random(in: 0..<step), to: size, by: step) {
                let disk = damaged(reference, file) { $0.removeLast(size - length) }
                let answer = try answer(disk, reference.items, checks: length % 2 == 0)
                // Only the end of the newest segment may go unnoticed: it held the only word about itself.
                if case .shorter = answer {
                    #expect(file == reference.files.last { $0.string.hasSuffix("wal") }, "\(file) at \(length)")
                }
            }
        }
    }

    @Test func `Sectors that change places, are doubled or come from another database never give other data`() throws {
        let reference = try Reference()
        let other = try Reference(seed: 2)
        for (file, otherFile) in zip(reference.files, other.files) {
            let bytes = reference.disk.contents(file) ?? []
            let foreign = other.disk.contents(otherFile) ?? []
            let sectors = bytes.count / 512
            var random = SplitMix64(seed: 9)
            for first in 0..<sectors {
                let second = random.below(sectors)
                let (a, b) = (first * 512..<first * 512 + 512, second * 512..<second * 512 + 512)
                let swapped = damaged(reference, file) {
                    $0.replaceSubrange(a, with: bytes[b])
                    $0.replaceSubrange(b, with: bytes[a])
                }
                let doubled = damaged(reference, file) { $0.insert(contentsOf: bytes[a], at: a.lowerBound) }
                let deleted = damaged(reference, file) { $0.removeSubrange(a) }
                var disks = [swapped, doubled, deleted]
                if a.upperBound <= foreign.count {
                    disks.append(damaged(reference, file) { $0.replaceSubrange(a, with: foreign[a]) })
                }
                for disk in disks { _ = try answer(disk, reference.items) }
            }
            let whole = damaged(reference, file) { $0 = foreign }
            let answer = try answer(whole, reference.items)
            // What lies before the newest checkpoint is not read.
            #expect(answer == .refused || answer == .same, "\(file) of another database")
        }
    }

    @Test(arguments: [11, 14, 15, 16], [11, 14, 15, 16])
    func `A newest segment of another database is refused by readers as by an opening`(groups: Int, of: Int) throws {
        let reference = try Reference(groups: groups)
        let other = try Reference(seed: 2, groups: of)
        func newest(_ reference: Reference) throws -> FilePath {
            try #require(reference.files.last { $0.string.hasSuffix("wal") })
        }
        let (file, otherFile) = (try newest(reference), try newest(other))
        for keepsOwn in [true, false] {
            let disk = reference.disk.copy()
            if !keepsOwn { disk.remove(file) }
            disk.setContents(otherFile, try #require(other.disk.contents(otherFile)))
            // It may have a lower number than the own one, which then is the newest.
            guard disk.names("/db/wal").last == otherFile.lastComponent?.string else { continue }
            #expect(throws: DatabaseError.self) { try Opened(disk) }
            let reader = try StoreReader.open(Harness.path, fileSystem: disk)
            #expect { try reader.newest() } throws: { ($0 as? DatabaseError)?.code == .corruptLog }
        }
    }

    @Test func `A missing file is noticed, or one that nothing needs`() throws {
        let reference = try Reference()
        let newest = reference.files.last { $0.string.hasSuffix("wal") }
        for file in reference.files {
            let disk = reference.disk.copy()
            disk.remove(file)
            let answer = try answer(disk, reference.items)
            #expect(answer == .same || answer == .refused || file == newest, "\(file): \(answer)")
            if file == newest { #expect(answer == .refused, "the seal of the segment before it says it existed") }
        }
    }

    @Test func `A lost commit is named`() throws {
        let reference = try Reference()
        let file = try #require(reference.files.last { $0.string.hasSuffix("wal") })
        let name = try #require(FileName(file.lastComponent?.string ?? "", .segment))
        var commits = try StoreReader.open(Harness.path, fileSystem: reference.disk).commits(
            from: CommitNumber(name.first))
        let first = try #require(try commits.next())
        let offset = first.offset
        // The commits of one group share a frame, and how many those are is a matter of time.
        var lost = first.number
        while let commit = try commits.next(), commit.offset == offset { lost = commit.number }
        let disk = damaged(reference, file) { $0[Int(offset) + 70] ^= 1 }
        do {
            try Opened(disk).store.close()
            Issue.record("it opened")
        } catch let error as DatabaseError {
            #expect(error.code == .corruptLog && error.place.offset == offset)
            #expect(error.place.commits == CommitNumber(name.first)...CommitNumber(UInt64(reference.items.count)))
        }
        let report = try StoreReader.open(Harness.path, fileSystem: disk).verify(level: 1)
        #expect(report.exitCode == 4)
        let finding = try #require(report.findings.first { $0.severity == .corrupt })
        // The check goes on behind the damage, so it names only what is lost.
        #expect(finding.offset == offset && finding.commits == CommitNumber(name.first)...lost)
    }

    @Test func `Noise in place of any file never traps`() throws {
        let reference = try Reference()
        for seed in 0..<UInt64(150 * Harness.soak) {
            var random = SplitMix64(seed: seed)
            let file = reference.files[random.below(reference.files.count)]
            let disk = damaged(reference, file) { bytes in
                let start = random.below(bytes.count)
                for i in start..<min(bytes.count, start + 1 + random.below(600)) {
                    bytes[i] = UInt8(truncatingIfNeeded: random.next())
                }
            }
            _ = try answer(disk, reference.items)
        }
    }

    @Test func `Headers that are forged never trap`() throws {
        let reference = try Reference()
        for seed in 0..<UInt64(400 * Harness.soak) {
            var random = SplitMix64(seed: seed)
            let file = reference.files[random.below(reference.files.count)]
            let kind: FileKind = file.string.hasSuffix("wal") ? .segment : .checkpoint
            let bytes = try #require(reference.disk.contents(file))
            var header = try UnprovenFileHeader(bytes: bytes).prove(as: kind)
            let near = header.first
            func number() -> UInt64 {
                [0, 1, near, near &+ 1, 4096, .max, .max - 1, UInt64(Int64.max), random.next()][random.below(9)]
            }
            for _ in 0...random.below(2) {
                switch random.below(8) {
                case 0: header.first = number()
                case 1: header.epoch = number()
                case 2: header.previousFirst = number()
                case 3: header.previousEpoch = number()
                case 4: header.previousEnd = number()
                case 5: header.attested = number()
                case 6: header.maxRaw = UInt32(truncatingIfNeeded: number())
                default: header.createdNs = Int64(truncatingIfNeeded: number())
                }
            }
            let disk = reference.disk.copy()
            if random.chance(50) { disk.remove(file) }
            let name = FileName(first: header.first, epoch: header.epoch % FileName.epochMax).string(kind)
            header.epoch %= FileName.epochMax
            disk.setContents(file.removingLastComponent().appending(name), header.encoded() + bytes[4096...])
            let reader = try StoreReader.open(Harness.path, fileSystem: disk)
            _ = try? reader.verify(level: Int(seed % 2))
            _ = try? reader.newest()
            _ = try? reader.segments()
            if var commits = try? reader.commits(from: 1) { while (try? commits.next()) != nil {} }
            do {
                var opened = try Opened(disk)
                try? opened.append(Harness.item(1))
                try? opened.checkpoint()
                try opened.store.close()
            } catch {
                #expect(error is DatabaseError || error is TestFailure, "seed \(seed): \(error)")
            }
        }
    }

    @Test func `Sums that are right do not make a lie believed`() throws {
        // Frames forged with the right salt, so that the checks behind the sums are reached.
        let reference = try Reference()
        let file = try #require(reference.files.last { $0.string.hasSuffix("wal") })
        let bytes = try #require(reference.disk.contents(file))
        let header = try UnprovenFileHeader(bytes: bytes).prove(as: .segment)
        for seed in 0..<UInt64(300 * Harness.soak) {
            var random = SplitMix64(seed: seed)
            var builder = FrameBuilder(salt: header.salt, base: 4096, chain: header.previousChain)
            var gate = CompressionGate()
            let types: [FrameType] = [.commitGroup, .attest, .seal, .checkpointMark, .chunk, .footer, .commitGroup]
            for _ in 0...random.below(4) {
                let payload = (0..<random.below(400)).map { _ in UInt8(truncatingIfNeeded: random.next()) & 0x5F }
                payload.withUnsafeBytes {
                    builder.add(
                        types[random.below(types.count)], $0, flags: UInt16(random.below(4)),
                        first: header.first + UInt64(random.below(2)),
                        count: UInt32(truncatingIfNeeded: random.next() & (random.chance(50) ? 3 : 0xFFFF_FFFF)),
                        durable: random.chance(50) ? 0 : random.next(), gate: &gate)
                }
            }
            let disk = reference.disk.copy()
            disk.setContents(file, Array(bytes[..<4096]) + builder.bytes)
            _ = try? StoreReader.open(Harness.path, fileSystem: disk).verify(level: 1)
            if case .failure(let error) = reopened(disk), !(error is DatabaseError) {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }

    @Test(arguments: [FormatLimits.frameCommitsMax, FormatLimits.frameCommitsMax + 1])
    func `A frame with more commits than a writer puts into one is damage, not memory`(count: UInt32) throws {
        let reference = try Reference()
        let file = try #require(reference.files.first { $0.string.hasSuffix("wal") })
        let bytes = try #require(reference.disk.contents(file))
        let header = try UnprovenFileHeader(bytes: bytes).prove(as: .segment)
        var builder = FrameBuilder(salt: header.salt, base: 4096, chain: header.previousChain)
        var gate = CompressionGate()
        // Empty maps: a few hundred bytes on the disk, for any number of them.
        [UInt8](repeating: 0xA0, count: Int(count)).withUnsafeBytes {
            builder.add(.commitGroup, $0, first: header.first, count: count, durable: 0, gate: &gate)
        }
        #expect(builder.bytes.count < 1024)
        let disk = reference.disk.copy()
        for name in disk.names("/db/wal") { disk.remove(FilePath("/db/wal").appending(name)) }
        disk.setContents(file, Array(bytes[..<4096]) + builder.bytes)
        var reader = try StoreReader.open(Harness.path, fileSystem: disk).commits(from: CommitNumber(header.first))
        var read = 0
        while (try? reader.next()) != nil { read += 1 }
        #expect(read == (count > FormatLimits.frameCommitsMax ? 0 : Int(count)))
    }
}
