import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakReplay

@testable import YaprakStorage

/// A small database whose files are mutated below their sums: every checksum is right, what it covers is not.
///
/// Whatever comes of it, the library answers or throws one of its errors: it never traps, and never takes much memory.
@Suite(.bounded) struct FuzzTests {
    let directory = TemporaryDirectory()

    private func path(_ name: String) -> FilePath { FilePath(directory.appending(name)) }

    private func prepare() async throws -> [String: [UInt8]] {
        var options = replayable()
        options.store.segmentBytesMax = 3 << 10
        options.store.compresses = false
        options.store.preallocationBytes = 0
        let database = try await Database.open(at: path("source"), options: options, collections: .books, .notes)
        try await database.register(
            AutoView(
                "titles", versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.title, persistence: .checkpoints)
        )
        for number in 1...24 {
            try await database.write(origin: "x") { transaction in
                transaction[.books].set(Book(title: "commit \(number)"), metadata: number, for: "\(number % 5)")
                transaction[.notes]["last"] = "commit \(number)"
                if number % 6 == 0 { transaction[.books].removeAll() }
                transaction.setInfo(number)
            }
            if number % 10 == 0 { try await database.checkpoint() }
        }
        try await database.close()
        var files: [String: [UInt8]] = [:]
        for folder in ["wal", "ckpt"] {
            for name in directory.files(in: "source/\(folder)") {
                files["\(folder)/\(name)"] = [UInt8](
                    try Data(contentsOf: URL(fileURLWithPath: "\(path("source"))/\(folder)/\(name)")))
            }
        }
        return files
    }

    /// A frame taken apart.
    private struct Part {
        var header: FrameHeader
        var payload: [UInt8]
    }

    private func parts(_ bytes: [UInt8], _ header: FileHeader) -> [Part] {
        var parts: [Part] = []
        var offset = Layout.fileHeaderBytes
        while offset + Layout.frameHeaderBytes <= bytes.count {
            let frame = bytes[offset...].withUnsafeBytes {
                try? UnprovenFrameHeader(bytes: UnsafeRawBufferPointer(rebasing: $0[..<Layout.frameHeaderBytes]))
                    .prove(in: header, at: UInt64(offset), end: UInt64(bytes.count)).get()
            }
            guard let frame else { break }
            let start = offset + Layout.frameHeaderBytes
            parts.append(Part(header: frame, payload: Array(bytes[start..<start + frame.storedLength])))
            offset += frame.totalLength
        }
        return parts
    }

    private static let extremes: [UInt64] = [0, 1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max - 1, .max, 1 << 32]

    private func number(_ old: UInt64, _ random: inout SplitMix64) -> UInt64 {
        switch random.below(4) {
        case 0: Self.extremes[random.below(Self.extremes.count)]
        case 1: old &+ 1
        case 2: old &- 1
        default: random.next()
        }
    }

    private func mutatePayload(_ payload: inout [UInt8], _ random: inout SplitMix64) {
        guard !payload.isEmpty else { return }
        switch random.below(6) {
        case 0: payload[random.below(payload.count)] ^= 1 << UInt8(random.below(8))
        case 1: payload[random.below(payload.count)] = UInt8(truncatingIfNeeded: random.next())
        case 2: payload.removeLast(random.below(payload.count))
        case 3:
            // A head that promises more than there is.
            let heads: [[UInt8]] = [[0x9b], [0xbb], [0x5b], [0x7b], [0x1b], [0xdb]]
            let head = heads[random.below(heads.count)] + (0..<8).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            payload.insert(contentsOf: head, at: random.below(payload.count))
        case 4:
            let from = random.below(payload.count), to = random.below(payload.count)
            payload.insert(contentsOf: payload[min(from, to)..<max(from, to)], at: random.below(payload.count))
        default:
            payload.insert(
                contentsOf: [UInt8](repeating: 0x81, count: random.below(200)), at: random.below(payload.count))
        }
    }

    /// The file with something changed, and every sum right.
    private func mutated(_ bytes: [UInt8], _ kind: FileKind, _ random: inout SplitMix64) -> [UInt8] {
        guard var header = try? UnprovenFileHeader(bytes: bytes).prove(as: kind) else { return bytes }
        var parts = parts(bytes, header)
        for _ in 0...random.below(3) where !parts.isEmpty {
            let at = random.below(parts.count)
            switch random.below(9) {
            case 0: header.previousEnd = number(header.previousEnd, &random)
            case 1: header.attested = number(header.attested, &random)
            case 2: parts[at].header.first = number(parts[at].header.first, &random)
            case 3: parts[at].header.count = UInt32(truncatingIfNeeded: number(UInt64(parts[at].header.count), &random))
            case 4: parts[at].header.durable = number(parts[at].header.durable, &random)
            case 5: parts[at].header.flags = UInt16(random.below(4))
            case 6: parts.swapAt(at, random.below(parts.count))
            case 7: parts.remove(at: at)
            default: mutatePayload(&parts[at].payload, &random)
            }
        }
        var builder = FrameBuilder(
            salt: header.salt, base: UInt64(Layout.fileHeaderBytes), chain: kind == .segment ? header.previousChain : 0)
        var footer: (offset: UInt64, sum: UInt64)?
        for part in parts {
            let offset = builder.end
            var copy = part.header
            // Compressed payloads are there, too: what was raw may claim to be LZ4.
            if random.chance(3) { copy.codec = .lz4 } else if copy.codec == .raw { copy.rawLength = part.payload.count }
            part.payload.withUnsafeBytes {
                builder.addCopy(of: copy, stored: $0, durable: part.header.durable, alignment: 8)
            }
            if part.header.type == FrameType.footer.rawValue { footer = (offset, builder.chain) }
        }
        var result = header.encoded() + builder.bytes
        if kind == .checkpoint, let footer {
            result += CheckpointTrailer(number: header.first, footerOffset: footer.offset, footerSum: footer.sum)
                .encoded(salt: header.salt, offset: builder.end)
        }
        return result
    }

