/// Bytes that grow at their end, in memory that stays from use to use.
///
/// No access to a field lasts longer than a step of its own code, here and in what makes pages of such bytes: so they go without
/// the runtime's exclusivity checks.
final class ByteBuffer {
    @exclusivity(unchecked)
    private(set) var start: UnsafeMutablePointer<UInt8>
    @exclusivity(unchecked)
    private(set) var count = 0
    @exclusivity(unchecked)
    private(set) var capacity: Int

    init(capacity: Int = 256) {
        self.capacity = capacity
        start = .allocate(capacity: capacity)
    }

    deinit { start.deallocate() }

    @inline(__always)
    func removeAll() { count = 0 }

    @inline(__always)
    private func reserve(_ more: Int) { if count &+ more > capacity { grow(more) } }

    @inline(never)
    private func grow(_ more: Int) {
        capacity = max(2 * capacity, count + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: start, count: count)
        start.deallocate()
        start = larger
    }

    @inline(__always)
    func append(_ byte: UInt8) {
        reserve(1)
        start[count] = byte
        count &+= 1
    }

    @inline(__always)
    func append(_ bytes: UnsafePointer<UInt8>, _ length: Int) {
        reserve(length)
        (start + count).update(from: bytes, count: length)
        count &+= length
    }

    /// Seven bits a byte, the low ones first.
    @inline(__always)
    func append(number: UInt32) {
        reserve(5)
        var rest = number
        while rest >= 0x80 {
            start[count] = UInt8(truncatingIfNeeded: rest | 0x80)
            count &+= 1
            rest >>= 7
        }
        start[count] = UInt8(truncatingIfNeeded: rest)
        count &+= 1
    }
}

/// A place in bytes from which numbers are read. The bytes are known to be whole: ours, or checked.
struct ByteReader {
    var at: UnsafePointer<UInt8>

    @inline(__always)
    init(_ at: UnsafePointer<UInt8>) { self.at = at }

    @inline(__always)
    mutating func number() -> UInt32 {
        let first = at.pointee
        at += 1
        if first < 0x80 { return UInt32(first) }
        var value = UInt32(first & 0x7F)
        var shift: UInt32 = 7
        while true {
            let byte = at.pointee
            at += 1
            value |= UInt32(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift &+= 7
        }
    }

    /// Moves over some numbers.
    @inline(__always)
    mutating func skip(_ numbers: UInt32) {
        var rest = numbers
        // So many numbers have as many bytes at least: eight at once, of which each below 0x80 ends a number.
        while rest >= 8 {
            let word = UnsafeRawPointer(at).loadUnaligned(as: UInt64.self)
            rest &-= UInt32(truncatingIfNeeded: (~word & 0x8080_8080_8080_8080).nonzeroBitCount)
            at += 8
        }
        while rest > 0 {
            while at.pointee >= 0x80 { at += 1 }
            at += 1
            rest &-= 1
        }
    }
}

/// A sequence of bytes in order: less than 0, 0, or greater than 0.
@inline(__always)
func compareBytes(_ a: UnsafePointer<UInt8>, _ aCount: Int, _ b: UnsafePointer<UInt8>, _ bCount: Int) -> Int {
    let shared = min(aCount, bCount)
    var index = 0
    while index < shared {
        if a[index] != b[index] { return a[index] < b[index] ? -1 : 1 }
        index &+= 1
    }
    return aCount &- bCount
}

/// How many bytes two sequences begin with in common.
@inline(__always)
func commonPrefix(_ a: UnsafePointer<UInt8>, _ aCount: Int, _ b: UnsafePointer<UInt8>, _ bCount: Int) -> Int {
    let shared = min(aCount, bCount)
    var index = 0
    while index < shared, a[index] == b[index] { index &+= 1 }
    return index
}
