import YaprakCore
import YaprakExtensions
import YaprakModel
import YaprakStorage

/// Cache of snapshots that lets a cursor seek in both directions.
///
///     branches[0]   ●────────●────────●───○            a line of history, and snapshots kept of it
///     branches[1]            └──●──●──○                one that starts at a snapshot of the one before
///     window                    ▪▪▪▪▪▪▪                the commits around here, each with its snapshots
///
/// A line is history applied forwards. It can be continued at its end; elsewhere another line begins, which shares what
/// there is. Only the way that leads here is kept: going on from an earlier branch drops those that hang on it. Their
/// number is bounded, for each keeps the snapshot it began with.
struct SnapshotCache {
    private struct Branch {
        let line: HistoryLine
        /// Snapshots that were kept, ascending; the first is where the line began.
        var kept: [SnapshotState]
        /// The commits after the line's end, if they were read on from there.
        var commits: StoreReader.Commits?

        var end: CommitNumber { line.state.commitNumber }
    }

    /// A commit that was applied, and what it led from and to.
    private struct Passed {
        let commit: ReplayCommit
        let before: SnapshotState
        let after: SnapshotState
    }

    /// So many commits can be stepped over again without applying anything, unless they are large.
    private static let windowMin = 256
    /// The bytes of commits that are kept for that.
    private static let windowBytesMax = 32 << 20
    /// One snapshot in so many commits is kept at first.
    private static let interval: UInt64 = 256
    private static let branchesMax = 4
    /// How many rows what is kept may hold together: so many times those of the state, and at least this many.
    private static let statesMax = 8
    private static let rowsMin = 65_536

    private let reader: ReplayReader
    /// Follows views where there are no types.
    private let makeObserver: HistoryLine.ObserverMaker?
    private var branches: [Branch] = []
    /// Consecutive commits. The place is before the first of them, or after one.
    private var window: [Passed] = []
    private var windowBytes = 0
    private var state: SnapshotState
    /// Where less was kept for the last time: what was given up takes a while to be freed.
    private var thinned = CommitNumber.zero

    /// Stands at the last place before a commit, or at it, where reading can begin.
    init(_ reader: ReplayReader, atOrBefore number: CommitNumber, makeObserver: HistoryLine.ObserverMaker?) throws {
        self.reader = reader
        self.makeObserver = reader.types.isEmpty ? makeObserver : nil
        let line = try Self.line(of: reader, atOrBefore: number, makeObserver)
        state = line.state
        branches = [Branch(line: line, kept: [line.state])]
    }

    /// A line that begins before a commit, or at it; at it, if an extension can't have the state of where that would be.
    private static func line(
        of reader: ReplayReader, atOrBefore number: CommitNumber, _ makeObserver: HistoryLine.ObserverMaker?
    ) throws -> HistoryLine {
        do {
            return try HistoryLine(of: reader.store, atOrBefore: number, reader.types, makeObserver: makeObserver)
        } catch let error as DatabaseError where error.code == .extensionFailed {
            return try line(of: reader, at: number, after: error)
        }
    }

    /// A line that begins at a commit. Its extensions have the state of that alone, not those on the way there.
    /// - Throws: `error`, of an extension that could not follow on the way, if this can't be had either.
    private static func line(
        of reader: ReplayReader, at number: CommitNumber, after error: DatabaseError
    ) throws -> HistoryLine {
        guard !reader.types.isEmpty, let line = try? HistoryLine(of: reader.store, at: number, reader.types) else {
            throw error
        }
        return line
    }

    /// Where another cache can begin: at a state that this one keeps, with what it keeps of the time before.
    struct Origin: Sendable {
        fileprivate let reader: ReplayReader
        fileprivate let makeObserver: HistoryLine.ObserverMaker?
        fileprivate let start: SnapshotState
        fileprivate let earlier: [SnapshotState]
    }

    /// The last place to begin at a commit or before it; `nil` if this cache begins later. O(what is kept).
    func origin(before number: CommitNumber) -> Origin? {
        guard let start = nearest(number) else { return nil }
        let earlier = branches.flatMap(\.kept).filter { $0.commitNumber < start.commitNumber }
        return Origin(
            reader: reader, makeObserver: makeObserver, start: start,
            earlier: earlier.sorted { $0.commitNumber < $1.commitNumber })
    }

