internal import CPrefetch

/// Terms by number: each different term gets the next one. A hash table of bytes.
///
///     slot = [first eight bytes][number + 1 │ hash of the others │ length]       0 behind if there is none
///
/// Most terms have no other bytes: a slot is all of the table that looking them up reads.
final class TermTable {
    private struct Slot {
        var word: UInt64 = 0
        /// The number + 1 in 32 bits, the hash of the bytes behind the word in 24, the length in 8.
        var rest: UInt64 = 0

        var number: Int { Int(truncatingIfNeeded: rest >> 32) &- 1 }

        /// Where it is looked for first.
        @inline(__always)
        static func home(_ word: UInt64, _ tag: UInt64, _ seed: Seed) -> Int {
            Int(truncatingIfNeeded: TermTable.mix(word ^ seed.first, tag ^ seed.second))
        }
    }

    /// Random in each process: a text whose words all have the same slot cannot be written.
    fileprivate struct Seed {
        let first: UInt64
        let second: UInt64
    }

    private static let seed = Seed(first: .random(in: 1 ... .max), second: .random(in: 1 ... .max))

    /// Both halves of a product, as of wyhash (Wang Yi, 2019).
    @inline(__always)
    private static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }

    private let seed = TermTable.seed
    @exclusivity(unchecked)
    private var slots: UnsafeMutableBufferPointer<Slot>
    /// Where the bytes of each term end.
    @exclusivity(unchecked)
    private var ends: UnsafeMutablePointer<Int>
    /// The slot of each term.
    @exclusivity(unchecked)
    private var places: UnsafeMutablePointer<Int>
    @exclusivity(unchecked)
    private var endsMax: Int
    /// The number of terms.
    @exclusivity(unchecked)
    private(set) var count = 0
    /// What the terms begin with.
    @exclusivity(unchecked)
    private(set) var beginnings = TermBeginnings()
    private let bytes: ByteBuffer

    init(capacity: Int = 64) {
        var slotCount = 64
        while slotCount < 2 * capacity { slotCount *= 2 }
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: Slot())
        bytes = ByteBuffer(capacity: 8 * capacity)
        endsMax = max(1, capacity)
        ends = .allocate(capacity: endsMax)
        places = .allocate(capacity: endsMax)
    }

    deinit {
        slots.deallocate()
        ends.deallocate()
        places.deallocate()
    }

    /// Removes all terms, and keeps the memory. O(*n*).
    func removeAll() {
        for number in 0..<count { slots[places[number]] = Slot() }
        count = 0
        beginnings = TermBeginnings()
        bytes.removeAll()
    }

    /// The bytes of memory that it takes.
    var size: Int { slots.count * MemoryLayout<Slot>.stride + 2 * endsMax * MemoryLayout<Int>.stride + bytes.capacity }

    /// What a term is looked for by.
    struct Probe {
        fileprivate let word: UInt64
        /// As in a slot.
        fileprivate let tag: UInt64

        /// - Parameter term: of at most ``WordScanner/termBytesMax`` bytes.
        @inline(__always)
        fileprivate init(_ term: UnsafeBufferPointer<UInt8>, _ seed: Seed) {
            let start = UnsafeRawPointer(term.baseAddress.unsafelyUnwrapped)
            word = TermTable.word(start, term.count)
            tag = UInt64(term.count) | (term.count > 8 ? TermTable.hash(start, term.count, seed) << 8 : 0)
        }

        @inline(__always)
        var count: Int { Int(truncatingIfNeeded: tag & 255) }
    }

    /// Fetches the slot of a term that will be looked for, and returns what it is looked for by.
    @inline(__always)
    func fetch(_ term: UnsafeBufferPointer<UInt8>) -> Probe {
        let probe = Probe(term, seed)
        let at = Slot.home(probe.word, probe.tag, seed) & (slots.count &- 1)
        cprefetch(UnsafeRawPointer(slots.baseAddress.unsafelyUnwrapped + at))
        return probe
    }

    /// The number of a term.
    @inline(__always)
    func number(of term: UnsafeBufferPointer<UInt8>) -> UInt32 { number(of: term, Probe(term, seed)) }

    /// The number of a term.
    @inline(__always)
    func number(of term: UnsafeBufferPointer<UInt8>, _ probe: Probe) -> UInt32 {
        let at = place(of: term, probe)
        if slots[at].rest != 0 { return UInt32(truncatingIfNeeded: slots[at].number) }
        return add(term, Slot(word: probe.word, rest: UInt64(count + 1) << 32 | probe.tag), at)
    }

    /// The number of a term, if there is one.
    @inline(__always)
    func find(_ term: UnsafeBufferPointer<UInt8>) -> UInt32? {
        let probe = Probe(term, seed)
        let at = place(of: term, probe)
        return slots[at].rest == 0 ? nil : UInt32(truncatingIfNeeded: slots[at].number)
    }

    /// The slot of a term, or the empty one where it would be.
    @inline(__always)
    private func place(of term: UnsafeBufferPointer<UInt8>, _ probe: Probe) -> Int {
        let mask = slots.count &- 1
        var at = Slot.home(probe.word, probe.tag, seed) & mask
        while slots[at].rest != 0 {
            let slot = slots[at]
            if slot.word == probe.word, UInt64(UInt32(truncatingIfNeeded: slot.rest)) == probe.tag,
                term.count <= 8 || isSame(slot.number, term)
            {
                break
            }
            at = (at &+ 1) & mask
        }
        return at
    }

    @inline(never)
    private func isSame(_ number: Int, _ term: UnsafeBufferPointer<UInt8>) -> Bool {
        let other = self[number]
        return compareBytes(
            other.baseAddress.unsafelyUnwrapped, other.count, term.baseAddress.unsafelyUnwrapped, term.count) == 0
    }

    @inline(never)
    private func add(_ term: UnsafeBufferPointer<UInt8>, _ slot: Slot, _ at: Int) -> UInt32 {
        bytes.append(term.baseAddress.unsafelyUnwrapped, term.count)
        beginnings.insert(term[0])
        if count == endsMax { growEnds() }
        ends[count] = bytes.count
        places[count] = at
        count += 1
        slots[at] = slot
        if count * 2 > slots.count { grow() }
        return UInt32(count - 1)
    }

    private func growEnds() {
        endsMax *= 2
        func grow(_ numbers: inout UnsafeMutablePointer<Int>) {
            let larger = UnsafeMutablePointer<Int>.allocate(capacity: endsMax)
            larger.update(from: numbers, count: count)
            numbers.deallocate()
            numbers = larger
        }
        grow(&ends)
        grow(&places)
    }

    private func grow() {
        let larger = UnsafeMutableBufferPointer<Slot>.allocate(capacity: slots.count * 4)
        larger.initialize(repeating: Slot())
        let mask = larger.count - 1
        for slot in slots where slot.rest != 0 {
            var at = Slot.home(slot.word, UInt64(UInt32(truncatingIfNeeded: slot.rest)), seed) & mask
            while larger[at].rest != 0 { at = (at + 1) & mask }
            larger[at] = slot
            places[slot.number] = at
        }
        slots.deallocate()
        slots = larger
    }

    /// The first eight bytes, the first in the low ones; 0 behind the last.
    @inline(__always)
    private static func word(_ term: UnsafeRawPointer, _ count: Int) -> UInt64 {
        func load<Number: FixedWidthInteger>(_ at: Int, _ type: Number.Type) -> UInt64 {
            UInt64(truncatingIfNeeded: Number(littleEndian: term.loadUnaligned(fromByteOffset: at, as: type)))
        }
        if count >= 8 { return load(0, UInt64.self) }
        if count >= 4 { return load(0, UInt32.self) | load(count &- 4, UInt32.self) << UInt64(8 &* (count &- 4)) }
        if count >= 2 { return load(0, UInt16.self) | load(count &- 1, UInt8.self) << UInt64(8 &* (count &- 1)) }
        return count == 1 ? load(0, UInt8.self) : 0
    }

    /// 24 bits of the bytes behind the first eight, which a term has; the last eight bytes of all are taken whole.
    @inline(__always)
    private static func hash(_ term: UnsafeRawPointer, _ count: Int, _ seed: Seed) -> UInt64 {
        var hash = seed.first
        var index = 8
        while index &+ 8 < count {
            hash = mix(hash ^ term.loadUnaligned(fromByteOffset: index, as: UInt64.self), seed.second)
            index &+= 8
        }
        return mix(hash ^ term.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self), seed.second) >> 40
    }

    /// The bytes of a term, valid until the next is added.
    @inline(__always)
    subscript(number: Int) -> UnsafeBufferPointer<UInt8> { texts[number] }

    /// The bytes of all terms, without references to count: valid until the next is added.
    struct Texts {
        fileprivate let bytes: UnsafePointer<UInt8>
        fileprivate let ends: UnsafePointer<Int>

        @inline(__always)
        subscript(number: Int) -> UnsafeBufferPointer<UInt8> {
            let start = number == 0 ? 0 : ends[number &- 1]
            return UnsafeBufferPointer(start: bytes + start, count: ends[number] &- start)
        }
    }

    @inline(__always)
    var texts: Texts { Texts(bytes: UnsafePointer(bytes.start), ends: UnsafePointer(ends)) }

    /// A term and its first eight bytes, as a number that orders as they do.
    struct Item {
        var word: UInt64
        var number: Int
    }

    /// The terms in ascending order, the caller's from now on. O(*n*), and O(*k* log *k*) for each *k* that begin with the same
    /// eight bytes.
    func sorted() -> UnsafeMutableBufferPointer<Item> {
        var items = UnsafeMutableBufferPointer<Item>.allocate(capacity: count)
        var index = 0
        for slot in slots where slot.rest != 0 {
            items.initializeElement(at: index, to: Item(word: slot.word.byteSwapped, number: slot.number))
            index += 1
        }
        var other = UnsafeMutableBufferPointer<Item>.allocate(capacity: count)
        defer { other.deallocate() }
        for shift in stride(from: UInt64(0), to: 64, by: 8) where Self.sortByDigit(items, shift, into: other) {
            swap(&items, &other)
        }
        var start = 0
        while start < count {
            var end = start + 1
            while end < count, items[end].word == items[start].word { end += 1 }
            if end - start > 1 { items[start..<end].sort { compare($0.number, $1.number) < 0 } }
            start = end
        }
        return items
    }

    /// A pass of a radix sort.
    /// - Returns: whether anything was moved; not if all have the same digit.
    private static func sortByDigit(
        _ items: UnsafeMutableBufferPointer<Item>, _ shift: UInt64, into other: UnsafeMutableBufferPointer<Item>
    ) -> Bool {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { next in
            next.initialize(repeating: 0)
            for item in items { next[Int(item.word >> shift & 255)] += 1 }
            if next.contains(items.count) { return false }
            var sum = 0
            for digit in 0..<256 { (next[digit], sum) = (sum, sum + next[digit]) }
            for item in items {
                let digit = Int(item.word >> shift & 255)
                other.initializeElement(at: next[digit], to: item)
                next[digit] += 1
            }
            return true
        }
    }

    /// The first eight bytes of a term, as a number that orders as they do.
    @inline(__always)
    func firstBytes(of number: Int) -> UInt64 {
        let term = self[number]
        return Self.word(UnsafeRawPointer(term.baseAddress.unsafelyUnwrapped), term.count).byteSwapped
    }

    /// The order of two terms.
    func compare(_ a: Int, _ b: Int) -> Int {
        let (x, y) = (self[a], self[b])
        return compareBytes(x.baseAddress.unsafelyUnwrapped, x.count, y.baseAddress.unsafelyUnwrapped, y.count)
    }
}
