/// Comparing keys: bytes as unsigned numbers, a shorter key before its extensions.
package enum KeyBytes {
    /// Three-way comparison, eight bytes at a time. O(length).
    @inline(__always)
    package static func compare(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
        let n = a.count
        let m = b.count
        let shared = n < m ? n : m
        if shared > 0 {
            let p = UnsafeRawPointer(a.baseAddress.unsafelyUnwrapped)
            let q = UnsafeRawPointer(b.baseAddress.unsafelyUnwrapped)
            let order = compare(p, q, count: shared)
            if order != 0 { return order }
        }
        return n < m ? -1 : (n > m ? 1 : 0)
    }

    /// Three-way comparison of two stretches of `count` > 0 bytes.
    @inline(__always)
    static func compare(_ p: UnsafeRawPointer, _ q: UnsafeRawPointer, count: Int) -> Int {
        var i = 0
        while i &+ 8 <= count {
            let order = words(p + i, q + i)
            if order != 0 { return order }
            i &+= 8
        }
        if i == count { return 0 }
        // The last eight bytes overlap what was compared already.
        if count >= 8 { return words(p + (count &- 8), q + (count &- 8)) }
        while i < count {
            let x = p.load(fromByteOffset: i, as: UInt8.self)
            let y = q.load(fromByteOffset: i, as: UInt8.self)
            if x != y { return x < y ? -1 : 1 }
            i &+= 1
        }
        return 0
    }

    @inline(__always)
    private static func words(_ p: UnsafeRawPointer, _ q: UnsafeRawPointer) -> Int {
        let x = p.loadUnaligned(as: UInt64.self)
        let y = q.loadUnaligned(as: UInt64.self)
        return x == y ? 0 : (x.bigEndian < y.bigEndian ? -1 : 1)
    }

    /// The eight bytes from `offset` on as a number with the same order, padded with zeros.
    @inline(__always)
    package static func word(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> UInt64 {
        let rest = bytes.count &- offset
        if rest <= 0 { return 0 }
        let start = UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped)
        if rest >= 8 { return (start + offset).loadUnaligned(as: UInt64.self).bigEndian }
        if bytes.count >= 8 {
            let last = (start + (bytes.count &- 8)).loadUnaligned(as: UInt64.self).bigEndian
            return last &<< UInt64(8 &* (8 &- rest))
        }
        var word: UInt64 = 0
        for i in offset..<bytes.count { word = word &<< 8 | UInt64(bytes[i]) }
        return word &<< UInt64(8 &* (8 &- rest))
    }

    /// The last eight bytes, or all if there are fewer.
    @inline(__always)
    static func tail(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 { word(bytes, at: max(0, bytes.count &- 8)) }

    /// How many bytes two keys, or texts, begin with in common.
    package static func commonPrefix(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
        let n = min(a.count, b.count)
        var i = 0
        while i &+ 8 <= n {
            let x = UnsafeRawPointer(a.baseAddress.unsafelyUnwrapped + i).loadUnaligned(as: UInt64.self).bigEndian
            let y = UnsafeRawPointer(b.baseAddress.unsafelyUnwrapped + i).loadUnaligned(as: UInt64.self).bigEndian
            if x != y { return i + (x ^ y).leadingZeroBitCount / 8 }
            i &+= 8
        }
        while i < n, a[i] == b[i] { i &+= 1 }
        return i
    }
}

/// The key of a search, with its first sixteen bytes as words.
struct KeyProbe {
    let bytes: UnsafeBufferPointer<UInt8>
    let first: UInt64
    let second: UInt64

    @inline(__always)
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        first = KeyBytes.word(bytes, at: 0)
        second = bytes.count > 8 ? KeyBytes.word(bytes, at: 8) : 0
    }

    /// Whether the key of a row that shares the first `known` bytes is the same, as far as that is known without reading the
    /// string.
    @inline(__always)
    func isSurelyKey(of row: RowRef, knowing known: Int) -> Bool {
        let n = bytes.count
        return known &+ 8 >= n
            && row._withUnsafeGuaranteedRef { $0.isSurelyKey(count: n, tail: KeyBytes.tail(bytes)) }
    }

    /// Whether a row has this key, if its word behind the first `skip` bytes is that of the key.
    @inline(__always)
    func isKey(of row: RowRef, behind skip: Int) -> Bool {
        skip == 0 && isSurelyKey(of: row, knowing: 8) || compare(to: row) == 0
    }

    @inline(__always)
    func compare(to row: RowRef) -> Int { row.withKey { KeyBytes.compare(bytes, $0) } }
}

extension String {
    /// The bytes of a key, which is nearly always contiguous: then nothing is copied and counted.
    @inlinable @inline(__always)
    package func withKeyBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        if let result = try utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = self
        return try copy.withUTF8(body)
    }
}