    /// A cache that stands where another one can begin. O(what is kept).
    init(from origin: Origin) {
        reader = origin.reader
        makeObserver = origin.makeObserver
        state = origin.start
        let line = HistoryLine(from: origin.start, reader.types, makeObserver: makeObserver)
        branches = [Branch(line: line, kept: origin.earlier + [origin.start])]
    }

    var snapshot: Snapshot { Snapshot(state) }
    private var number: CommitNumber { state.commitNumber }

    /// Snapshots that are kept: an upper bound, for the window's are those of the branches in part.
    var keptSnapshotCount: Int { window.count + branches.reduce(0) { $0 + $1.kept.count } }

    // MARK: Moving

    mutating func seek(to target: CommitNumber, unless isCancelled: () -> Bool = { false }) throws {
        if let known = known(target) {
            state = known
            return
        }
        do {
            try go(to: target, unless: isCancelled)
        } catch let error as CancellationError {
            throw error
        } catch {
            let reason = reader.store.reason(for: error, at: target, after: nearest(target)?.commitNumber ?? .zero)
            stay()
            throw reason
        }
    }

    private mutating func go(to target: CommitNumber, unless isCancelled: () -> Bool) throws {
        do {
            try follow(to: target, unless: isCancelled)
        } catch let error as DatabaseError where error.code == .extensionFailed {
            // Edges between other collections on the way, for example. What is there alone may be had.
            if isCancelled() {
                stay()
                throw CancellationError()
            }
            let reached = try beginAlone(at: target, after: error)
            arrive(at: reached, by: [])
        }
    }

    private mutating func follow(to target: CommitNumber, unless isCancelled: () -> Bool) throws {
        do {
            let (reached, passed) = try apply(
                upTo: target, startingAtOrBefore: target, mayEnd: false, unless: isCancelled)
            arrive(at: reached, by: passed)
        } catch let error as DatabaseError where error.code == .corruptLog || error.code == .commitOutOfReach {
            guard try beginAgain(for: target) else { throw error }
            let (reached, passed) = try apply(
                upTo: target, startingAtOrBefore: target, mayEnd: false, unless: isCancelled)
            arrive(at: reached, by: passed)
        }
    }

    /// Begins again at the last checkpoint before a commit, if that is behind what could not be read, or was given up; false
    /// if it is not.
    private mutating func beginAgain(for target: CommitNumber) throws -> Bool {
        let reached = branches.last?.end ?? .zero
        guard try reader.store.checkpointNumbers().contains(where: { reached < $0 && $0 <= target }) else {
            return false
        }
        let line = try HistoryLine(of: reader.store, atOrBefore: target, reader.types, makeObserver: makeObserver)
        guard line.state.commitNumber > reached else { return false }
        branches = [Branch(line: line, kept: [line.state])]
        return true
    }

    /// Begins again at a commit that an extension could not follow the commits to.
    ///
    /// - Returns: the state of it.
    /// - Throws: `error`, the extension's, if it can't have that state either.
    private mutating func beginAlone(at number: CommitNumber, after error: DatabaseError) throws -> SnapshotState {
        let line = try Self.line(of: reader, at: number, after: error)
        branches = [Branch(line: line, kept: [line.state])]
        return line.state
    }

    /// Goes on from where it stands, if what is kept ends at an earlier commit, from which it may not come back here: on the way
    /// something could not be read, or an extension could not follow.
    private mutating func stay() {
        guard let end = branches.last?.end, end < number else { return }
        let line = HistoryLine(from: state, reader.types, makeObserver: makeObserver)
        branches = [Branch(line: line, kept: [state])]
    }

