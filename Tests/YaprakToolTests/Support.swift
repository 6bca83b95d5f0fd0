import Foundation
import Synchronization
import SystemPackage
import ToolSupport
import Yaprak

@testable import YaprakTool

/// What a run of the tool said, and how it ended.
struct Outcome {
    var out: String
    var err: String
    var code: Int32

    var lines: [String] { out.split(separator: "\n").map(String.init) }
}

/// Runs the tool in this process, against strings.
func yaprak(_ arguments: String..., onTerminal: Bool = false, width: Int = 100) async -> Outcome {
    await yaprak(arguments, onTerminal: onTerminal, width: width)
}

/// Runs the tool in this process, against strings.
func yaprak(_ arguments: [String], onTerminal: Bool = false, width: Int = 100) async -> Outcome {
    let console = Console(out: TextSink(), err: TextSink(), isTerminal: onTerminal, width: width)
    let code = await Invocation.run(arguments, on: console)
    return Outcome(out: console.out.text, err: console.err.text, code: code)
}

/// A folder that goes with its test.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "yaprak-tool-\(UInt64.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of something in the folder.
    func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// Writes a file.
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: self(name)))
        return self(name)
    }
}

/// The folder of the package.
let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

/// The path of a data set.
func fixture(_ name: String) -> String { package.appendingPathComponent("Fixtures/\(name).ndjson.lz4").path }

/// A frame of LZ4 with blocks that are not compressed; with one behind them that does not unpack, if it is to be damaged.
func lz4(_ blocks: [String], damaged: Bool, checksum: [UInt8] = []) -> [UInt8] {
    var bytes: [UInt8] = [0x04, 0x22, 0x4d, 0x18] + (checksum.isEmpty ? [0x60, 0x40, 0x82] : [0x64, 0x40, 0xa7])
    for block in blocks {
        bytes += withUnsafeBytes(of: (UInt32(block.utf8.count) | 1 << 31).littleEndian) { Array($0) }
        bytes += Array(block.utf8)
    }
    return bytes + (damaged ? [4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff] : [0, 0, 0, 0] + checksum)
}

struct ShopBook: Codable, Sendable, Hashable {
    var title: String
    var rank: Int
}

extension RecordCollection where Object == ShopBook, Metadata == NoMetadata {
    static var shopBooks: Self { Self("books") }
}

/// Makes a small shop of three commits, a second apart.
func makeShop(at path: String) async throws {
    let clock = Clock()
    var options = DatabaseOptions()
    options.clock = { clock.now }
    let database = try await Database.open(at: FilePath(path), options: options, collections: .shopBooks)
    clock.tick()
    try await database.write(origin: "shop") { transaction in
        transaction[.shopBooks]["abc"] = ShopBook(title: "Dune", rank: 3)
        transaction[.shopBooks]["def"] = ShopBook(title: "Emma", rank: 7)
        transaction.setInfo("opening day")
    }
    clock.tick()
    try await database.write { $0[.shopBooks]["abc"]?.rank = 1 }
    clock.tick()
    try await database.write(origin: "shop") { transaction in
        transaction[.shopBooks]["def"] = nil
        transaction[.shopBooks].touchObject(for: "abc")
    }
    try await database.close()
}

/// Adds a view and a checkpoint that has it.
func addView(_ name: String, to path: String) async throws {
    let database = try await Database.open(at: FilePath(path), collections: .shopBooks)
    try await database.register(
        AutoView(
            name, versionTag: "1", of: .shopBooks, groupedBy: \.title, sortedBy: \.rank, persistence: .checkpoints))
    try await database.checkpoint()
    try await database.close()
}

/// A clock that starts with 2026 and moves on when the test says so.
private final class Clock: Sendable {
    private let nanoseconds = Atomic<Int64>(1_767_225_600_000_000_000)
    var now: Int64 { nanoseconds.load(ordering: .relaxed) }
    func tick() { nanoseconds.add(1_000_000_000, ordering: .relaxed) }
}
