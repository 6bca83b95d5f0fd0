internal import SystemPackage
internal import Yaprak
internal import YaprakCore
internal import YaprakSimulator
internal import YaprakStorage

/// A public operation that writes to the disk, the tool's included, over a small database: what the enumerations of crashes
/// and of faults run.
package struct WritingOperation: Sendable {
    /// How far a run came: the index of the newest state that was acknowledged.
    final class Progress: @unchecked Sendable {
        // One task at a time.
        var state = 0
    }

    package let name: String
    /// The disk before it.
    let base: MemoryFileSystem
    /// What the database may hold after it was interrupted, in order; the last if it succeeded.
    let states: [[String: SimulationModel.Value]]
    /// What the directory that it makes holds; nil if it makes none.
    let copy: [String: SimulationModel.Value]?
    let run: @Sendable (MemoryFileSystem, DatabaseOptions, Progress) async throws -> Void

    /// Where an operation makes another database.
    static let target: FilePath = "/copy"

    /// Small files, and a scheduler.
    static func options(_ scheduler: SeededScheduler, _ durability: Durability = .always) -> DatabaseOptions {
        var options = DatabaseOptions()
        options.durability = durability
        options.checkpoints = .manual
        options.clock = { Int64(scheduler.now()) }
        options.store.random = { scheduler.now() &* 0x9E37_79B9_7F4A_7C15 }
        options.store.segmentBytesMax = 5000
        options.store.preallocationBytes = 2048
        options.store.chunkBytes = 512
        options.store.frameBytesMax = 1500
        options.store.checkpointSyncBytes = 1500
        options.store.attestAfter = .zero
        options.store.scheduler = scheduler
        return options
    }

    static func open(_ disk: MemoryFileSystem, _ options: DatabaseOptions, at path: FilePath = "/db") async throws
        -> Database
    {
        try await Database.open(
            at: path, options: options, fileSystem: disk, collections: SimulatedRecord.items, SimulatedRecord.others)
    }

    static func put(_ database: Database, _ key: Int, bytes: Int = 40) async throws {
        let edit = SimulationScript.Edit.set(isOther: key % 3 == 0, key: key, number: key, bytes: bytes)
        try await database.write { edit.apply(to: &$0) }
    }

    /// The states after each of these edits.
    static func states(_ start: [String: SimulationModel.Value], adding edits: [(key: Int, bytes: Int)]) -> [[String:
        SimulationModel.Value]]
    {
        var state = SimulationModel.State(records: start)
        var states = [start]
        for (key, bytes) in edits {
            SimulationScript.Edit.set(isOther: key % 3 == 0, key: key, number: key, bytes: bytes).apply(to: &state)
            states.append(state.records)
        }
        return states
    }
}
