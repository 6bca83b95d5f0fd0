import YaprakCore

/// Writes values as bytes that order as the values do: what entries of a ``RecordIndex`` are sorted and found by.
///
///     type                    bytes
///     Bool                    1, or 2
///     integers                0x40 ± n, then n bytes of 7 bits each; those of negative numbers are inverted
///     Double, Date            10 bytes of 7 bits; −0 as 0, NaN last
///     UUID                    19 bytes of 7 bits
///     String                  its NFC form, with 0 as (1, 1) and 1 as (1, 2); then 0
///     Data                    two bytes for each, from 1 to 16; then 0
///     nil, a value            1, or 2 and the value
///
/// No value's bytes begin those of another, so columns are written one behind the other, and the key of the record may
/// follow. All bytes are valid UTF-8, so that they may stand in a `String`. Entries have them
/// within themselves.
///
/// Opaque. What a type of the program writes is what its raw value writes.
public struct IndexKeyWriter: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    package private(set) var count = 0
    private var capacity: Int
    private var isOwner: Bool

    package init() {
        capacity = 64
        base = .allocate(capacity: capacity)
        isOwner = true
    }

    /// Writes into memory of the caller, for as long as it suffices.
    @usableFromInline package init(into buffer: UnsafeMutableBufferPointer<UInt8>) {
        base = buffer.baseAddress.unsafelyUnwrapped
        capacity = buffer.count
        isOwner = false
    }

    deinit { if isOwner { base.deallocate() } }

    package mutating func removeAll() { count = 0 }

    /// Forgets what was written after the first `count` bytes.
    package mutating func truncate(to count: Int) { self.count = count }

    package var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base, count: count) }

    package var array: [UInt8] { Array(bytes) }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if count &+ more > capacity { grow(count + more) }
    }

    @inline(never)
    private mutating func grow(_ needed: Int) {
        let grown = max(2 * capacity, needed)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: grown)
        larger.update(from: base, count: count)
        if isOwner { base.deallocate() }
        (base, capacity, isOwner) = (larger, grown, true)
    }

    @inline(__always)
    package mutating func append(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count &+= 1
    }

    package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count)
        (base + count).update(from: start, count: bytes.count)
        count &+= bytes.count
    }

    package mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { append($0) } }
}

// MARK: Values

extension IndexKeyWriter {
    /// An integer of at most 64 bits, by its magnitude: that of its complement if it is negative.
    @inline(__always)
    mutating func integer(magnitude: UInt64, isNegative: Bool) {
        let n = (64 &- magnitude.leadingZeroBitCount &+ 6) / 7
        reserve(n &+ 1)
        let flip: UInt8 = isNegative ? 0x7F : 0
        base[count] = isNegative ? 0x40 &- 1 &- UInt8(n) : 0x40 &+ UInt8(n)
        var i = 0
        while i < n {
            let shift = UInt64(7 &* (n &- 1 &- i))
            base[count &+ 1 &+ i] = (UInt8(truncatingIfNeeded: magnitude &>> shift) & 0x7F) ^ flip
            i &+= 1
        }
        count &+= n &+ 1
    }

    @inline(__always)
    mutating func integer(_ value: Int64) {
        integer(magnitude: UInt64(bitPattern: value < 0 ? ~value : value), isNegative: value < 0)
    }

    /// An integer of more than 64 bits.
    mutating func wideInteger(magnitude: UInt128, isNegative: Bool) {
        if let short = UInt64(exactly: magnitude) { return integer(magnitude: short, isNegative: isNegative) }
        let n = (128 - magnitude.leadingZeroBitCount + 6) / 7
        let flip: UInt8 = isNegative ? 0x7F : 0
        append(isNegative ? 0x3F - UInt8(n) : 0x40 + UInt8(n))
        for i in (0..<n).reversed() { append((UInt8(truncatingIfNeeded: magnitude >> UInt128(7 * i)) & 0x7F) ^ flip) }
    }

    /// 64 bits, 7 in a byte.
    mutating func fixed(_ bits: UInt64) {
        reserve(10)
        var i = 0
        while i < 10 {
            base[count &+ i] = UInt8(truncatingIfNeeded: bits &>> UInt64(63 &- 7 &* i)) & 0x7F
            i &+= 1
        }
        count &+= 10
    }

    mutating func real(_ value: Double) {
        if value.isNaN { return fixed(.max) }
        let bits = (value == 0 ? 0 : value).bitPattern
        fixed(bits >> 63 == 1 ? ~bits : bits | 1 << 63)
    }

    mutating func wideFixed(_ bits: UInt128) {
        for i in (0..<19).reversed() { append(UInt8(truncatingIfNeeded: bits >> UInt128(7 * i)) & 0x7F) }
    }

    /// A string up to its end, which is not written: what strings with this prefix begin with.
    mutating func text(_ string: String) {
        if string.utf8.withContiguousStorageIfAvailable({ plain($0) }) ?? false { return }
        for byte in string.normalizedKey.utf8 {
            if byte < 2 { append(1) }
            append(byte < 2 ? byte + 1 : byte)
        }
    }

    /// Writes bytes that stand for themselves; nothing, where one of them doesn't.
    ///
    /// Eight at a time: of all that are at least 2 and less than 0x80, neither the byte nor what is left of it without 2 has
    /// the highest bit.
    private mutating func plain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let from = bytes.baseAddress else { return true }
        let n = bytes.count
        // A zero will follow.
        reserve(n &+ 1)
        let to = base + count
        let (twos, highest) = (0x0202_0202_0202_0202 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        var i = 0
        while i &+ 8 <= n {
            let word = UnsafeRawPointer(from + i).loadUnaligned(as: UInt64.self)
            if (word &- twos | word) & highest != 0 { return false }
            UnsafeMutableRawPointer(to + i).storeBytes(of: word, as: UInt64.self)
            i &+= 8
        }
        while i < n {
            if from[i] < 2 || from[i] >= 0x80 { return false }
            to[i] = from[i]
            i &+= 1
        }
        count &+= n
        return true
    }

    mutating func data(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes {
            append((byte >> 4) + 1)
            append((byte & 15) + 1)
        }
        append(0)
    }
}

// MARK: Descending columns

extension IndexKeyWriter {
    /// Turns the order of what was written after the first `start` bytes. All of it is bytes of 7 bits, except text.
    package mutating func invert(from start: Int, isText: Bool) {
        if !isText {
            for i in start..<count { base[i] = 0x7F &- base[i] }
            return
        }
        let n = count - start
        reserve(n)
        for i in (0..<n).reversed() {
            let byte = ~base[start + i]
            base[start + 2 * i] = byte >> 4
            base[start + 2 * i + 1] = byte & 15
        }
        count += n
    }
}
