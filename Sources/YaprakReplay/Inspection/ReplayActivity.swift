/// How many commits and changes were made when.
///
///     let activity = try reader.statistics().activity
///     for slice in activity.slices { print(slice.nanosecondsSince1970, slice.commitCount, slice.changeCount) }
///
/// Counts are kept for slices of time, all of one length: as short as it can be without there being more than a few
/// thousand of them. So the memory it takes does not grow with the log, and no time, however wrong, makes it grow.
public struct ReplayActivity: Sendable, Hashable {
    /// What was made in one slice of time.
    public struct Slice: Sendable, Hashable {
        /// When the slice begins.
        public let nanosecondsSince1970: Int64
        /// The commits made in it.
        public var commitCount = 0
        /// The records they changed one by one.
        public var changeCount = 0
    }

    /// How long a slice is, in nanoseconds: a power of two of microseconds.
    public private(set) var sliceNanoseconds: Int64 = 1000
    private var counts: [Int64: Slice] = [:]
    private static let slicesMax = 4096

    init() {}

    /// The slices in which anything was made, in the order of time. O(*n* log *n*).
    public var slices: [Slice] { counts.values.sorted { $0.nanosecondsSince1970 < $1.nanosecondsSince1970 } }

    /// Counts a commit. Amortised O(1).
    mutating func add(_ nanoseconds: Int64, changes: Int) {
        Self.add(commits: 1, changes, at: nanoseconds, to: &counts, sliceNanoseconds)
        while counts.count > Self.slicesMax { coarsen() }
    }

    private mutating func coarsen() {
        sliceNanoseconds *= 2
        var merged: [Int64: Slice] = [:]
        for slice in counts.values {
            Self.add(
                commits: slice.commitCount, slice.changeCount, at: slice.nanosecondsSince1970, to: &merged,
                sliceNanoseconds)
        }
        counts = merged
    }

    private static func add(
        commits: Int, _ changes: Int, at time: Int64, to counts: inout [Int64: Slice], _ length: Int64
    ) {
        let (quotient, remainder) = time.quotientAndRemainder(dividingBy: length)
        let number = remainder < 0 ? quotient - 1 : quotient
        let (start, isTooEarly) = number.multipliedReportingOverflow(by: length)
        counts[number, default: Slice(nanosecondsSince1970: isTooEarly ? .min : start)].commitCount += commits
        counts[number]?.changeCount += changes
    }
}
