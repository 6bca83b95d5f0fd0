internal import DequeModule

/// The frames with commits that no later frame has proven durable so far, in the order of the log.
///
/// Commits are numbered in this order, so frames become proven at the front.
struct UnprovenFrames {
    private var places = Deque<SegmentReader.Place>()
    /// How many places were checked.
    private(set) var visited = 0

    /// The oldest frame that is not proven.
    var first: SegmentReader.Place? { places.first }

    /// Adds a frame after all others.
    mutating func append(_ place: SegmentReader.Place) { places.append(place) }

    /// Drops the frames whose commits are all proven: those up to `number`. Amortised O(1).
    mutating func drop(through number: UInt64) {
        visited += 1
        while let oldest = places.first, oldest.last <= number {
            visited += 1
            places.removeFirst()
        }
    }
}
