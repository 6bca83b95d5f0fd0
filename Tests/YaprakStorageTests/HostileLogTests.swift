import Foundation
import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// Segments that are made to keep a reader busy: what they cost is bounded by the bytes that they have.
@Suite(.bounded) struct HostileLogTests {
    /// A closed database of one commit, and the segment of it.
    private struct Target {
        let disk = MemoryFileSystem()
        let file: FilePath
        let name: FileName
        let header: FileHeader

        init() throws {
            var opened = try Opened(disk)
            try opened.append(Harness.item(1))
            try opened.store.close()
            file = FilePath("/db/wal").appending(try #require(disk.names("/db/wal").first))
            name = try #require(FileName(file.lastComponent?.string ?? "", .segment))
            header = try UnprovenFileHeader(bytes: Array(try #require(disk.contents(file)).prefix(4096)))
                .prove(as: .segment)
        }

        /// Puts frames in place of those of the segment.
        func put(_ frames: [UInt8]) { disk.setContents(file, header.encoded() + frames) }

        /// Frames of one commit each; of those with an odd number the payload is damaged.
        func frames(_ count: Int, bytes: Int, first: (Int) -> UInt64 = { UInt64($0 + 1) }) -> [UInt8] {
            var builder = FrameBuilder(salt: header.salt, base: 4096, chain: header.previousChain)
            var gate = CompressionGate(isEnabled: false)
            var damaged: [Int] = []
            for index in 0..<count {
                if index % 2 == 1 { damaged.append(builder.bytes.count + Layout.frameHeaderBytes + 9) }
                Harness.item(index, bytes: bytes, compressible: false).withUnsafeBytes {
                    builder.add(.commitGroup, $0, first: first(index), count: 1, durable: 0, gate: &gate)
                }
            }
            var bytes = builder.bytes
            for place in damaged { bytes[place] ^= 1 }
            return bytes
        }
    }

    // Each of them was read to its end, and so each byte as often as there are frames.
    @Test func `Frames within a frame are not looked for, and reading goes on behind it`() throws {
        let target = try Target()
        var gate = CompressionGate(isEnabled: false)
        func frame(_ payload: [UInt8], at offset: Int, first: UInt64) -> [UInt8] {
            var builder = FrameBuilder(
                salt: target.header.salt, base: UInt64(offset), chain: offset == 4096 ? target.header.previousChain : 9)
            payload.withUnsafeBytes {
                builder.add(.commitGroup, $0, first: first, count: 1, durable: 100, gate: &gate)
            }
            return builder.bytes
        }
        // The sums of all are right, and none holds a commit.
        let depth = 40
        var nested = [UInt8](repeating: 0x41, count: 1024)
        for level in (0..<depth).reversed() {
            nested = frame(nested, at: 4096 + level * Layout.frameHeaderBytes, first: UInt64(level + 1))
        }
        let good = frame(Harness.item(60), at: 4096 + nested.count, first: 60)
        target.put(nested + good)
        let reader = try StoreReader.open(Harness.path, fileSystem: target.disk)
        let findings = try reader.verify(level: 1).findings.filter { $0.severity == .corrupt }
        #expect(findings.map(\.commits) == [1...59, 61...100], "\(findings)")
        let (file, _) = try DatabaseDirectory.open(target.name, .segment, in: reader.directory.segments)
        var segment = SegmentReader(name: "", header: target.header, window: try ReadWindow(file))
        guard case .end(.damage(.content)) = try segment.step(limit: .max, { _, _, _, _ in }) else {
            Issue.record("a frame of frames is no commit")
            return
        }
        #expect(try segment.resynchronize(before: .max))
        #expect(segment.next == 60 && segment.offset == UInt64(4096 + nested.count))
    }

    // The search went on where such a frame claims to end, in steps of eight from there: beside all frames of a writer.
    @Test(arguments: [false, true])
    func `A frame of a length that no writer makes hides no frame behind it`(isFoundBySearch: Bool) throws {
        let target = try Target()
        var gate = CompressionGate(isEnabled: false)
        func frame(_ payload: [UInt8], at offset: Int, first: UInt64, alignment: Int = 8) -> [UInt8] {
            var builder = FrameBuilder(
                salt: target.header.salt, base: UInt64(offset), chain: offset == 4096 ? target.header.previousChain : 9)
            payload.withUnsafeBytes {
                builder.add(
                    .commitGroup, $0, first: first, count: 1, durable: 9, alignment: alignment, gate: &gate)
            }
            return builder.bytes
        }
        for length in 1...16 {
            // Damaged, so that the search begins before it, or in it.
            var bytes = isFoundBySearch ? [UInt8](repeating: 0x11, count: 64) : []
            var odd = frame(
                [UInt8](repeating: 0x41, count: length), at: 4096 + bytes.count, first: 1, alignment: 1)
            odd[Layout.frameHeaderBytes] ^= 1
            bytes += odd
            bytes += [UInt8](repeating: 0, count: (8 - bytes.count % 8) % 8)
            let place = 4096 + bytes.count
            bytes += frame(Harness.item(9), at: place, first: 9)
            target.put(bytes)
            let reader = try StoreReader.open(Harness.path, fileSystem: target.disk)
            let (file, _) = try DatabaseDirectory.open(target.name, .segment, in: reader.directory.segments)
            var segment = SegmentReader(name: "", header: target.header, window: try ReadWindow(file))
            guard case .end(.damage) = try segment.step(limit: .max, { _, _, _, _ in }) else {
                Issue.record("a damaged frame of \(length) bytes was read")
                continue
            }
            #expect(try segment.resynchronize(before: .max), "\(length) bytes")
            #expect(segment.next == 9 && segment.offset == UInt64(place), "\(length) bytes")
        }
    }

    @Test func `A whole frame of a length that no writer makes hides no proof behind it`() throws {
        let target = try Target()
        var builder = FrameBuilder(salt: target.header.salt, base: 4096, chain: target.header.previousChain)
        var gate = CompressionGate(isEnabled: false)
        Harness.item(1).withUnsafeBytes {
            builder.add(.commitGroup, $0, first: 1, count: 1, durable: 0, alignment: 1, gate: &gate)
        }
        var bytes = builder.bytes
        try #require(bytes.count % 8 != 0)
        bytes += [UInt8](repeating: 0, count: 8 - bytes.count % 8)
        var behind = FrameBuilder(salt: target.header.salt, base: UInt64(4096 + bytes.count), chain: 0)
        behind.addRaw(.attest, first: 10, durable: 9)
        target.put(bytes + behind.bytes)
        let reader = try StoreReader.open(Harness.path, fileSystem: target.disk)
        let error = #expect(throws: DatabaseError.self) { try reader.newest() }
        #expect(error?.code == .corruptLog && error?.place.commits == 2...9)
        #expect(try reader.verify(level: 1).findings.contains { $0.severity == .corrupt && $0.commits == 2...9 })
        #expect { try reopened(target.disk).get() } throws: { ($0 as? DatabaseError)?.place.commits == 2...9 }
    }

    // Behind each of them the rest of the file was searched.
    @Test func `A segment with a thousand damaged frames is searched once for a repair, and a few times for a check`()
        throws
    {
        let target = try Target()
        let frames = target.frames(2400, bytes: 200)
        target.put(frames)
        let watched = WatchedFileSystem(target.disk)
        let reader = try StoreReader.open(Harness.path, fileSystem: watched)
        let repair = try Repair(reader, RepairOptions(), fileSystem: watched)
        #expect(repair.plan.last == 1)
        #expect(watched.takeBytes() < 10 * frames.count)
        // What is outside of the segment says that all were durable.
        try ClosingMark(
            database: target.header.databaseID, last: 2400, segment: target.name, salt: target.header.salt, end: 0,
            chain: 0
        ).write(in: try target.disk.openDirectory(Harness.path))
        let findings = try reader.verify(level: 1).findings.filter { $0.severity == .corrupt }
        #expect(watched.takeBytes() < 64 * frames.count)
        #expect(findings.count == Verifier.damagedPlacesMax + 1)
        #expect(findings.last?.message.hasPrefix("200 more places are damaged") == true, "\(findings.suffix(1))")
        #expect(findings.first?.commits == 2...2)
    }

    @Test func `What a repair makes up is bounded, however many gaps there are`() throws {
        let target = try Target()
        target.put(target.frames(100, bytes: 20) { 1 + UInt64($0) * (1 << 19) })
        var options = RepairOptions()
        options.salvages = true
        let reader = try StoreReader.open(Harness.path, fileSystem: target.disk)
        let plan = try Repair(reader, options, fileSystem: target.disk).plan
        // Each gap alone is small enough.
        #expect(plan.last.rawValue > 1 << 23 && plan.last.rawValue < 1 << 25)
        #expect(plan.losses.count < 20)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/shm")))
    func `A terabyte without bytes is not read, and what is behind it is found`() throws {
        let source = try Target()
        let path = FilePath("/dev/shm/yaprak-\(UInt64.random(in: 0 ... .max))")
        defer { try? FileManager.default.removeItem(atPath: path.string) }
        for folder in ["wal", "ckpt"] {
            try FileManager.default.createDirectory(
                atPath: path.appending(folder).string, withIntermediateDirectories: true)
        }
        let file = path.appending("wal").appending(source.name.string(.segment))
        let bytes = try #require(source.disk.contents(source.file))
        // Without the seal: the log may go on behind the commit.
        let end = Int(try #require(ClosingMark.read(in: try source.disk.openDirectory(Harness.path))).end)
        try Data(bytes[..<end]).write(to: URL(fileURLWithPath: file.string))
        let far: UInt64 = 1 << 40
        var builder = FrameBuilder(salt: source.header.salt, base: far, chain: 0)
        builder.addRaw(.attest, first: 10, durable: 9)
        let descriptor = try FileDescriptor.open(file, .readWrite)
        try descriptor.writeAll(toAbsoluteOffset: Int64(far), builder.bytes)
        try descriptor.close()
        let watched = WatchedFileSystem(PosixFileSystem())
        let reader = try StoreReader.open(path, fileSystem: watched)
        let finding = try #require(try reader.verify(level: 1).findings.first { $0.severity == .corrupt })
        #expect(finding.commits == 2...9)
        let error = #expect(throws: DatabaseError.self) { try reader.newest() }
        #expect(error?.code == .corruptLog && error?.place.commits == 2...9)
        #expect(try Repair(reader, RepairOptions(), fileSystem: watched).plan.losses.map(\.commits) == [2...9])
        #expect(watched.takeBytes() < 128 << 20)
    }

    @Test(arguments: [UInt64(0), 8, 4096, 4100])
    func `A scan finds each place with a magic number, and the last byte`(start: UInt64) throws {
        let disk = MemoryFileSystem()
        try disk.openDirectory("/").makeDirectory("f")
        for seed in 0..<UInt64(6) {
            var random = SplitMix64(seed: seed)
            var bytes = [UInt8](repeating: 0, count: 600_000 + random.below(100))
            // Also where the buffer of a reader ends.
            var places = (0..<40).map { _ in Int(start) + random.below((bytes.count - 8192) / 8) * 8 }
            for around in [256 << 10, 512 << 10] {
                places += stride(from: -80, through: 80, by: 8).map { around + Int(start) + $0 }
            }
            places.append(Int(start) + (bytes.count - Int(start)) / 8 * 8 - 64)
            for place in places { bytes.put(Layout.frameMagic, at: place) }
            if random.chance(2) { bytes[bytes.count - 1] = 1 }
            disk.setContents("/f/file", bytes)
            let window = try ReadWindow(try disk.openDirectory("/f").open("file", .read))
            var scan = FrameScan(window, from: start, before: window.size)
            var found: [Int] = []
            while let place = try scan.next() { found.append(Int(place)) }
            let all = stride(from: Int(start), through: bytes.count - 64, by: 8).filter {
                bytes.number(at: $0) as UInt32 == Layout.frameMagic
            }
            #expect(found == all, "seed \(seed)")
            let last = try #require(bytes.lastIndex { $0 != 0 })
            // To the end of the eight bytes that it is in.
            let end = min(bytes.count, Int(start) + (last - Int(start)) / 8 * 8 + 8)
            #expect(scan.dataEnd == UInt64(end), "seed \(seed)")
        }
    }

    @Test func `What a segment has behind many places is answered as by looking at each of them`() throws {
        for seed in 0..<UInt64(12) {
            let target = try Target()
            var random = SplitMix64(seed: seed)
            var builder = FrameBuilder(salt: target.header.salt, base: 4096, chain: target.header.previousChain)
            var gate = CompressionGate(isEnabled: false)
            var successors: [FileHeader] = []
            func note(_ end: UInt64, _ chain: UInt64, _ first: UInt64) {
                var header = target.header
                (header.previousEnd, header.previousChain, header.first) = (end, chain, first)
                successors.append(header)
            }
            var next: UInt64 = 1
            for _ in 0..<40 {
                note(builder.end, builder.chain, next)
                if random.chance(25) { note(builder.end, builder.chain, next + 1) }
                if random.chance(25) { note(builder.end, builder.chain ^ 1, next) }
                if random.chance(25) { note(builder.end + UInt64(random.below(80)), builder.chain, next) }
                let durable = UInt64(random.below(60))
                guard !random.chance(25) else {
                    builder.addRaw(.padding, first: next, durable: durable, alignment: 512)
                    continue
                }
                let flags: [UInt16] =
                    random.chance(25)
                    ? [FrameFlags.continues, FrameFlags.continues | FrameFlags.continuation, FrameFlags.continuation]
                    : [0]
                for (part, flags) in zip(Self.parts(of: Harness.item(Int(next), bytes: 60), flags.count), flags) {
                    part.withUnsafeBytes {
                        builder.add(
                            .commitGroup, $0, flags: flags, first: next,
                            count: flags & FrameFlags.continues == 0 ? 1 : 0, durable: durable, gate: &gate)
                    }
                    if flags & FrameFlags.continues != 0 { note(builder.end, builder.chain, next) }
                }
                next += 1
            }
            note(builder.end, builder.chain, next)
            note(.max, builder.chain, next)
            if random.chance(50) { builder.addRaw(.seal, first: next, durable: next - 1) }
            var bytes = builder.bytes
            for _ in 0..<random.below(6) { bytes[random.below(bytes.count)] ^= 1 }
            target.put(bytes)
            let reader = try StoreReader.open(Harness.path, fileSystem: target.disk)
            let (file, _) = try DatabaseDirectory.open(target.name, .segment, in: reader.directory.segments)
            let window = try ReadWindow(file)
            let start = SegmentReader(name: "", header: target.header, window: window)
            let reaches = try SegmentReaches(start, successors: successors.shuffled(using: &random))
            for header in successors {
                var segment = start
                segment.jump(to: header.previousEnd, chain: header.previousChain, next: header.first)
                while case .frame = try segment.step(limit: .max, { _, _, _, _ in }) {}
                let found = try TailEvidence.find(
                    in: window, of: target.header, from: min(header.previousEnd, window.size))
                #expect(
                    reaches.newestCommit(behind: header) == max(segment.next - 1, found.durable),
                    "seed \(seed), \(header.previousEnd)")
            }
        }
    }

    /// An item in as many parts.
    private static func parts(of item: [UInt8], _ count: Int) -> [ArraySlice<UInt8>] {
        let step = (item.count + count - 1) / count
        return stride(from: 0, to: item.count, by: step).map { item[$0..<min(item.count, $0 + step)] }
    }

    @Test func `How far runs lead is answered as by looking at each of them`() {
        for seed in 0..<UInt64(40) {
            var random = SplitMix64(seed: seed)
            let runs = (0..<random.below(12)).map { index in
                let first = UInt64(1 + random.below(30))
                return LogSurvey.Run(
                    start: .init(name: FileName(first: first, epoch: 1), offset: 0, chain: 0, next: first),
                    first: first, last: first + UInt64(random.below(6)),
                    damage: random.chance(2) ? ("\(index)", UInt64(index), "") : nil)
            }
            let (reaches, damages) = (RunReaches(runs), RunDamages(runs))
            for number in 0..<UInt64(40) {
                let newest = runs.filter { $0.first <= number + 1 && $0.last >= number }.map(\.last).max() ?? number
                #expect(reaches.newestCommit(from: number) == newest)
                let damage = runs.last { $0.first <= number && $0.damage != nil }?.damage
                #expect(damages.last(before: number)?.offset == damage?.offset)
            }
        }
    }
}
