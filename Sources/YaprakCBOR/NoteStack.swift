/// A stack of trivial values, for the entries that coders keep about the pairs of maps.
///
/// Elements are loaded and stored one at a time, so that accesses never overlap.
final class NoteStack<Element: BitwiseCopyable> {
    /// The elements, `count` of them.
    private(set) var base: UnsafeMutablePointer<Element>
    private(set) var count = 0
    private var capacity: Int
    /// How many bytes it has for elements.
    var bytesReserved: Int { capacity &* MemoryLayout<Element>.stride }

    init(capacity: Int = 16) {
        base = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit { base.deallocate() }

    /// Pushes an element. O(1), amortised.
    @inline(__always)
    func push(_ element: Element) {
        if count == capacity { grow() }
        (base + count).initialize(to: element)
        count &+= 1
    }

    /// Removes all but the first `count` elements. O(1).
    @inline(__always)
    func cut(to count: Int) {
        if count >= 0, count < self.count { self.count = count }
    }

    @inline(never)
    private func grow() {
        let new = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        new.moveInitialize(from: base, count: count)
        base.deallocate()
        base = new
        capacity *= 2
    }
}
