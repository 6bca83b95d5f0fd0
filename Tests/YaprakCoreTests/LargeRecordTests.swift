import Foundation
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakModel
import YaprakSimulator
import YaprakStorage

@testable import YaprakCore

/// A checkpoint never cuts a record: what a commit takes is what a checkpoint can hold.
@Suite(.bounded) struct LargeRecordTests {
    private static let blobs = RecordCollection<Data, NoMetadata>("blobs")
    private let disk = MemoryFileSystem()

    private func open(itemBytesMax: Int) async throws -> Database {
        var options = DatabaseOptions()
        options.checkpoints = .manual
        options.store.itemBytesMax = itemBytesMax
        return try await Database.open(
            at: "/db", options: options, bindings: [TypedBinding(Self.blobs)], fileSystem: disk)
    }

    // Up to 32 KiB of earlier records were handed over with a large one, as if all were one item. A record of nearly 256 MiB
    // was committed, and no checkpoint could be written any more.
    @Test(arguments: [60_000, 65_000])
    func `A record that fills a chunk is written, whatever comes before it`(bytes: Int) async throws {
        var database = try await open(itemBytesMax: 64 << 10)
        let large = Data(repeating: 7, count: bytes)
        try await database.write { transaction in
            for index in 0..<30 { transaction[Self.blobs]["a\(index)"] = Data(count: 1000) }
            transaction[Self.blobs]["b"] = large
            for index in 0..<3 { transaction[Self.blobs]["c\(index)"] = Data(count: 1000) }
        }
        #expect(try await database.checkpoint() == 1)
        try await database.close()
        database = try await open(itemBytesMax: 64 << 10)
        #expect(database.recoveryReport?.checkpointCommitNumber == 1)
        #expect(database.snapshot[Self.blobs].count == 34 && database.snapshot[Self.blobs]["b"] == large)
        try await database.close()
    }

    @Test func `A record that no chunk can hold is named, and the log keeps it`() async throws {
        let database = try await open(itemBytesMax: 64 << 10)
        try await database.write { transaction in
            transaction[Self.blobs]["a"] = Data(count: 1000)
            transaction[Self.blobs]["b"] = Data(count: 64 << 10)
        }
        let error = await #expect(throws: DatabaseError.self) { try await database.checkpoint() }
        #expect(error?.code == .overLimit && error?.place.key == "b" && error?.place.collectionName == "blobs")
        try await database.write { $0[Self.blobs].remove("b") }
        #expect(try await database.checkpoint() == 2)
        try await database.close()
    }

    // An object of 150 MiB and metadata of as many were taken, each with a commit of its own. Together they are more than a
    // chunk may have.
    @Test func `The largest key, object and metadata fit in a chunk together`() {
        var limits = DatabaseLimits()
        #expect(limits.effectiveValueBytesMax == limits.valueBytesMax)
        limits.valueBytesMax = .max
        let record = DatabaseLimits.storedKeyBytesMax + 2 * limits.effectiveValueBytesMax
        // The heads of an item have fewer than 64 bytes.
        #expect(record + 64 <= StoreOptions().itemBytesMax)
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["YAPRAK_SOAK"] != nil, "fills a quarter of a gigabyte"))
    func `A value above the bound of the format is refused, whatever the limit`() async throws {
        var options = DatabaseOptions()
        options.limits.valueBytesMax = .max
        let database = Database.inMemory(checkingCoding: true, options: options)
        let large = Data(count: DatabaseLimits.storedValueBytesMax + 1)
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { $0[Self.blobs]["a"] = large }
        }
        #expect(error?.code == .valueTooLarge && error?.place.key == "a")
    }
}
