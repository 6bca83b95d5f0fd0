internal import YaprakLocks

/// Places in one segment from which reading can start: some of the frames that a commit begins with.
///
/// At most one for each `stride` bytes, and never more than so many: the stride doubles when they become too many.
struct SegmentIndex: Sendable {
    /// The start of a frame that does not go on with a commit of the one before.
    struct Place: Equatable, Sendable {
        var offset: UInt64
        /// The header sum of the frame before; nil where only the seal tells of the place.
        var chain: UInt64?
        /// The first commit of the frame.
        var first: UInt64
    }

    private(set) var places: [Place] = []
    private var stride: UInt64 = 64 << 10

    static let placesMax = Layout.sealIndexEntriesMax

    /// An index that knows nothing.
    init() {}

    /// What a seal says, proven by its sum. Each frame proves itself when it is read.
    init(_ seal: Seal) {
        places = seal.index.map { Place(offset: $0.offset, chain: nil, first: $0.first) }
    }

    /// The last place at or before a commit. O(log *n*).
    func place(for wanted: UInt64) -> Place? {
        var low = 0, high = places.count
        while low < high {
            let middle = (low + high) / 2
            if places[middle].first <= wanted { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? places[low - 1] : nil
    }

    /// Notes a place behind the last, if it is far enough from it. Amortised O(1).
    mutating func note(_ place: Place) {
        if let last = places.last, place.offset < last.offset || place.offset - last.offset < stride { return }
        if places.count == Self.placesMax {
            places = places.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
            stride *= 2
        }
        places.append(place)
    }
}

/// The indexes of the segments that were used last, shared by all who read a directory.
final class SegmentIndexes: Sendable {
    private let kept = Mutex<[(name: FileName, index: SegmentIndex)]>([])
    private static let keptMax = 8

    /// What is known of a segment; nil if nothing is.
    subscript(name: FileName) -> SegmentIndex? {
        kept.withLock { $0.first { $0.name == name }?.index }
    }

    /// Keeps an index, unless a better one is kept already.
    func keep(_ index: SegmentIndex, of name: FileName) {
        guard let reach = index.places.last?.offset else { return }
        kept.withLock { kept in
            if let at = kept.firstIndex(where: { $0.name == name }) {
                let known = kept.remove(at: at)
                kept.append(known.index.places.last?.offset ?? 0 > reach ? known : (name, index))
            } else {
                kept.append((name, index))
            }
            if kept.count > Self.keptMax { kept.removeFirst() }
        }
    }

    /// Forgets an index that led astray.
    func forget(_ name: FileName) { kept.withLock { $0.removeAll { $0.name == name } } }
}
