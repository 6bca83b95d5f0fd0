internal import SystemPackage
internal import Yaprak
internal import YaprakCore
internal import YaprakSimulator
internal import YaprakStorage

/// The backups of a simulation: what each holds, and whether it was finished.
///
/// A backup gets its name last, behind the syncs of all that it has, and its name is synced, too, before it counts as finished.
/// So one that was finished is there whatever the crash leaves, and opens as what was backed up. One that was not finished is
/// not there, or whole as well; where something was wrong with the disk, opening it may also throw a typed error.
struct SimulatedBackups {
    private struct Backup: Sendable {
        let number: Int
        let state: SimulationModel.State
        let isSound: Bool
        var isFinished = false
    }

    private var backups: [String: Backup] = [:]

    /// - Parameter isSound: whether nothing is wrong with the disk, as long as it has power.
    /// - Returns: whether there is none of that name yet.
    mutating func begin(_ name: String, _ number: Int, _ state: SimulationModel.State, isSound: Bool) -> Bool {
        guard backups[name] == nil else { return false }
        backups[name] = Backup(number: number, state: state, isSound: isSound)
        return true
    }

    mutating func finish(_ name: String) { backups[name]?.isFinished = true }

    /// Nothing is promised of them any more: a sync was a lie.
    mutating func forget() { backups = [:] }

    /// Opens each of them on a copy of the disk, and compares it.
    ///
    /// - Returns: how many were there and opened, and what was wrong first.
    func open(
        on disk: MemoryFileSystem, _ options: (SeededScheduler) -> DatabaseOptions
    ) -> (opened: Int, failure: String?) {
        if backups.isEmpty { return (0, nil) }
        let copy = disk.copy()
        let names = Set(copy.names("/"))
        var opened = 0
        for (name, backup) in backups.sorted(by: { $0.key < $1.key }) {
            guard names.contains(name) else {
                if backup.isFinished { return (opened, "\(name) was finished and is not there") }
                continue
            }
            let scheduler = SeededScheduler(seed: 1)
            var options = options(scheduler)
            options.store.createsIfMissing = false
            let text = scheduler.run { [options] in await Self.open(backup, "/\(name)", copy, options) }
            opened += 1
            guard let text else { return (opened, "opening \(name) hangs") }
            if !text.isEmpty { return (opened, "\(name), \(backup.isFinished ? "" : "un")finished: \(text)") }
        }
        return (opened, nil)
    }

    /// - Returns: what is wrong; empty if nothing is.
    private static func open(
        _ backup: Backup, _ path: String, _ disk: MemoryFileSystem, _ options: DatabaseOptions
    ) async -> String {
        do {
            let database = try await Database.open(
                at: FilePath(path), options: options, fileSystem: disk, collections: SimulatedRecord.items,
                SimulatedRecord.others)
            let text = try await difference(of: database, from: backup)
            try await database.close()
            return text
        } catch {
            let isAllowed = !backup.isFinished && !backup.isSound && error is DatabaseError
            return isAllowed ? "" : "it does not open: \(error)"
        }
    }

    private static func difference(of database: Database, from backup: Backup) async throws -> String {
        let number = Int(database.commitNumber.rawValue)
        guard number == backup.number else { return "it is of commit \(number), not \(backup.number)" }
        try await database.register(Tally())
        try await database.register(Marks())
        let snapshot = database.snapshot
        if SimulationModel.records(of: snapshot) != backup.state.records { return "it has other records" }
        if snapshot[Tally()] != backup.state.tally { return "the tally is \(snapshot[Tally()])" }
        if snapshot[Marks()] != backup.state.marks { return "the marks are \(snapshot[Marks()])" }
        return ""
    }
}
