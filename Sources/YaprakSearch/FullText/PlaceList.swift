/// Places in a document, in memory that stays from document to document.
final class PlaceList {
    @exclusivity(unchecked)
    private var start: UnsafeMutablePointer<UInt32>
    @exclusivity(unchecked)
    private(set) var count = 0
    @exclusivity(unchecked)
    private var capacity = 16

    init() { start = .allocate(capacity: capacity) }

    deinit { start.deallocate() }

    @inline(__always)
    subscript(index: Int) -> UInt32 {
        assert(index >= 0 && index < count, "place \(index) of \(count)")
        return start[index]
    }

    @inline(__always)
    func removeAll() { count = 0 }

    @inline(__always)
    func append(_ place: UInt32) {
        extend(by: 1).pointee = place
    }

    /// Makes room for more places at the end, which are to be written at once.
    @inline(__always)
    func extend(by more: Int) -> UnsafeMutablePointer<UInt32> {
        if more > capacity &- count { grow(by: more) }
        let end = start + count
        count &+= more
        return end
    }

    @inline(never)
    private func grow(by more: Int) {
        let room = max(2 * capacity, count + more)
        let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: room)
        larger.update(from: start, count: count)
        start.deallocate()
        (start, capacity) = (larger, room)
    }

    /// Puts another place for each, or none, in the same order.
    @inline(__always)
    func mapKept(_ body: (UInt32) -> UInt32?) {
        var kept = 0
        for index in 0..<count {
            guard let place = body(start[index]) else { continue }
            start[kept] = place
            kept &+= 1
        }
        count = kept
    }
}
