import SystemPackage
import ToolSupport
import Yaprak
import YaprakReplay

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Sleeps. This thread belongs to the subcommand: no other task needs it.
private func nap(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    nanosleep(&time, nil)
}

/// Waits for the time of each commit, and shows the progress below the data.
struct ReplayPace {
    private let speed: ReplaySpeed
    private let pauseMax: Duration?
    private let last: CommitNumber
    private let console: Console
    /// When the last commit was due, and when it was made.
    private var due = ContinuousClock.now
    private var made: Int64?
    private var isDrawn = false

    init(speed: ReplaySpeed, pauseMax: Double?, last: CommitNumber, console: Console) {
        self.speed = speed
        self.pauseMax = pauseMax.map { .seconds($0) }
        self.last = last
        self.console = console
    }

    /// Returns when the time of a commit has come.
    /// - Throws: `Interrupted` if the user presses Ctrl-C meanwhile.
    mutating func wait(for commit: ReplayCommit) throws {
        let time = commit.nanosecondsSince1970
        let pause = made.map { speed.pause(from: $0, to: time) } ?? .zero
        made = time
        due += min(pause, pauseMax ?? pause)
        while case let left = due - .now, left > .zero {
            if Invocation.isInterrupted() { throw Interrupted() }
            if console.out.hasLostReader { throw Errno.brokenPipe }
            draw(commit, left)
            // In pieces, with a check for interruption between them.
            nap(min(left, .milliseconds(100)))
        }
        finish()
    }

    /// Removes the line.
    mutating func finish() {
        guard isDrawn else { return }
        isDrawn = false
        try? console.err.write("\r\u{1b}[K")
        try? console.err.flush()
    }

    private mutating func draw(_ commit: ReplayCommit, _ left: Duration) {
        guard console.isWatched else { return }
        isDrawn = true
        let seconds = Int(left.components.seconds) + 1
        let rest = String(seconds % 60)
        let text =
            "▶ \(speed)  commit \(commit.commitNumber) of \(last) in \(seconds / 60):\(rest.count < 2 ? "0" : "")\(rest)"
        try? console.err.write("\r\u{1b}[K" + text.cut(to: max(20, console.width - 1)))
        try? console.err.flush()
    }
}
