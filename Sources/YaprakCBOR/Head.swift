/// The head of one data item (RFC 8949 §3): the initial byte and the argument behind it.
///
///     ┌───────┬──────┬────────────────────────────┐
///     │ major │ info │ argument, big endian       │
///     │ 3 bit │ 5 bit│ 0, 1, 2, 4 or 8 bytes      │
///     └───────┴──────┴────────────────────────────┘
///
/// A `Head` is well-formed in itself: reserved values of `info` are refused. What follows it has not been read.
struct Head {
    /// `info` of an indefinite length, and of the break.
    static let indefinite: UInt8 = 31

    let major: UInt8
    let info: UInt8
    let argument: UInt64
    /// The offset of the first byte after the head.
    let end: Int

    var isIndefinite: Bool { info == Head.indefinite }
    var isBreak: Bool { major == Major.other && info == Head.indefinite }

    /// Reads the head at `offset`. O(1).
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(CBORError) {
        guard offset >= 0, offset < bytes.count else { throw .truncated(offset) }
        let first = bytes[offset]
        major = first >> 5
        info = first & 31
        if info < 24 {
            argument = UInt64(info)
            end = offset + 1
        } else if info == 24, major != Major.other, offset + 1 < bytes.count {
            // Most heads that are longer are this one: strings up to 255 bytes.
            argument = UInt64(bytes[offset + 1])
            end = offset + 2
        } else {
            (argument, end) = try Head.argument(bytes, first, offset)
        }
    }

    @inline(never)
    private static func argument(
        _ bytes: UnsafeRawBufferPointer, _ first: UInt8, _ offset: Int
    ) throws(CBORError) -> (UInt64, Int) {
        let info = first & 31, major = first >> 5
        let room = bytes.count - offset - 1
        switch info {
        case 24:
            guard room >= 1 else { throw .truncated(bytes.count) }
            let value = bytes[offset + 1]
            // §3.3: simple values below 32 have one byte; the second form of them is not well-formed.
            if major == Major.other, value < 32 { throw .malformed("a simple value below 32 has two bytes", offset) }
            return (UInt64(value), offset + 2)
        case 25:
            guard room >= 2 else { throw .truncated(bytes.count) }
            let value = bytes.loadUnaligned(fromByteOffset: offset + 1, as: UInt16.self)
            return (UInt64(UInt16(bigEndian: value)), offset + 3)
        case 26:
            guard room >= 4 else { throw .truncated(bytes.count) }
            let value = bytes.loadUnaligned(fromByteOffset: offset + 1, as: UInt32.self)
            return (UInt64(UInt32(bigEndian: value)), offset + 5)
        case 27:
            guard room >= 8 else { throw .truncated(bytes.count) }
            let value = bytes.loadUnaligned(fromByteOffset: offset + 1, as: UInt64.self)
            return (UInt64(bigEndian: value), offset + 9)
        case 31:
            if major == Major.unsigned || major == Major.negative || major == Major.tag {
                throw .malformed("an integer or a tag has no indefinite length", offset)
            }
            return (0, offset + 1)
        default:
            throw .malformed("the initial byte is reserved", offset)
        }
    }
}
