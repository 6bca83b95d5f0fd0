import ToolSupport
import Yaprak

/// Compares the board of the views with the plain one, at random minutes of a play.
///
///     var check = try BoardCheck(minutes: 50, seed: 2013, from: database.snapshot, to: end, Timetable(data))
///     try check.follow(database.snapshot, of: minute)         // after each commit
///     try check.finish()
///
/// A minute without events has the board of the last one that had some. So a minute is checked when the commit after it
/// is there, in the snapshot before, which stays what it was.
struct BoardCheck {
    /// How many minutes were compared.
    private(set) var checked = 0
    private let seed: UInt64
    /// What is left, descending.
    private var minutes: [Minute]
    private var plain: PlainBoard
    private var last: Snapshot

    /// Chooses minutes between the clock of `snapshot` and `end`.
    /// - Throws: errors of reading the timetable.
    init(minutes count: Int, seed: UInt64, from snapshot: Snapshot, to end: Minute, _ timetable: Timetable) throws {
        self.seed = seed
        last = snapshot
        var generator = SplitMix64(seed: seed)
        let start = Playback.clock(of: snapshot)?.minute.count ?? 0
        let range = start...max(start, end.count)
        minutes = (0..<count).map { _ in Minute(count: Int.random(in: range, using: &generator)) }.sorted(by: >)
        plain = try PlainBoard(timetable)
    }

    /// Records the snapshot after the commit of `minute`, and checks the minutes before.
    /// - Throws: ``OutOfStep``.
    mutating func follow(_ snapshot: Snapshot, of minute: Minute) throws {
        while let next = minutes.last, next < minute { try compare(minutes.removeLast()) }
        last = snapshot
    }

    /// Checks the minutes that are left, in the last snapshot.
    /// - Throws: ``OutOfStep``.
    mutating func finish() throws {
        while let next = minutes.popLast() { try compare(next) }
    }

    private mutating func compare(_ minute: Minute) throws {
        try plain.advance(to: minute)
        try compare(BoardViews.departures, with: plain.sections(), at: minute)
        try compare(BoardViews.late, with: plain.sections(where: \.isLate), at: minute)
        checked += 1
    }

    private func compare<View: OrderedView>(
        _ view: View, with plain: [ShownList.Section], at minute: Minute
    ) throws where View.Element == Record<Flight, NoMetadata> {
        var mappings = BoardViews.sections(of: view)
        try mappings.update(to: last)
        let place = "seed \(seed), \(minute), commit \(last.commitNumber), view \(view.name)"
        try OutOfStep.check(ShownList(of: mappings, in: last).sections, equal: plain, place)
    }
}