    /// Takes steps until the history ends; returns how many.
    mutating func step(_ count: Int) throws -> Int {
        let start = number
        if count >= 0 {
            let (sum, overflow) = start.rawValue.addingReportingOverflow(UInt64(count))
            let target = CommitNumber(overflow ? .max - 1 : sum)
            if let known = known(target) {
                state = known
            } else {
                do {
                    let (reached, passed) = try apply(upTo: target, startingAtOrBefore: start, mayEnd: true)
                    // Somebody put an older copy of the files in their place.
                    guard reached.commitNumber >= start else { throw reader.outOfReach(start, reached.commitNumber) }
                    arrive(at: reached, by: passed)
                } catch let error as DatabaseError where error.code == .commitOutOfReach {
                    let newest = try reader.newestCommitNumber()
                    guard newest >= start else { throw error }
                    // The commits that follow were given up meanwhile, and a checkpoint stands for them.
                    try seek(to: min(target, newest))
                }
            }
            return Int(clamping: number.rawValue - start.rawValue)
        }
        let target = CommitNumber(start.rawValue - min(start.rawValue, UInt64(count.magnitude)))
        do {
            try seek(to: target)
        } catch let error as DatabaseError where error.code == .commitOutOfReach {
            try seek(to: min(start, reader.oldestReachableCommitNumber()))
        }
        return -Int(clamping: start.rawValue - number.rawValue)
    }

    mutating func next() throws -> ReplayStep? {
        if let passed = passed(number.next()) { return take(passed, to: passed.after) }
        let (reached, passed) = try apply(upTo: number.next(), startingAtOrBefore: number, mayEnd: true)
        guard reached.commitNumber > number, let last = passed.last else { return nil }
        arrive(at: reached, by: passed)
        return take(last, to: last.after)
    }

    mutating func previous() throws -> ReplayStep? {
        guard number > .zero else { return nil }
        if let passed = passed(number) { return take(passed, to: passed.before) }
        let before = CommitNumber(number.rawValue - 1)
        do {
            try comeBack(from: before)
        } catch let error as DatabaseError where error.code == .commitOutOfReach {
            stay()
            // Here the history begins, unless a file of the way back is damaged.
            if let damage = try reader.store.damage(before: before) { throw damage }
            return nil
        } catch {
            stay()
            throw error
        }
        return passed(number).map { take($0, to: $0.before) }
    }

    /// Comes to where it stands once more, from the commit before or an earlier one, so that the window has that step.
    private mutating func comeBack(from before: CommitNumber) throws {
        do {
            try comeHere(from: before)
        } catch let error as DatabaseError where error.code == .extensionFailed {
            // From so far back that the next steps are in the window, too, if nothing is in the way there.
            let start = CommitNumber(before.rawValue - min(before.rawValue, UInt64(Self.windowMin)))
            if (try? comeHereAlone(from: start, after: error)) != nil { return }
            try comeHereAlone(from: before, after: error)
        }
    }

    private mutating func comeHereAlone(from start: CommitNumber, after error: DatabaseError) throws {
        _ = try beginAlone(at: start, after: error)
        try comeHere(from: start)
    }

    private mutating func comeHere(from start: CommitNumber) throws {
        let (reached, passed) = try apply(upTo: number, startingAtOrBefore: start, mayEnd: false)
        arrive(at: reached, by: passed)
    }

    private mutating func take(_ passed: Passed, to state: SnapshotState) -> ReplayStep {
        self.state = state
        return ReplayStep(commit: passed.commit, before: Snapshot(passed.before), after: Snapshot(passed.after))
    }

    /// How many commits have to be applied to go to one; `nil` if a checkpoint has to be read first. O(what is kept).
    func commitCount(to target: CommitNumber) -> UInt64? {
        if known(target) != nil { return 0 }
        return nearest(target).map { target.rawValue - $0.commitNumber.rawValue }
    }

    /// The last state there is at a commit or before it.
    private func nearest(_ number: CommitNumber) -> SnapshotState? {
        if let known = known(number) { return known }
        var states = branches.map(\.line.state) + [state]
        for branch in branches {
            if let kept = branch.kept.last(where: { $0.commitNumber <= number }) { states.append(kept) }
        }
        return states.filter { $0.commitNumber <= number }.max { $0.commitNumber < $1.commitNumber }
    }

    // MARK: The window

