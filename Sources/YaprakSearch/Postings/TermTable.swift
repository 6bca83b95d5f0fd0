/// Terms by number: each different term gets the next one. A hash table of bytes.
final class TermTable {
    /// The hash of a term that it leads here, and its number + 1; 0 if there is none.
    @exclusivity(unchecked)
    private var slots: UnsafeMutableBufferPointer<UInt64>
    @exclusivity(unchecked)
    private var ends: [Int] = []
    private let bytes: ByteBuffer

    init(capacity: Int = 64) {
        var slotCount = 64
        while slotCount < 2 * capacity { slotCount *= 2 }
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: 0)
        bytes = ByteBuffer(capacity: 8 * capacity)
    }

    deinit { slots.deallocate() }

    /// The number of terms.
    var count: Int { ends.count }

    /// The number of a term.
    @inline(__always)
    func number(of term: UnsafeBufferPointer<UInt8>) -> UInt32 {
        let start = term.baseAddress.unsafelyUnwrapped
        let hash = Self.hash(start, term.count)
        let mask = slots.count &- 1
        var at = Int(hash) & mask
        while slots[at] != 0 {
            if slots[at] >> 32 == hash {
                let number = Int(truncatingIfNeeded: slots[at] & 0xFFFF_FFFF) &- 1
                let other = self[number]
                if other.count == term.count,
                    compareBytes(other.baseAddress.unsafelyUnwrapped, other.count, start, term.count) == 0
                {
                    return UInt32(number)
                }
            }
            at = (at &+ 1) & mask
        }
        return add(start, term.count, hash, at)
    }

    @inline(never)
    private func add(_ term: UnsafePointer<UInt8>, _ count: Int, _ hash: UInt32, _ slot: Int) -> UInt32 {
        bytes.append(term, count)
        ends.append(bytes.count)
        slots[slot] = UInt64(hash) << 32 | UInt64(ends.count)
        if ends.count * 2 > slots.count { grow() }
        return UInt32(ends.count - 1)
    }

    private func grow() {
        let larger = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: slots.count * 4)
        larger.initialize(repeating: 0)
        let mask = larger.count - 1
        for slot in slots where slot != 0 {
            var at = Int(truncatingIfNeeded: slot >> 32) & mask
            while larger[at] != 0 { at = (at + 1) & mask }
            larger[at] = slot
        }
        slots.deallocate()
        slots = larger
    }

    /// Eight bytes at a time; terms are short.
    @inline(__always)
    private static func hash(_ term: UnsafePointer<UInt8>, _ count: Int) -> UInt32 {
        var hash: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(count)
        let raw = UnsafeRawPointer(term)
        var index = 0
        while index &+ 8 <= count {
            hash = (hash ^ raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)) &* 0xFF51_AFD7_ED55_8CCD
            hash ^= hash >> 32
            index &+= 8
        }
        while index < count {
            hash = (hash ^ UInt64(term[index])) &* 0x100_0000_01B3
            index &+= 1
        }
        hash ^= hash >> 29
        hash = hash &* 0xBF58_476D_1CE4_E5B9
        return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }

    /// The bytes of a term, valid until the next is added.
    @inline(__always)
    subscript(number: Int) -> UnsafeBufferPointer<UInt8> {
        let start = number == 0 ? 0 : ends[number &- 1]
        return UnsafeBufferPointer(start: UnsafePointer(bytes.start) + start, count: ends[number] &- start)
    }

    /// The numbers in ascending order of their terms. O(*n* log *n*), nearly all of it with words of eight bytes.
    func sorted() -> [Int] {
        var items = (0..<count).map { number -> (word: UInt64, number: Int) in
            let term = self[number]
            var word: UInt64 = 0
            for index in 0..<8 { word = word << 8 | (index < term.count ? UInt64(term[index]) : 0) }
            return (word, number)
        }
        items.sort { a, b in
            if a.word != b.word { return a.word < b.word }
            return compare(a.number, b.number) < 0
        }
        return items.map(\.number)
    }

    /// The order of two terms.
    func compare(_ a: Int, _ b: Int) -> Int {
        let (x, y) = (self[a], self[b])
        return compareBytes(x.baseAddress.unsafelyUnwrapped, x.count, y.baseAddress.unsafelyUnwrapped, y.count)
    }
}
