import Foundation
import Synchronization
import ToolSupport
import Yaprak

extension DeparturesBoard {
    /// Plays, shows and checks; closes the database.
    func perform(_ database: Database, on console: Console) async throws -> Performance {
        // Ctrl-C stays a signal: only q is read.
        let keyboard = live ? Keyboard(keepsSignals: true) : nil
        defer { keyboard?.leave() }
        let screen = live ? try Screen(console) : nil
        defer { screen?.leave() }
        if let keyboard { endAtQ(keyboard) }
        let follower = ChangeFollower(database)
        let hasEnded = Ended()
        let board = screen.map { LiveBoard(console: console, screen: $0, isLateOnly: late) }
        var list: ListFollower?
        if live || check {
            list =
                late
                ? follow(database, BoardViews.late, board, hasEnded)
                : follow(database, BoardViews.departures, board, hasEnded)
        }
        let (result, checked) = try await runPlayback(database, console, hasEnded)
        let snapshot = database.snapshot
        // Views are stored in the last checkpoint: the next opening restores them.
        if result.commits > 0 { try await database.checkpoint() }
        try await database.close()
        return Performance(
            result: result, snapshot: snapshot, seen: try await follower.finish(), list: try await list?.finish(),
            checked: checked.map { ($0, seed) })
    }

    /// Ends the play as Ctrl-C does when q is pressed.
    private func endAtQ(_ keyboard: Keyboard) {
        nonisolated(unsafe) let keyboard = keyboard
        // A thread of its own: it waits for keys as long as the program runs.
        Thread.detachNewThread {
            while case .key(let key) = keyboard.next() {
                if key == .character("q") || key == .escape { Interruption.request() }
            }
        }
    }

    private func follow<View: OrderedView>(
        _ database: Database, _ view: View, _ board: LiveBoard?, _ hasEnded: Ended
    ) -> ListFollower where View.Element == Record<Flight, NoMetadata> {
        ListFollower(
            database, BoardViews.sections(of: view), isChecked: check, onEnd: { hasEnded.set() },
            show: { try await board?.show($0, $1) })
    }

    private func runPlayback(
        _ database: Database, _ console: Console, _ hasEnded: Ended
    ) async throws -> (Playback.Result, checked: Int?) {
        var playback = Playback(database: database, until: until, speed: speed ?? (live ? 20 : nil))
        // If the list has ended, its reader is gone: there is nothing to play for.
        playback.isCancelled = { Interruption.isRequested || hasEnded.isSet }
        // The month has 44,871 minutes; events are not counted ahead.
        let end = min(until ?? Minute(count: 44_870), Minute(count: 44_870))
        var check =
            check ? try BoardCheck(minutes: 50, seed: seed, from: database.snapshot, to: end, Timetable(data)) : nil
        var bar = live ? nil : ProgressBar(console, "playing", unit: "commits")
        defer { bar?.finish() }
        let result = try await playback.run(Timetable(data)) { minute, result in
            bar?.update(done: minute.count, of: end.count, counted: result.commits)
            try check?.follow(database.snapshot, of: minute)
        }
        if !result.isCancelled { try check?.finish() }
        return (result, check?.checked)
    }
}

/// Whether the reader of the list is gone.
private final class Ended: Sendable {
    private let state = Atomic(false)
    var isSet: Bool { state.load(ordering: .relaxed) }
    func set() { state.store(true, ordering: .relaxed) }
}
