import SystemPackage
import TestSupport
import Testing
import YaprakSimulator

@testable import YaprakStorage

/// What the simulated disk does with what it failed to sync: the model that the proof holds the engine against.
@Suite(.bounded) struct FailedSyncTests {
    let disk = MemoryFileSystem()

    private func fail(_ operation: DiskError.Operation, _ sync: () throws -> Void) {
        disk.fail(operation, nth: 1, errno: .ioError)
        #expect(throws: DiskError.self) { try sync() }
        disk.healFaults()
    }

    /// The disk behind the power cut that leaves the most.
    private var afterPowerCut: MemoryFileSystem { disk.crashed(keeping: .all, names: .all) }

    @Test func `Bytes of a failed sync are readable, and durable by no later one`() throws {
        let directory = try disk.openDirectory("/")
        let file = try directory.open("a", .create)
        try directory.sync()
        try file.writeAll([1, 2, 3], at: 0)
        fail(.syncData) { try file.syncData() }
        try file.syncData()
        #expect(disk.contents("/a") == [1, 2, 3])
        #expect(disk.afterKill().contents("/a") == [1, 2, 3])
        #expect(afterPowerCut.contents("/a") == [])
        try file.writeAll([1, 2, 3], at: 0)
        try file.syncData()
        #expect(afterPowerCut.contents("/a") == [1, 2, 3])
    }

    @Test func `Names of a failed sync are there until the power goes, and durable with the next sync`() throws {
        let directory = try disk.openDirectory("/")
        _ = try directory.open("a", .create)
        fail(.syncDirectory) { try directory.sync() }
        #expect(disk.names("/") == ["a"])
        #expect(disk.afterKill().names("/") == ["a"])
        #expect(afterPowerCut.names("/") == [])
        try directory.sync()
        #expect(afterPowerCut.names("/") == ["a"])
    }
}
