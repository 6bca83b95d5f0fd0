public import YaprakModel

/// What was done in some commits that follow one another, or that were made at about the same time.
public struct CommitActivity: Sendable, Hashable {
    /// The first of the commits.
    public private(set) var first: CommitNumber
    /// The last of the commits.
    public private(set) var last: CommitNumber
    /// When the earliest was made, in nanoseconds since 1970.
    public private(set) var earliest: Int64
    /// When the latest was made, in nanoseconds since 1970.
    public private(set) var latest: Int64
    /// The number of commits.
    public private(set) var commitCount = 1
    /// The records they changed one by one.
    public private(set) var changeCount: Int

    init(_ entry: CommitIndex.Entry) {
        first = entry.number
        last = entry.number
        earliest = entry.nanosecondsSince1970
        latest = entry.nanosecondsSince1970
        changeCount = entry.changeCount
    }

    mutating func add(_ entry: CommitIndex.Entry) {
        first = min(first, entry.number)
        last = max(last, entry.number)
        earliest = min(earliest, entry.nanosecondsSince1970)
        latest = max(latest, entry.nanosecondsSince1970)
        commitCount += 1
        changeCount += entry.changeCount
    }
}

extension CommitActivity {
    /// How much was done in each part of a range of commits, of commits that are at hand: as
    /// ``CommitIndex/activity(in:slicesMax:)``. Those outside of the range don't count. O(*n*).
    public static func slices(
        of entries: some Sequence<CommitIndex.Entry>, in range: ClosedRange<CommitNumber>, slicesMax: Int
    ) -> [CommitActivity] {
        var slices = CommitSlices(range, slicesMax: slicesMax)
        for entry in entries where range.contains(entry.number) { slices.add(entry) }
        return slices.slices
    }

    /// How much was done in each part of a time, of commits that are at hand: as
    /// ``CommitIndex/activity(overTimeOf:slicesMax:)``. O(*n*).
    public static func slices(
        overTimeOf entries: some Collection<CommitIndex.Entry>, slicesMax: Int
    ) -> [CommitActivity] {
        guard let earliest = entries.lazy.map(\.nanosecondsSince1970).min(),
            let latest = entries.lazy.map(\.nanosecondsSince1970).max()
        else { return [] }
        var slices = TimeSlices(earliest...latest, slicesMax: slicesMax)
        for entry in entries { slices.add(entry) }
        return slices.slices
    }
}

/// Counts commits, in slices of equally many; they come in order.
struct CommitSlices {
    private let first: UInt64
    private let width: UInt64
    private(set) var slices: [CommitActivity] = []

    init(_ range: ClosedRange<CommitNumber>, slicesMax: Int) {
        first = range.lowerBound.rawValue
        // One less than there are, so that the longest range does not overflow; nor does one slice of it.
        let part = (range.upperBound.rawValue - first) / UInt64(max(1, slicesMax))
        width = part == .max ? .max : part + 1
    }

    mutating func add(_ entry: CommitIndex.Entry) {
        let start = first + (entry.number.rawValue - first) / width * width
        if let last = slices.last, last.first.rawValue >= start {
            slices[slices.count - 1].add(entry)
        } else {
            slices.append(CommitActivity(entry))
        }
    }
}

/// Counts commits, in slices of equally long time.
struct TimeSlices {
    private let earliest: Int64
    private let width: UInt64
    private var counts: [UInt64: CommitActivity] = [:]

    init(_ times: ClosedRange<Int64>, slicesMax: Int) {
        earliest = times.lowerBound
        let part = Self.distance(times.lowerBound, times.upperBound) / UInt64(max(1, slicesMax))
        width = part == .max ? .max : part + 1
    }

    /// The slices in which anything was done, in the order of time.
    var slices: [CommitActivity] { counts.sorted { $0.key < $1.key }.map(\.value) }

    mutating func add(_ entry: CommitIndex.Entry) {
        let place = Self.distance(earliest, entry.nanosecondsSince1970) / width
        if counts[place]?.add(entry) == nil { counts[place] = CommitActivity(entry) }
    }

    /// What leads from an earlier time to a later one, however far apart they are.
    private static func distance(_ earlier: Int64, _ later: Int64) -> UInt64 {
        UInt64(bitPattern: later) &- UInt64(bitPattern: earlier)
    }
}