    /// The commit `number`, if it is in the window.
    private func passed(_ number: CommitNumber) -> Passed? {
        guard let first = window.first?.commit.commitNumber, number >= first else { return nil }
        let index = number.rawValue - first.rawValue
        return index < UInt64(window.count) ? window[Int(index)] : nil
    }

    /// The state after commit `number`, if the window leads there.
    private func known(_ number: CommitNumber) -> SnapshotState? {
        if number == state.commitNumber { return state }
        // A number from outside may be the last there is.
        return passed(number)?.after ?? (number.rawValue < .max ? passed(number.next())?.before : nil)
    }

    /// Stands at a state, with the commits that led there; those that are known already stay where they follow.
    private mutating func arrive(at reached: SnapshotState, by passed: [Passed]) {
        state = reached
        guard let first = passed.first?.commit.commitNumber, let last = passed.last?.commit.commitNumber else {
            // It is a kept snapshot itself.
            windowBytes = 0
            return window = []
        }
        let limit = Self.windowMin * 2
        if window.last?.commit.commitNumber.next() == first {
            window += passed
            windowBytes += Self.bytes(of: passed)
            if window.count <= limit, windowBytes <= Self.windowBytesMax { return }
            window.removeFirst(Self.surplus(window))
        } else if window.first?.commit.commitNumber == last.next() {
            let isLight = Self.bytes(of: passed) + windowBytes <= Self.windowBytesMax
            window = passed + window.prefix(isLight ? max(0, limit - passed.count) : 0)
        } else {
            window = passed
        }
        windowBytes = Self.bytes(of: window)
    }

    private static func bytes(of window: [Passed]) -> Int { window.reduce(0) { $0 + $1.commit.byteCount } }

    /// How many of the first commits of a window are not kept: at least the last one is.
    private static func surplus(_ window: [Passed]) -> Int {
        var bytes = 0
        let kept = window.reversed().prefix(windowMin).prefix { passed in
            bytes += passed.commit.byteCount
            return bytes <= windowBytesMax
        }
        return window.count - max(1, kept.count)
    }

    // MARK: Applying commits

    /// Applies commits up to `target`, from the nearest place there is at or before `start`.
    ///
    /// - Returns: where that led, and the last of the commits that were applied.
    /// - Throws: `commitOutOfReach` if the log ends before, unless it may; `CancellationError`, with the line where it came.
    private mutating func apply(
        upTo target: CommitNumber, startingAtOrBefore start: CommitNumber, mayEnd: Bool,
        unless isCancelled: () -> Bool = { false }
    ) throws -> (SnapshotState, [Passed]) {
        let index = try branch(at: start)
        let line = branches[index].line
        var commits = branches[index].commits.take()
        var passed: [Passed] = []
        var bytes = 0
        // Where views begin that no commit has as a whole.
        let checkpoints = makeObserver == nil ? [] : try reader.store.checkpointNumbers()
        while line.state.commitNumber < target {
            if isCancelled() {
                branches[index].commits = commits
                throw CancellationError()
            }
            if commits == nil {
                guard try reader.store.hasLog() else { break }
                commits = try reader.store.commits(from: line.state.commitNumber.next())
            }
            guard let stored = try commits?.next() else { break }
            let before = line.state
            let commit = try ReplayCommit(stored)
            try line.apply(commit.logged, adopting: checkpoint(neededBy: commit.logged, line.state, checkpoints))
            if target.rawValue - line.state.commitNumber.rawValue <= UInt64(Self.windowMin),
                let checkpoint = checkpoint(of: line.state.commitNumber, checkpoints)
            {
                // One can step back to here.
                line.adoptExtensions(of: checkpoint)
            }
            passed.append(Passed(commit: commit, before: before, after: line.state))
            bytes += commit.byteCount
            if passed.count > 4 * Self.windowMin || bytes > 2 * Self.windowBytesMax {
                passed.removeFirst(Self.surplus(passed))
                bytes = Self.bytes(of: passed)
            }
            if line.state.commitNumber.rawValue % Self.interval == 0 { keep(line.state, of: index) }
        }
        branches[index].commits = commits
        guard mayEnd || line.state.commitNumber >= target else {
            throw reader.outOfReach(target, line.state.commitNumber)
        }
        if !passed.isEmpty { passed.removeFirst(Self.surplus(passed)) }
        return (line.state, passed)
    }

