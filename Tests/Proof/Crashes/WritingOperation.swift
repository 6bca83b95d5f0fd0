internal import SystemPackage
internal import Yaprak
internal import YaprakCore
internal import YaprakSimulator
internal import YaprakStorage

/// A public operation that writes to the disk, the tool's included, over a small database: what the enumerations of crashes
/// and of faults run.
package struct WritingOperation: Sendable {
    /// The records of a database, by collection and key.
    typealias Records = [String: SimulationModel.Value]

    /// What a run had acknowledged when it ended or was interrupted.
    struct Acknowledged: Sendable {
        /// Of commits that follow one another: the index of the newest state.
        var state = 0
        /// Of commits beside each other: the keys that were written.
        var keys: Set<Int> = []
        /// The commit that each of those keys was given, whether it was acknowledged or not.
        var commits: [Int: UInt64] = [:]
    }

    /// How far a run came.
    final class Progress: @unchecked Sendable {
        // One task at a time.
        var acknowledged = Acknowledged()
    }

    package let name: String
    /// The disk before it.
    let base: MemoryFileSystem
    /// The states that follow one another; the last if it succeeded.
    let states: [Records]
    /// Whether the database may hold these records, given what was acknowledged before it was interrupted.
    let accepts: @Sendable (Records, Acknowledged) -> Bool
    /// What the directory that it makes holds; nil if it makes none.
    let copy: Records?
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

    /// Accepts each of some states that follow one another, from the newest on that was acknowledged.
    ///
    /// - Parameter first: the state that was acknowledged before the operation began.
    static func inOrder(_ states: [Records], from first: Int = 0) -> @Sendable (Records, Acknowledged) -> Bool {
        { records, acknowledged in
            guard let index = states.lastIndex(of: records) else { return false }
            return index >= max(first, acknowledged.state)
        }
    }

    /// Accepts writes beside each other: the base with all that were acknowledged, and with others only so that their commits
    /// have no gap.
    static func besideEachOther(
        _ base: Records, _ edits: [(key: Int, bytes: Int)]
    ) -> @Sendable (Records, Acknowledged) -> Bool {
        { records, acknowledged in
            let present = edits.filter { records[SimulatedRecord.name($0.key % 3 == 0, $0.key)] != nil }
            guard acknowledged.keys.isSubset(of: present.map(\.key)), states(base, adding: present).last == records
            else { return false }
            let numbers = present.compactMap { acknowledged.commits[$0.key] }.sorted()
            // The first of all that were begun has the number behind the base.
            guard numbers.count == present.count, let first = acknowledged.commits.values.min() else {
                return present.isEmpty
            }
            return zip(numbers, first...).allSatisfy { $0 == $1 }
        }
    }

    /// - Parameter begin: called in the transaction, with the number of its commit.
    static func put(
        _ database: Database, _ key: Int, bytes: Int = 40, begin: @escaping @Sendable (UInt64) -> Void = { _ in }
    ) async throws {
        let edit = SimulationScript.Edit.set(isOther: key % 3 == 0, key: key, number: key, bytes: bytes)
        try await database.write { transaction in
            begin(transaction.commitNumber.rawValue)
            edit.apply(to: &transaction)
        }
    }

    /// The states after each of these edits.
    static func states(_ start: Records, adding edits: [(key: Int, bytes: Int)]) -> [Records] {
        var state = SimulationModel.State(records: start)
        var states = [start]
        for (key, bytes) in edits {
            SimulationScript.Edit.set(isOther: key % 3 == 0, key: key, number: key, bytes: bytes).apply(to: &state)
            states.append(state.records)
        }
        return states
    }
}
