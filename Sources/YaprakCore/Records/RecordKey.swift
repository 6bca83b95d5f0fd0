import Foundation

/// Keys at the door.
///
/// A key is the NFC form of the string that was given, as UTF-8. It is made here, once; tree, log, digest and limits see
/// only the bytes and compare them as memory does. For NFC strings that is Swift's own order and equality of strings,
/// and two strings that Swift calls equal are one key. (Swift and Foundation disagree about a handful of scalars newer than
/// one of their tables; the form that Foundation makes is the key.)
@usableFromInline
package enum RecordKey {
    /// Returns the form of `string` that the engine keeps: NFC, native, contiguous.
    ///
    /// ASCII strings, nearly all keys, are their own form and come back without a copy.
    /// - Complexity: O(length).
    @usableFromInline
    package static func normalized(_ string: String) -> String {
        if isASCII(string) { return string }
        return precomposed(string)
    }

    @inline(__always)
    private static func isASCII(_ string: String) -> Bool {
        string.utf8.withContiguousStorageIfAvailable { isASCII($0) } ?? false
    }

    /// Whether all bytes are ASCII, eight at a time.
    @inline(__always)
    static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let count = bytes.count
        guard let base = UnsafeRawPointer(bytes.baseAddress) else { return true }
        var bits: UInt64 = 0
        var i = 0
        while i &+ 8 <= count {
            bits |= base.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            i &+= 8
        }
        while i < count {
            bits |= UInt64(base.load(fromByteOffset: i, as: UInt8.self))
            i &+= 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    @inline(never)
    private static func precomposed(_ string: String) -> String {
        var form = string.precomposedStringWithCanonicalMapping
        form.makeContiguousUTF8()
        return form
    }
}

extension String {
    /// The bytes of a key in its normal form. Such strings are contiguous; anything else is copied first.
    @inline(__always)
    func withKeyBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        if let result = try utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = self
        return try copy.withUTF8(body)
    }
}
