internal import YaprakLocks

/// A sparse index of one segment: frames that begin with a commit, where reading can start.
///
/// At most one for each `stride` bytes. The stride doubles when there are too many.
struct SegmentIndex: Sendable {
    /// The start of a frame that does not continue a commit of the previous one.
    struct Place: Equatable, Sendable {
        var offset: UInt64
        /// The header checksum of the previous frame; nil if the place comes from a seal.
        var chain: UInt64?
        /// The first commit of the frame.
        var first: UInt64
    }

    private(set) var places: [Place] = []
    private var stride: UInt64 = 64 << 10

    static let placesMax = Layout.sealIndexEntriesMax

    /// An empty index.
    init() {}

    /// The index in a verified seal. Each frame is verified when it is read.
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

    /// Adds a place after the last one, if it is far enough from it. Amortised O(1).
    mutating func note(_ place: Place) {
        if let last = places.last, place.offset < last.offset || place.offset - last.offset < stride { return }
        if places.count == Self.placesMax {
            places = places.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
            stride *= 2
        }
        places.append(place)
    }
}

/// The indexes of recently used segments, shared by all cursors of a reader.
final class SegmentIndexes: Sendable {
    private let kept = Mutex<[(name: FileName, index: SegmentIndex)]>([])
    private static let keptMax = 8

    /// The index of a segment; nil if there is none.
    subscript(name: FileName) -> SegmentIndex? {
        kept.withLock { $0.first { $0.name == name }?.index }
    }

    /// Keeps an index, unless there is a better one.
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
}
