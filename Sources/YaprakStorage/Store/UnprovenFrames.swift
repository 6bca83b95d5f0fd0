internal import DequeModule

/// The frames with commits that no later frame has proven durable so far, in the order of the log.
///
/// Commits are numbered in that order, so what becomes proven is always at the front.
struct UnprovenFrames {
    private var places = Deque<SegmentReader.Place>()
    /// How many places were looked at.
    private(set) var visited = 0

    /// The oldest frame that is not proven.
    var first: SegmentReader.Place? { places.first }

    /// Adds a frame behind all others.
    mutating func append(_ place: SegmentReader.Place) { places.append(place) }

    /// Forgets the frames whose commits are all proven: those up to `number`. O(1), averaged over all frames.
    mutating func drop(through number: UInt64) {
        visited += 1
        while let oldest = places.first, oldest.last <= number {
            visited += 1
            places.removeFirst()
        }
    }
}