    // MARK: Views

    /// The checkpoint of where a line is, if the next commit goes on with a view that only the checkpoint has.
    private func checkpoint(
        neededBy next: LoggedCommit, _ state: SnapshotState, _ checkpoints: Set<CommitNumber>
    ) -> CheckpointReader? {
        guard !checkpoints.isEmpty, ViewFollower.continuesUnknownView(next, in: state.extensions) else { return nil }
        return checkpoint(of: state.commitNumber, checkpoints)
    }

    /// A checkpoint that can't be read is one that isn't there: what is wanted of it is derived.
    private func checkpoint(of number: CommitNumber, _ checkpoints: Set<CommitNumber>) -> CheckpointReader? {
        checkpoints.contains(number) ? try? reader.store.openCheckpoint(number) : nil
    }

    /// The branch whose end is the nearest there is to a commit, at or before it; made where nothing ends there.
    private mutating func branch(at number: CommitNumber) throws -> Int {
        var best: (index: Int, state: SnapshotState, isEnd: Bool)?
        for (index, branch) in branches.enumerated() {
            if branch.end <= number, branch.end >= best?.state.commitNumber ?? 0 {
                best = (index, branch.line.state, true)
            }
            guard index + 1 < Self.branchesMax, let kept = branch.kept.last(where: { $0.commitNumber <= number })
            else { continue }
            if best.map({ kept.commitNumber > $0.state.commitNumber }) ?? true { best = (index, kept, false) }
        }
        guard let best else {
            let line = try HistoryLine(
                of: reader.store, atOrBefore: number, reader.types, makeObserver: makeObserver)
            // Fails, and changes nothing, if the log does not go on from there.
            let commits = try reader.store.hasLog() ? reader.store.commits(from: line.state.commitNumber.next()) : nil
            branches = [Branch(line: line, kept: [line.state], commits: commits)]
            return 0
        }
        branches.removeSubrange((best.index + 1)...)
        if !best.isEnd {
            let line = HistoryLine(from: best.state, reader.types, makeObserver: makeObserver)
            branches.append(Branch(line: line, kept: [best.state]))
        }
        return branches.count - 1
    }

    // MARK: Kept snapshots

    private mutating func keep(_ state: SnapshotState, of index: Int) {
        branches[index].kept.append(state)
        keepLess(at: state, of: branches[index].line)
        guard branches[index].kept.count % 8 == 0 else { return }
        // Four for each doubling of the distance: what is far away costs a quarter of the way to come back to.
        let here = state.commitNumber.rawValue
        let first = branches[index].kept[0].commitNumber
        branches[index].kept.removeAll { kept in
            let number = kept.commitNumber
            let quarter = (here - number.rawValue) / 4
            let spacing = quarter < Self.interval ? Self.interval : 1 << (63 - quarter.leadingZeroBitCount)
            return number.rawValue % UInt64(spacing) != 0 && number != first
        }
    }

    /// Keeps every second snapshot where all of them hold too many rows: of far ones the next holds another row for nearly
    /// each record.
    private mutating func keepLess(at state: SnapshotState, of line: HistoryLine) {
        let here = state.commitNumber, distance = max(here, thinned).rawValue - min(here, thinned).rawValue
        guard distance >= 2 * Self.interval else { return }
        guard line.rowCountInAll > max(Self.rowsMin, Self.statesMax * line.rowCount) else { return }
        thinned = here
        for branch in branches.indices {
            let last = branches[branch].kept.count - 1
            branches[branch].kept = branches[branch].kept.enumerated()
                .filter { $0.offset == 0 || $0.offset == last || $0.offset % 2 == 1 }.map(\.element)
        }
    }

    /// Rows that are in memory: those of what is kept, here and in caches that share it.
    var rowCount: Int { branches.last?.line.rowCountInAll ?? 0 }
}