    /// Makes the segments behind a changed one follow it, so that what it says is reached, and not only that it was changed.
    private func relink(_ changed: inout [String: [UInt8]], behind name: String, _ files: [String: [UInt8]]) {
        var previous = name
        for next in files.keys.sorted() where next.hasPrefix("wal/") && next > name {
            guard let before = changed[previous], let old = files[next],
                let beforeHeader = try? UnprovenFileHeader(bytes: before).prove(as: .segment),
                var header = try? UnprovenFileHeader(bytes: old).prove(as: .segment)
            else { return }
            let frames = parts(old, header)
            var end = UInt64(Layout.fileHeaderBytes)
            var chain = beforeHeader.previousChain
            for part in parts(before, beforeHeader) where part.header.type != FrameType.seal.rawValue {
                end += UInt64(part.header.totalLength)
                chain = part.header.headerSum
            }
            (header.previousEnd, header.previousChain) = (end, chain)
            var builder = FrameBuilder(salt: header.salt, base: UInt64(Layout.fileHeaderBytes), chain: chain)
            for part in frames {
                part.payload.withUnsafeBytes {
                    builder.addCopy(of: part.header, stored: $0, durable: part.header.durable, alignment: 8)
                }
            }
            changed[next] = header.encoded() + builder.bytes
            previous = next
        }
    }

    private func write(_ files: [String: [UInt8]]) throws {
        for (name, bytes) in files { try Data(bytes).write(to: URL(fileURLWithPath: "\(path("source"))/\(name)")) }
    }

    @Test func `Whatever a file says under its sums, the library answers or throws its own error`() async throws {
        let files = try await prepare()
        let names = files.keys.sorted()
        let soak = ProcessInfo.processInfo.environment["YAPRAK_SOAK"].flatMap(Int.init) ?? 0
        var outcomes: [String: Int] = [:]
        for seed in 0..<UInt64(max(70, soak * 5000)) {
            var random = SplitMix64(seed: seed)
            let name = names[random.below(names.count)]
            let kind: FileKind = name.hasPrefix("wal") ? .segment : .checkpoint
            let bytes = mutated(files[name] ?? [], kind, &random)
            var changed = [name: bytes]
            if kind == .segment { relink(&changed, behind: name, files) }
            try write(changed)
            for (what, body) in journeys {
                do {
                    try await body(path("source"))
                    outcomes["\(what) fine", default: 0] += 1
                } catch let error as DatabaseError {
                    #expect(!error.message.isEmpty, "seed \(seed), \(what)")
                    outcomes["\(what) \(error.code)", default: 0] += 1
                } catch is CBORError {
                    outcomes["\(what) CBOR", default: 0] += 1
                } catch {
                    Issue.record("seed \(seed), \(what): \(error)")
                }
            }
            try write(files.filter { changed[$0.key] != nil })
        }
        print("fuzzed: \(outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))")
        #expect(outcomes.keys.contains { $0.contains("corrupt") })
    }

    /// What is asked of each directory.
    private var journeys: [(String, (FilePath) async throws -> Void)] {
        [
            ("verify", { path in _ = try ReplayReader(path).verify(.replay) }),
            ("statistics", { path in _ = try ReplayReader(path).statistics() }),
            (
                "commits",
                { path in
                    for try await commit in try ReplayReader(path).commits() {
                        _ = (commit.info, commit.time, commit.origin)
                        for collection in commit.collections {
                            for change in collection.changes { _ = (try? change.object(), try? change.metadata()) }
                        }
                    }
                }
            ),
            ("backwards", { path in for try await _ in try ReplayReader(path).commitsBackwards() {} }),
            (
                "snapshot",
                { path in
                    for number in [nil, 3, 12, 24] as [CommitNumber?] {
                        let snapshot = try ReplayReader(path).snapshot(at: number)
                        for name in snapshot.collectionNames {
                            for record in snapshot.untyped(name) {
                                _ = "\(record.object) \(String(describing: record.metadata))"
                            }
                        }
                    }
                }
            ),
            ("position", { path in _ = try ReplayReader(path).commitNumber(at: LogPosition("@{2026-01-01 00:00}")) }),
            (
                "fork",
                { [directory] path in
                    let target = FilePath(directory.appending("fork"))
                    defer { try? FileManager.default.removeItem(atPath: target.string) }
                    try ReplayReader(path).fork(to: target)
                }
            ),
            (
                "repair",
                { [directory] path in
                    let target = FilePath(directory.appending("repaired"))
                    defer { try? FileManager.default.removeItem(atPath: target.string) }
                    var options = ReplayRepair.Options()
                    options.salvages = true
                    _ = try ReplayReader(path).repair(options).perform(to: target)
                }
            ),
            ("replay", { path in _ = try await Database.replay(path, collections: .notes) }),
        ]
    }
}
