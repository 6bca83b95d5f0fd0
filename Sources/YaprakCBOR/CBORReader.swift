/// A pull parser: reads data items in sequence, each as the type that the caller expects.
///
/// It reads any well-formed CBOR, deterministic or not: indefinite lengths, long heads, maps in any order. Every offset is
/// checked; no input traps. After an error `position` is the same as before the call.
///
///     var reader = CBORReader(bytes)
///     guard try reader.readArrayHead() == 2 else { … }
///     let number = try reader.readUnsigned()
///     let name = try reader.readText()
///
/// The reader borrows the bytes and is valid as long as the pointer.
/// - Complexity: every call is O(bytes read); only strings allocate.
package struct CBORReader {
    /// The bytes that are read.
    package let bytes: UnsafeRawBufferPointer
    /// The offset of the next item.
    package private(set) var position: Int

    /// A reader at `offset`.
    package init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
        self.bytes = bytes
        position = offset
    }

    /// True when no byte is left.
    package var isAtEnd: Bool { position >= bytes.count }

    /// The kind of the next item; `stop` is the break that ends an indefinite length (RFC 8949 §3.2.1).
    package enum Kind: Sendable {
        case unsigned, negative, bytes, text, array, map, tag, bool, null, undefined, float, simple, stop
    }

    /// The kind of the next item, without moving.
    package func peek() throws(CBORError) -> Kind {
        let head = try Head(bytes, at: position)
        switch head.major {
        case Major.unsigned: return .unsigned
        case Major.negative: return .negative
        case Major.bytes: return .bytes
        case Major.text: return .text
        case Major.array: return .array
        case Major.map: return .map
        case Major.tag: return .tag
        default: break
        }
        switch head.info {
        case 20, 21: return .bool
        case 22: return .null
        case 23: return .undefined
        case 25, 26, 27: return .float
        case 31: return .stop
        default: return .simple
        }
    }

    /// Skips the next item of any kind.
    package mutating func skip() throws(CBORError) {
        position = try CBORItem.end(bytes, position, CBORItem.depthMax)
    }

    // MARK: Numbers

    /// An unsigned integer.
    package mutating func readUnsigned() throws(CBORError) -> UInt64 { try readInteger(as: UInt64.self) }

    /// An integer of any width that fits in `type`, bignums (tags 2 and 3) included.
    /// - Throws: `outOfRange` if it does not fit, `wrongType` if it is not an integer.
    @inline(__always)
    package mutating func readInteger<T: FixedWidthInteger>(as type: T.Type) throws(CBORError) -> T {
        let head = try Head(bytes, at: position)
        if head.major == Major.unsigned {
            guard let value = T(exactly: head.argument) else { throw .outOfRange("the integer is too large", position) }
            position = head.end
            return value
        }
        if head.major == Major.negative {
            guard T.isSigned, let value = T(exactly: head.argument) else {
                throw .outOfRange("the integer is too small", position)
            }
            position = head.end
            return ~value
        }
        let (isNegative, magnitude, end) = try bignum(head)
        guard let value = T(exactly: magnitude), T.isSigned || !isNegative else {
            throw .outOfRange("the integer has too many bits", position)
        }
        position = end
        return isNegative ? ~value : value
    }

    /// A bignum of up to 128 bits (§3.4.3).
    @inline(never)
    private func bignum(_ head: Head) throws(CBORError) -> (isNegative: Bool, magnitude: UInt128, end: Int) {
        guard head.major == Major.tag, head.argument == 2 || head.argument == 3 else {
            throw .wrongType("an integer", position)
        }
        var inner = CBORReader(bytes, at: head.end)
        var magnitude: UInt128 = 0
        for byte in try inner.readBytes() {
            guard magnitude >> 120 == 0 else { throw .outOfRange("the integer has more than 128 bits", position) }
            magnitude = magnitude << 8 | UInt128(byte)
        }
        return (head.argument == 3, magnitude, inner.position)
    }

    /// A float of any width, an integer that a double holds exactly, or the double nearest to a bignum: JSON writes large
    /// doubles as integers, whose digits are kept.
    package mutating func readDouble() throws(CBORError) -> Double {
        let head = try Head(bytes, at: position)
        let value: Double
        switch (head.major, head.info) {
        case (Major.other, 27): value = Double(bitPattern: head.argument)
        case (Major.other, 26): value = Double(Float(bitPattern: UInt32(truncatingIfNeeded: head.argument)))
        case (Major.other, 25): value = Half.value(UInt16(truncatingIfNeeded: head.argument))
        case (Major.unsigned, _), (Major.negative, _):
            let integer = try readInteger(as: Int128.self)
            guard let exact = Double(exactly: integer) else {
                throw .outOfRange("a double does not hold the integer exactly", position)
            }
            return exact
        case (Major.tag, _) where 2...3 ~= head.argument:
            let (isNegative, magnitude, end) = try bignum(head)
            position = end
            if !isNegative { return Double(magnitude) }
            return magnitude == .max ? -0x1p128 : -Double(magnitude + 1)
        default: throw .wrongType("a number", position)
        }
        position = head.end
        return value
    }

    // MARK: Strings

    /// A byte string, its chunks joined.
    package mutating func readBytes() throws(CBORError) -> [UInt8] {
        let (content, joined) = try string(Major.bytes, "a byte string")
        return joined ?? [UInt8](content)
    }

    /// A byte string in place, without a copy. It must not come in chunks.
    package mutating func readBytesInPlace() throws(CBORError) -> UnsafeRawBufferPointer {
        let before = position
        let (content, joined) = try string(Major.bytes, "a byte string of known length")
        guard joined == nil else {
            position = before
            throw .wrongType("a byte string of known length", before)
        }
        return content
    }

    /// A text string, its chunks joined. Each chunk has to be UTF-8 by itself (§3.2.3).
    @inline(__always)
    package mutating func readText() throws(CBORError) -> String {
        let before = position
        let head = try Head(bytes, at: before)
        guard head.major == Major.text, !head.isIndefinite else { return try readChunkedText() }
        guard head.argument <= UInt64(bytes.count - head.end) else { throw .truncated(bytes.count) }
        let count = Int(head.argument)
        guard let value = CBORReader.text(UnsafeRawBufferPointer(rebasing: bytes[head.end..<head.end + count])) else {
            throw .invalidText(before)
        }
        position = head.end + count
        return value
    }

    @inline(never)
    private mutating func readChunkedText() throws(CBORError) -> String {
        let head = try Head(bytes, at: position)
        guard head.major == Major.text else { throw .wrongType("a text string", position) }
        let end = try CBORItem.end(bytes, position, head, 0)
        var chunks = CBORReader(bytes, at: head.end), joined = ""
        while chunks.position < end - 1 { joined += try chunks.readText() }
        position = end
        return joined
    }

    /// The string of these bytes, if they are UTF-8.
    @inline(__always)
    static func text(_ utf8: UnsafeRawBufferPointer) -> String? {
        let units = utf8.assumingMemoryBound(to: UInt8.self)
        // `String(decoding:)` is faster, but it repairs what is not UTF-8.
        return isASCII(utf8) ? String(decoding: units, as: UTF8.self) : validated(units)
    }

    @inline(never)
    private static func validated(_ units: UnsafeBufferPointer<UInt8>) -> String? {
        String(validating: units, as: UTF8.self)
    }

    /// Whether these bytes are UTF-8.
    static func isText(_ utf8: UnsafeRawBufferPointer) -> Bool {
        isASCII(utf8) || validated(utf8.assumingMemoryBound(to: UInt8.self)) != nil
    }

    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var offset = 0, seen: UInt64 = 0
        while bytes.count &- offset >= 8 {
            seen |= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        while offset < bytes.count {
            seen |= UInt64(bytes[offset])
            offset &+= 1
        }
        return seen & 0x8080_8080_8080_8080 == 0
    }

    /// The content of a string in place, or its joined chunks.
    mutating func string(
        _ major: UInt8, _ wanted: String
    ) throws(CBORError) -> (content: UnsafeRawBufferPointer, joined: [UInt8]?) {
        let head = try Head(bytes, at: position)
        guard head.major == major else { throw .wrongType(wanted, position) }
        let end = try CBORItem.end(bytes, position, head, 0)
        if !head.isIndefinite {
            position = end
            return (UnsafeRawBufferPointer(rebasing: bytes[head.end..<end]), nil)
        }
        var joined: [UInt8] = [], offset = head.end
        while offset < end - 1 {
            let chunk = try Head(bytes, at: offset)
            offset = chunk.end + Int(chunk.argument)
            joined.append(contentsOf: bytes[chunk.end..<offset])
        }
        position = end
        return (UnsafeRawBufferPointer(start: nil, count: 0), joined)
    }

    // MARK: Containers

    /// The head of an array: the number of items, or nil if they end with ``readStop()``.
    ///
    /// A count is never larger than the number of bytes that remain.
    package mutating func readArrayHead() throws(CBORError) -> Int? { try readHead(Major.array, "an array") }

    /// The head of a map: the number of pairs, or nil if they end with ``readStop()``.
    ///
    /// A count is never larger than half the number of bytes that remain.
    package mutating func readMapHead() throws(CBORError) -> Int? { try readHead(Major.map, "a map") }

    private mutating func readHead(_ major: UInt8, _ wanted: String) throws(CBORError) -> Int? {
        let head = try Head(bytes, at: position)
        guard head.major == major else { throw .wrongType(wanted, position) }
        guard !head.isIndefinite else {
            position = head.end
            return nil
        }
        _ = try CBORItem.itemCount(bytes, head)
        position = head.end
        return Int(head.argument)
    }

    /// Skips the break that ends an indefinite length; false if there is none.
    package mutating func readStop() throws(CBORError) -> Bool {
        guard position < bytes.count else { throw .truncated(bytes.count) }
        guard bytes[position] == InitialByte.stop else { return false }
        position += 1
        return true
    }

    /// The number of a tag; the next item is what it tags.
    package mutating func readTag() throws(CBORError) -> UInt64 {
        let head = try Head(bytes, at: position)
        guard head.major == Major.tag else { throw .wrongType("a tag", position) }
        position = head.end
        return head.argument
    }

    // MARK: Simple values

    /// A Boolean.
    @inline(__always)
    package mutating func readBool() throws(CBORError) -> Bool {
        guard position >= 0, position < bytes.count else { throw .truncated(bytes.count) }
        let byte = bytes[position]
        guard byte == InitialByte.yes || byte == InitialByte.no else { throw .wrongType("a truth value", position) }
        position += 1
        return byte == InitialByte.yes
    }

    /// Skips a null or undefined; false if there is none.
    package mutating func readNull() -> Bool {
        guard isNull else { return false }
        position += 1
        return true
    }

    /// True if the next item is null or undefined.
    var isNull: Bool {
        guard position >= 0, position < bytes.count else { return false }
        return bytes[position] == InitialByte.null || bytes[position] == InitialByte.undefined
    }

    /// A simple value by its number.
    package mutating func readSimple() throws(CBORError) -> UInt8 {
        let head = try Head(bytes, at: position)
        guard head.major == Major.other, head.info <= 24 else { throw .wrongType("a simple value", position) }
        position = head.end
        return UInt8(truncatingIfNeeded: head.argument)
    }

    /// Skips tags that only describe an item, and not those that make an integer of a byte string.
    @inline(__always)
    mutating func skipTags() throws(CBORError) {
        if position < bytes.count, position >= 0, bytes[position] >> 5 == Major.tag { try skipTagsSlowly() }
    }

    @inline(never)
    private mutating func skipTagsSlowly() throws(CBORError) {
        var offset = position
        while true {
            let head = try Head(bytes, at: offset)
            guard head.major == Major.tag, head.argument != 2, head.argument != 3 else { break }
            offset = head.end
        }
        position = offset
    }
}
