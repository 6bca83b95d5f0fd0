/// A binary property list, opened: its objects by their numbers.
///
/// The format is that of Apple's `CFBinaryPList.c`: "bplist00", the objects, a table of their offsets, and 32 bytes that say
/// where the table is. Objects refer to each other by number, so that a list can hold one object in many places, and a
/// hostile one can hold itself. Nothing is trusted: each number and each length is checked against the bytes before it is
/// used. Opening is O(1), an object O(its own bytes).
struct BinaryPropertyList {
    /// An object without what it refers to.
    enum Object {
        case null
        case bool(Bool)
        /// A number of two's complement, of 128 bits.
        case integer(high: Int64, low: UInt64)
        case real(Double)
        /// Seconds since 2001, in UTC.
        case date(Double)
        case data(ArraySlice<UInt8>)
        case text(String)
        /// A reference of a keyed archive.
        case uid(UInt64)
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    /// How many objects there are.
    private let count: Int
    private let tableStart: Int
    /// The number of the object that holds the others.
    let top: Int

    private static let magic = Array("bplist0".utf8)
    private static let trailerSize = 32

    /// The most references that are read of an object, and followed in all: each takes many times its bytes in memory.
    let itemsMax: Int

    /// The bytes of all of it.
    var byteCount: Int { bytes.count }

    /// Whether the bytes begin as a binary property list does.
    static func isLikely(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    init(_ bytes: [UInt8], itemsMax: Int = .max) throws(ForeignDataError) {
        guard Self.isLikely(bytes), bytes.count >= 8 + 1 + 1 + Self.trailerSize else {
            throw .malformed("it is too short for a binary property list")
        }
        self.bytes = bytes
        self.itemsMax = itemsMax
        let trailer = bytes.count - Self.trailerSize
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else {
            throw .malformed("offsets or references have an impossible size")
        }
        let count = Self.unsigned(bytes[(trailer + 8)..<(trailer + 16)])
        let top = Self.unsigned(bytes[(trailer + 16)..<(trailer + 24)])
        let table = Self.unsigned(bytes[(trailer + 24)..<(trailer + 32)])
        // Each object takes a byte of its own, so that the first comparison keeps the product from overflowing.
        guard count > 0, count <= UInt64(trailer), table >= 8, table <= UInt64(trailer),
            Int(count) * offsetSize <= trailer - Int(table)
        else { throw .malformed("the table of offsets does not fit into the bytes") }
        guard top < count else { throw .malformed("the top object is not among the objects") }
        self.count = Int(count)
        self.top = Int(top)
        tableStart = Int(table)
    }

    /// The object with a number.
    func object(_ number: Int) throws(ForeignDataError) -> Object {
        guard number >= 0, number < count else { throw .malformed("a reference leads to no object") }
        let entry = tableStart + number * offsetSize
        let offset = Self.unsigned(bytes[entry..<(entry + offsetSize)])
        guard offset >= 8, offset < UInt64(tableStart) else {
            throw .malformed("an object lies outside of the bytes for objects")
        }
        var cursor = Int(offset)
        let marker = bytes[cursor]
        cursor += 1
        switch (marker >> 4, marker & 0x0f) {
        case (0x0, 0x0): return .null
        case (0x0, 0x8): return .bool(false)
        case (0x0, 0x9): return .bool(true)
        case (0x1, let power) where power <= 4: return try integer(1 << Int(power), &cursor)
        case (0x2, 2): return .real(Double(Float(bitPattern: UInt32(Self.unsigned(try take(4, &cursor))))))
        case (0x2, 3): return .real(Double(bitPattern: Self.unsigned(try take(8, &cursor))))
        case (0x3, 3): return .date(Double(bitPattern: Self.unsigned(try take(8, &cursor))))
        case (0x4, let low): return .data(try take(try length(low, &cursor), &cursor))
        case (0x5, let low):
            let text = try take(try length(low, &cursor), &cursor)
            guard text.allSatisfy({ $0 < 0x80 }) else { throw .malformed("a text of ASCII has other bytes") }
            return .text(String(decoding: text, as: UTF8.self))
        case (0x6, let low): return .text(try utf16(try length(low, &cursor), &cursor))
        case (0x7, let low):
            guard let text = String(validating: try take(try length(low, &cursor), &cursor), as: UTF8.self) else {
                throw .malformed("a text is not UTF-8")
            }
            return .text(text)
        case (0x8, let low) where low < 8: return .uid(Self.unsigned(try take(Int(low) + 1, &cursor)))
        case (0xa, let low), (0xb, let low), (0xc, let low):
            return .array(try references(try length(low, &cursor), &cursor))
        case (0xd, let low):
            let pairs = try length(low, &cursor)
            let keys = try references(pairs, &cursor)
            return .dictionary(keys: keys, values: try references(pairs, &cursor))
        default: throw .malformed("an object has an unknown kind")
        }
    }

    // MARK: Reading

    private func take(_ count: Int, _ cursor: inout Int) throws(ForeignDataError) -> ArraySlice<UInt8> {
        guard count <= tableStart - cursor else { throw .malformed("an object goes beyond the bytes for objects") }
        defer { cursor += count }
        return bytes[cursor..<(cursor + count)]
    }

    /// A length: in the marker, or in the integer behind it.
    private func length(_ low: UInt8, _ cursor: inout Int) throws(ForeignDataError) -> Int {
        if low < 0x0f { return Int(low) }
        let marker = try take(1, &cursor)[cursor - 1]
        guard marker >> 4 == 1, marker & 0x0f <= 3 else { throw .malformed("a length is no integer") }
        let length = Self.unsigned(try take(1 << Int(marker & 0x0f), &cursor))
        guard length <= UInt64(bytes.count) else { throw .malformed("a length is beyond the bytes") }
        return Int(length)
    }

    private func references(_ count: Int, _ cursor: inout Int) throws(ForeignDataError) -> [Int] {
        guard count <= itemsMax else { throw Expansion.tooManyItems(itemsMax) }
        let raw = try take(count * referenceSize, &cursor)
        var numbers: [Int] = []
        numbers.reserveCapacity(count)
        for start in stride(from: raw.startIndex, to: raw.endIndex, by: referenceSize) {
            numbers.append(Int(clamping: Self.unsigned(raw[start..<(start + referenceSize)])))
        }
        return numbers
    }

    /// One, two and four bytes have no sign; eight and sixteen do.
    private func integer(_ size: Int, _ cursor: inout Int) throws(ForeignDataError) -> Object {
        let raw = try take(size, &cursor)
        let low = Self.unsigned(raw.suffix(8))
        if size == 16 { return .integer(high: Int64(bitPattern: Self.unsigned(raw.prefix(8))), low: low) }
        return .integer(high: size == 8 && Int64(bitPattern: low) < 0 ? -1 : 0, low: low)
    }

    private func utf16(_ units: Int, _ cursor: inout Int) throws(ForeignDataError) -> String {
        let raw = try take(units * 2, &cursor)
        let words = stride(from: raw.startIndex, to: raw.endIndex, by: 2).map {
            UInt16(raw[$0]) << 8 | UInt16(raw[$0 + 1])
        }
        guard let text = String(validating: words, as: UTF16.self) else {
            throw .malformed("a text is not UTF-16")
        }
        return text
    }

    private static func unsigned(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
