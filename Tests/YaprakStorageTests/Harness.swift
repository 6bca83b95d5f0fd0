import Foundation
import Synchronization
import SystemPackage
import TestSupport
import YaprakLocks
import YaprakModel

@testable import YaprakStorage

/// What the tests store: the state after commit *n* is the list of the first *n* items.
enum Harness {
    /// One CBOR byte string whose content follows from its number.
    static func item(_ number: Int, bytes: Int = 24, compressible: Bool = true) -> [UInt8] {
        var random = SplitMix64(seed: UInt64(number) &* 977)
        let content = (0..<bytes).map { i in
            compressible ? UInt8(truncatingIfNeeded: number &+ i / 16) : UInt8(truncatingIfNeeded: random.next())
        }
        return byteString(content)
    }

    static func byteString(_ content: [UInt8]) -> [UInt8] {
        let count = content.count
        switch count {
        case ..<24: return [0x40 | UInt8(count)] + content
        case ..<256: return [0x58, UInt8(count)] + content
        case ..<65536: return [0x59, UInt8(count >> 8), UInt8(count & 255)] + content
        default: return [0x5A] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + content
        }
    }

    /// Small files, no timers, the same random numbers each time.
    static func options(
        _ durability: Durability = .always, segmentBytes: Int = 6 << 10, seed: UInt64 = 1
    ) -> StoreOptions {
        var options = StoreOptions()
        let random = YaprakLocks.Mutex(SplitMix64(seed: seed))
        let clock = Atomic<Int64>(1_000_000)
        let shared = Shared(random: random, clock: clock)
        options.durability = durability
        options.segmentBytesMax = segmentBytes
        options.preallocationBytes = 8 << 10
        options.attestAfter = .zero
        options.random = { shared.random.withLock { $0.next() } }
        options.now = { shared.clock.add(1000, ordering: .relaxed).newValue }
        return options
    }

    private final class Shared: Sendable {
        let random: YaprakLocks.Mutex<SplitMix64>
        let clock: Atomic<Int64>
        init(random: consuming sending YaprakLocks.Mutex<SplitMix64>, clock: consuming sending Atomic<Int64>) {
            self.random = random
            self.clock = clock
        }
    }

    static let path: FilePath = "/db"

    /// A new directory of the operating system, removed at the end.
    static func withTemporaryDirectory(_ body: (FilePath) throws -> Void) throws {
        let name = FilePath(NSTemporaryDirectory()).appending("yaprak-storage-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(atPath: name.string, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: name.string) }
        try body(name)
    }

    /// Four times as much work by default nightly: `YAPRAK_SOAK=4`.
    static let soak = max(1, ProcessInfo.processInfo.environment["YAPRAK_SOAK"].flatMap(Int.init) ?? 1)
}

/// A store, and the state it came up with.
struct Opened {
    let store: Store
    var items: [[UInt8]]
    let report: RecoveryReport

    /// Opens, loads the checkpoint, replays the log.
    init(
        _ fileSystem: any FileSystem, _ path: FilePath = Harness.path, _ options: StoreOptions = Harness.options()
    ) throws {
        let (store, recovery) = try Store.open(path, options: options, fileSystem: fileSystem)
        var items: [[UInt8]] = []
        do {
            if let checkpoint = recovery.checkpoint {
                for section in checkpoint.sections {
                    try checkpoint.forEachChunk(of: section) { items += try Self.split($0) }
                    guard items.count == section.count else { throw TestFailure("section has \(items.count) items") }
                }
                guard items.count == checkpoint.number.rawValue else {
                    throw TestFailure("checkpoint is not its state")
                }
            }
            try recovery.replay { number, item in
                guard number.rawValue == UInt64(items.count + 1) else { throw TestFailure("\(number) out of order") }
                items.append([UInt8](item))
            }
        } catch {
            try? store.close()
            throw error
        }
        self.store = store
        self.items = items
        report = recovery.report
    }

    static func split(_ bytes: UnsafeRawBufferPointer) throws -> [[UInt8]] {
        var items: [[UInt8]] = []
        var at = 0
        while at < bytes.count {
            let head = bytes[at] & 31
            let (size, header): (Int, Int) =
                switch head {
                case 24: (Int(bytes[at + 1]), 2)
                case 25: (Int(bytes[at + 1]) << 8 | Int(bytes[at + 2]), 3)
                case 26: ((1...4).reduce(0) { $0 << 8 | Int(bytes[at + $1]) }, 5)
                default: (Int(head), 1)
                }
            guard at + header + size <= bytes.count else { throw TestFailure("chunk splits an item") }
            items.append([UInt8](bytes[at..<at + header + size]))
            at += header + size
        }
        return items
    }

    /// Appends and waits for the answer.
    mutating func append(_ item: [UInt8]) throws {
        try append([item])
    }

    /// Appends all, then waits for all.
    mutating func append(_ new: [[UInt8]]) throws {
        let answers = Monitor<[Result<Void, DatabaseError>]>([])
        for (i, item) in new.enumerated() {
            try store.append(number: CommitNumber(UInt64(items.count + i + 1)), item: item) { result in
                answers.withLock { $0.append(result) }
                answers.broadcast()
            }
        }
        let results = answers.waitFor { all, _ in all.count == new.count ? all : nil }
        for (item, result) in zip(new, results) {
            try result.get()
            items.append(item)
        }
    }

    /// Writes the state as a checkpoint.
    func checkpoint(chunkEvery: Int = 3) throws {
        let writer = try store.beginCheckpoint(at: CommitNumber(UInt64(items.count)))
        try writer.beginSection(kind: 1, name: "items", info: [0xA0], asOf: writer.number)
        for start in stride(from: 0, to: items.count, by: chunkEvery) {
            try writer.append(Array(items[start..<min(items.count, start + chunkEvery)].joined()))
        }
        try writer.endSection(count: items.count, digest: 7)
        try writer.finish()
    }
}

struct TestFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Opens and closes; nil and the error if it does not open.
func reopened(
    _ fileSystem: any FileSystem, _ path: FilePath = Harness.path, _ options: StoreOptions = Harness.options()
) -> Result<[[UInt8]], any Error> {
    Result {
        let opened = try Opened(fileSystem, path, options)
        try opened.store.close()
        return opened.items
    }
}
