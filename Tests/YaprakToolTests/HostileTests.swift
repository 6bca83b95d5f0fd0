import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak

@testable import YaprakStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whatever stands in the place of a database: a sentence, an exit code, nothing written, nothing that hangs or traps.
@Suite(.bounded) struct HostileTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// Every verb, on a database; `NEW` is a path that is free.
    static let verbs: [[String]] = [
        ["log", "DB", "--oneline"], ["log", "DB", "--patch"], ["log", "DB", "1..", "--stat"], ["show", "DB"],
        ["show", "DB", "2"], ["ls", "DB"], ["ls", "DB", "books"], ["get", "DB", "books", "abc"],
        ["get", "DB", "books", "abc", "--history"], ["diff", "DB", "1", "@"], ["stats", "DB"],
        ["verify", "DB", "--level", "0"], ["verify", "DB", "--level", "1"], ["verify", "DB"], ["tail", "DB"],
        ["tag", "DB"], ["bisect", "DB", "--where", "count(books) > 1"], ["replay", "DB", "--speed", "max"],
        ["dump", "DB"], ["export", "DB"], ["revert", "DB", "@", "--dry-run"], ["fork", "DB", "NEW"],
        ["fork", "DB", "NEW", "--at", "1"], ["repair", "DB"], ["repair", "DB", "--salvage", "--into", "NEW"],
        ["compact", "DB"], ["compact", "DB", "--into", "NEW"], ["checkpoint", "DB"],
        ["ask", "DB", "count(books)"], ["ask", "DB", "count(books)", "--every", "1"], ["blame", "DB", "books", "abc"],
        ["grep", "DB", "e"], ["log", "DB", "--where", ".rank became 1"], ["undo", "DB", "--dry-run"],
        ["view", "ls", "DB"], ["view", "show", "DB", "titles"],
    ]

    /// What stands there instead of a database.
    enum Place: String, CaseIterable, CustomTestStringConvertible {
        case nothing, emptyDirectory, file, pipe, loop, link, foreignDirectory
        case segmentsAreAFile, checkpointsAreALink
        case segmentIsAPipe, segmentIsADirectory, segmentIsALink, segmentIsEmpty, segmentIsText, checkpointIsAPipe
        case segmentOfAnother, checkpointOfAnother, segmentCut, segmentGone, everyHeaderGone
        case greatestNumbers, greatestHeader, bomb, deepItem, hugeCounts, noCommit, longNames
        case tagsArePipe, tagsAreHuge, tagsAreNoise, tagsAreALink, lockIsAPipe, lockIsADirectory, lockIsALink
        case namesThatSteerATerminal
        var testDescription: String { rawValue }
    }

    private func make(_ place: Place, at path: String) async throws {
        let manager = FileManager.default
        func write(_ bytes: [UInt8], _ name: String) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
        }
        switch place {
        case .nothing: return
        case .emptyDirectory: return try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
        case .file: return try Data("not a database".utf8).write(to: URL(fileURLWithPath: path))
        case .pipe: return #expect(mkfifo(path, 0o600) == 0)
        case .loop: return try manager.createSymbolicLink(atPath: path, withDestinationPath: path)
        case .link:
            try await makeShop(at: path + ".real")
            return try manager.createSymbolicLink(atPath: path, withDestinationPath: path + ".real")
        case .foreignDirectory:
            try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
            return try write([1, 2, 3], "photo.jpg")
        default: break
        }
        try await makeShop(at: path)
        let segment = "wal/" + (try manager.contentsOfDirectory(atPath: path + "/wal").sorted()[0])
        let checkpoint = "ckpt/00000000000000000002-0000000001.ckpt"
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + segment)))
        func replace(_ name: String, _ body: (String) throws -> Void) throws {
            try? manager.removeItem(atPath: path + "/" + name)
            try body(path + "/" + name)
        }
        switch place {
        case .segmentsAreAFile: try replace("wal") { try Data().write(to: URL(fileURLWithPath: $0)) }
        case .checkpointsAreALink:
            try replace("ckpt") { try manager.createSymbolicLink(atPath: $0, withDestinationPath: "/tmp") }
        case .segmentIsAPipe: try replace(segment) { #expect(mkfifo($0, 0o600) == 0) }
        case .segmentIsADirectory:
            try replace(segment) { try manager.createDirectory(atPath: $0, withIntermediateDirectories: false) }
        case .segmentIsALink:
            try replace(segment) { try manager.createSymbolicLink(atPath: $0, withDestinationPath: "/dev/zero") }
        case .segmentIsEmpty: try write([], segment)
        case .segmentIsText: try write(Array(String(repeating: "text\n", count: 5000).utf8), segment)
        case .checkpointIsAPipe: #expect(mkfifo(path + "/" + checkpoint, 0o600) == 0)
        case .segmentOfAnother, .checkpointOfAnother:
            try await makeShop(at: path + ".other")
            let other = try await Database.open(at: FilePath(path + ".other"), collections: .shopBooks)
            try await other.write { $0[.shopBooks]["x"] = ShopBook(title: "x", rank: 1) }
            try await other.checkpoint()
            try await other.close()
            let kind = place == .segmentOfAnother ? "wal" : "ckpt"
            for name in try manager.contentsOfDirectory(atPath: path + ".other/" + kind)
            where !manager.fileExists(atPath: "\(path)/\(kind)/\(name)") {
                try manager.copyItem(atPath: "\(path).other/\(kind)/\(name)", toPath: "\(path)/\(kind)/\(name)")
            }
        case .segmentCut: try write(Array(bytes.prefix(4096 + 100)), segment)
        case .segmentGone: try manager.removeItem(atPath: path + "/" + segment)
        case .everyHeaderGone: try write([UInt8](repeating: 0, count: 4096) + bytes.dropFirst(4096), segment)
        case .greatestNumbers:
            for name in [
                "09223372036854775807-9999999999", "18446744073709551615-0000000001", "09223372036854775807-0000000000",
            ] {
                try write(bytes, "wal/\(name).wal")
                try write(bytes, "ckpt/\(name).ckpt")
            }
        case .greatestHeader:
            var header = try UnprovenFileHeader(bytes: bytes).prove(as: .segment)
            header.first = UInt64(Int64.max)
            header.epoch = FileName.epochMax
            (header.previousFirst, header.previousEpoch, header.previousEnd) = (.max, .max, .max)
            (header.attested, header.createdNs, header.maxStored) = (.max, .max, FormatLimits.frameStoredMax)
            let name = FileName(first: header.first, epoch: header.epoch).string(.segment)
            try write(
                ForgedSegment.bytes(header, [([0xa1, 0x61, 0x6e, 0x1b] + [UInt8](repeating: 0xff, count: 8), 1)]),
                "wal/" + name)
            header.kind = .checkpoint
            try write(
                header.encoded(), "ckpt/" + FileName(first: header.first, epoch: header.epoch).string(.checkpoint))
        case .bomb:
            // 64 MiB of zeros in a byte string, which LZ4 makes 255 times smaller.
            let bomb: [UInt8] = [0x5a, 0x03, 0xff, 0xff, 0xfb] + [UInt8](repeating: 0, count: (64 << 20) - 5)
            try write(ForgedSegment.bytes(like: bytes, [(bomb, 1)]), segment)
        case .deepItem:
            try write(
                ForgedSegment.bytes(like: bytes, [([UInt8](repeating: 0x81, count: 1 << 20) + [0], 1)]), segment)
        case .hugeCounts:
            // A commit whose arrays and maps promise 2^63 elements.
            let huge: [UInt8] = [0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]
            try write(
                ForgedSegment.bytes(
                    like: bytes, [([0xbb] + huge, 1), ([0xa1, 0x61, 0x63, 0x9b] + huge, 1), ([0x5b] + huge, 1)]),
                segment)
        case .noCommit:
            try write(ForgedSegment.bytes(like: bytes, [([0x01], 1), ([0xa0], 1), ([0x80], 1), ([0xf6], 1)]), segment)
        case .longNames:
            let name = [0x7a, 0x00, 0x10, 0x00, 0x00] + [UInt8](repeating: 0x78, count: 1 << 20)
            let item = [0xa3, 0x61, 0x63, 0x81, 0x84] + name + [0x01, 0xf4, 0x80, 0x61, 0x6e, 0x01, 0x61, 0x74, 0x00]
            try write(ForgedSegment.bytes(like: bytes, [(item, 1)]), segment)
        case .tagsArePipe: #expect(mkfifo(path + "/tags", 0o600) == 0)
        case .tagsAreHuge: try write(Array(String(repeating: "a 1\n", count: 1 << 19).utf8), "tags")
        case .tagsAreNoise: try write([0xff, 0x00, 0x1b, 0x5b], "tags")
        case .tagsAreALink: try manager.createSymbolicLink(atPath: path + "/tags", withDestinationPath: "/etc/passwd")
        case .lockIsAPipe: try replace("LOCK") { #expect(mkfifo($0, 0o600) == 0) }
        case .lockIsADirectory:
            try replace("LOCK") { try manager.createDirectory(atPath: $0, withIntermediateDirectories: false) }
        case .lockIsALink:
            try Data("precious".utf8).write(to: URL(fileURLWithPath: path + ".precious"))
            try replace("LOCK") { try manager.createSymbolicLink(atPath: $0, withDestinationPath: path + ".precious") }
        case .namesThatSteerATerminal: try write([1], "wal/\u{1b}[31mred\u{7}\n.wal")
        default: break
        }
    }

    /// Everything below a path: kinds of things, and the bytes of files.
    private func everything(below path: String) -> [String: String] {
        var found: [String: String] = [:]
        func note(_ path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else { return }
            let kind = status.st_mode & S_IFMT
            var text = "\(kind) \(status.st_mode & 0o777)"
            if kind == S_IFREG {
                text += " \((try? Data(contentsOf: URL(fileURLWithPath: path)))?.hashValue ?? 0) \(status.st_size)"
            }
            found[path] = text
            guard kind == S_IFDIR else { return }
            for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] { note(path + "/" + name) }
        }
        note(path)
        return found
    }

    /// Verbs that take the lock of the database they are given, or write to it.
    private static let locking: Set<String> = ["checkpoint", "compact", "repair", "revert"]

    @Test(arguments: Place.allCases)
    func `Every verb says a sentence and the right code, and writes nothing`(place: Place) async throws {
        // Each run takes a quarter of them, a soak all.
        let stride = Soak.volume(4, soak: 1)
        for index in Swift.stride(from: Int.random(in: 0..<stride), to: Self.verbs.count, by: stride) {
            let verb = Self.verbs[index]
            // A folder for each, so that what is compared stays small.
            let room = folder("\(place.rawValue)-\(index)")
            try FileManager.default.createDirectory(atPath: room, withIntermediateDirectories: false)
            let path = room + "/db"
            try await make(place, at: path)
            let before = everything(below: room)
            let target = room + "/new"
            let outcome = await yaprak(verb.map { $0 == "DB" ? path : $0 == "NEW" ? target : $0 })
            let context: Comment = "\(place.rawValue): \(verb.joined(separator: " ")): \(outcome.code) \(outcome.err)"
            // A verb that is not there yet asks for nothing.
            if outcome.code == 64, outcome.err.contains("Error: Unexpected argument") || outcome.err.contains("Usage") {
                continue
            }
            #expect([0, 1, 2, 3, 4, 5, 6, 7, 8].contains(outcome.code), context)
            if outcome.code >= 3, !["verify"].contains(verb[0]) {
                #expect(outcome.err.hasPrefix("yaprak: ") && outcome.err.hasSuffix("\n"), context)
            }
            #expect(!outcome.err.unicodeScalars.contains { $0.value < 32 && $0 != "\n" }, context)
            #expect(!outcome.out.unicodeScalars.contains { $0.value < 32 && $0 != "\n" && $0 != "\r" }, context)
            switch place {
            case .nothing: #expect(outcome.code == 3, context)
            case .emptyDirectory, .file, .pipe, .loop, .link, .foreignDirectory:
                #expect([3, 6].contains(outcome.code), context)
            default: break
            }
            try? FileManager.default.removeItem(atPath: target)
            var after = everything(below: room)
            var expected = before
            if Self.locking.contains(verb[0]) {
                // The lock is taken, and directories that a database has are made.
                for name in ["/LOCK", "/wal", "/ckpt"] {
                    (after[path + name], expected[path + name]) = (nil, nil)
                }
                if outcome.code == 0 { continue }
            }
            let changed = Set(after.keys).symmetricDifference(expected.keys)
                .union(after.keys.filter { after[$0] != expected[$0] }).filter { $0 != room }
            #expect(changed.isEmpty, "\(context) changed \(changed.sorted())")
        }
    }

    @Test func `A file that begins with commit 0 ends no walk in a trap`() async throws {
        let path = folder("zero.yaprak")
        try await makeShop(at: path)
        try Data().write(to: URL(fileURLWithPath: path + "/wal/00000000000000000000-0000000000.wal"))
        let outcome = await yaprak("log", path, "..", "--follow", "-n", "1", "--oneline")
        #expect([0, 4].contains(outcome.code), "\(outcome.err)")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/shm")))
    func `Files that are longer together than a number can say stop no completion`() async throws {
        let path = "/dev/shm/yaprak-\(UInt64.random(in: .min ... .max)).yaprak"
        defer { try? FileManager.default.removeItem(atPath: path) }
        // The log begins behind commit 3.
        for number in 1...4 {
            let file = try folder.write("{\"id\":\"\(number)\"}", to: "\(number).ndjson")
            #expect(await yaprak("load", file, path, "--collection", "books", "--key", "id").code == 0)
            #expect(await yaprak("checkpoint", path).code == 0)
        }
        #expect(await yaprak("compact", path, "--yes").code == 0)
        let words = ["---completion", "ls", "--", "positional@1", "2", "0", "yaprak", "ls", path, ""]
        #expect(await yaprak(words).out == "books\n")
        for first in 1...3 as ClosedRange<UInt64> {
            let file = path + "/wal/" + FileName(first: first, epoch: 1).string(.segment)
            try #require(!FileManager.default.fileExists(atPath: file))
            try Data().write(to: URL(fileURLWithPath: file))
            try #require(truncate(file, .max) == 0)
        }
        // Its state is not read for that: it is as large as its files.
        #expect(await yaprak(words).code == 0)
    }

    @Test func `A directory with more names than a database can have is refused, in bounded time`() async throws {
        guard ProcessInfo.processInfo.environment["YAPRAK_SOAK"] != nil else { return }
        let path = folder("many.yaprak")
        try await makeShop(at: path)
        for number in 0...FormatLimits.directoryEntriesMax {
            let file = open(path + "/wal/\(number)", O_CREAT | O_WRONLY, 0o600)
            close(file)
        }
        for verb in [["verify", path], ["log", path], ["repair", path], ["stats", path]] {
            let outcome = await yaprak(verb)
            #expect(outcome.code == 6 && outcome.err.contains("(overLimit)"))
        }
    }
}
