/// Writes data items in sequence, each in the deterministic form of RFC 8949 §4.2.1: shortest integers, shortest floats
/// that keep the value, one NaN, definite lengths.
///
/// The caller is responsible for the order of keys in a map, and for writing as many items as a head states.
///
///     let writer = CBORWriter()
///     writer.writeArrayHead(count: 2)
///     writer.write(unsigned: 42)
///     writer.write(text: "commit")
///     log.append(writer.bytes)
///     writer.removeAll()                  // keeps the memory for the next one
///
/// - Complexity: every write is O(bytes written), amortised; it allocates only when the buffer grows.
package final class CBORWriter {
    /// Room after the capacity, so that eight bytes can be loaded from any written offset.
    private static let slack = 16

    private(set) var base: UnsafeMutableRawPointer
    private var capacity: Int
    // Not visible beyond the module, so that the compiler knows all accesses and checks none of them at run time.
    private(set) var length = 0

    /// How many bytes were written.
    package var count: Int { length }
    /// How many bytes it has room for.
    var bytesReserved: Int { capacity }

    /// An empty writer.
    package init(capacity: Int = 256) {
        self.capacity = max(capacity, 16)
        base = .allocate(byteCount: self.capacity + CBORWriter.slack, alignment: 16)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: self.capacity + CBORWriter.slack)
    }

    deinit { base.deallocate() }

    /// A copy of the written bytes. O(count).
    package var bytes: [UInt8] { [UInt8](UnsafeRawBufferPointer(start: base, count: count)) }

    /// Calls `body` with the written bytes. The pointer is valid until `body` returns, and `body` must not write.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// The byte at an offset. O(1).
    /// - Precondition: it was written.
    package subscript(offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < length, "a byte that is read was written")
        return base.load(fromByteOffset: offset, as: UInt8.self)
    }

    /// Removes everything and keeps the memory.
    package func removeAll() { length = 0 }

    /// Removes everything from `offset` on. Does nothing if the offset was not reached yet.
    package func truncate(to offset: Int) { length = max(0, min(length, offset)) }

    // MARK: Items

    /// An unsigned integer (§3.1, major type 0).
    package func write(unsigned value: UInt64) { head(Major.unsigned, value) }

    /// The negative integer -1 - `complement` (§3.1, major type 1).
    package func write(negative complement: UInt64) { head(Major.negative, complement) }

    /// An integer, as an unsigned or a negative one.
    @inline(__always)
    package func write(integer value: Int64) {
        if value >= 0 {
            head(Major.unsigned, UInt64(bitPattern: value))
        } else {
            head(Major.negative, UInt64(bitPattern: ~value))
        }
    }

    /// An integer of up to 128 bits: a plain integer if it fits, a bignum otherwise (§3.4.3, tags 2 and 3).
    package func write(integer value: Int128) {
        if value >= 0 { return write(integer: UInt128(value)) }
        writeWide(Major.negative, tag: 3, UInt128(truncatingIfNeeded: ~value))
    }

    /// An integer of up to 128 bits: a plain integer if it fits, a bignum otherwise (§3.4.3, tag 2).
    package func write(integer value: UInt128) { writeWide(Major.unsigned, tag: 2, value) }

    private func writeWide(_ major: UInt8, tag: UInt64, _ value: UInt128) {
        if let narrow = UInt64(exactly: value) { return head(major, narrow) }
        let length = (128 - value.leadingZeroBitCount + 7) / 8
        head(Major.tag, tag)
        head(Major.bytes, UInt64(length))
        for index in 0..<length { byte(UInt8(truncatingIfNeeded: value >> UInt128(8 * (length - 1 - index)))) }
    }

    /// A byte string (§3.1, major type 2).
    package func write(bytes value: UnsafeRawBufferPointer) {
        head(Major.bytes, UInt64(value.count))
        raw(value)
    }

    /// A byte string (§3.1, major type 2).
    package func write(bytes value: [UInt8]) { value.withUnsafeBytes { write(bytes: $0) } }

    /// A text string (§3.1, major type 3).
    @inline(__always)
    package func write(text value: String) {
        let done: Void? = value.utf8.withContiguousStorageIfAvailable { text(utf8: $0) }
        if done == nil { writeForeign(text: value) }
    }

    @inline(never)
    private func writeForeign(text value: String) {
        var native = value
        native.withUTF8 { text(utf8: $0) }
    }

    @inline(__always)
    private func text(utf8: UnsafeBufferPointer<UInt8>) {
        head(Major.text, UInt64(utf8.count))
        raw(UnsafeRawBufferPointer(utf8))
    }

    /// The head of an array of `count` items (§3.1, major type 4).
    package func writeArrayHead(count: Int) {
        precondition(count >= 0, "an array has no negative count")
        head(Major.array, UInt64(count))
    }

    /// The head of a map of `count` pairs (§3.1, major type 5).
    package func writeMapHead(count: Int) {
        precondition(count >= 0, "a map has no negative count")
        head(Major.map, UInt64(count))
    }

    /// The head of a tag (§3.4); the next item is its content.
    package func write(tag: UInt64) { head(Major.tag, tag) }

    /// A Boolean (§3.3).
    package func write(_ value: Bool) { byte(value ? InitialByte.yes : InitialByte.no) }

    /// Null (§3.3).
    package func writeNull() { byte(InitialByte.null) }

    /// Undefined (§3.3).
    package func writeUndefined() { byte(InitialByte.undefined) }

    /// A simple value (§3.3). 24 to 31 are reserved and have no encoding.
    package func write(simple value: UInt8) {
        precondition(!(24...31).contains(value), "simple values 24 to 31 are reserved")
        head(Major.other, UInt64(value))
    }

    /// A float in the shortest of the three forms that keeps the value; every NaN becomes 0x7e00 (§4.2.1, §4.2.2).
    package func write(_ value: Double) {
        let single = Float(value)
        if Double(single) == value { return write(single) }
        if value.isNaN { return fixed(InitialByte.half, UInt16(0x7e00)) }
        fixed(InitialByte.double, value.bitPattern)
    }

    /// A float in the shortest of the forms that keeps the value, as above.
    package func write(_ value: Float) {
        if value.isNaN { return fixed(InitialByte.half, UInt16(0x7e00)) }
        if let half = Half.exactly(value) { return fixed(InitialByte.half, half) }
        fixed(InitialByte.single, value.bitPattern)
    }

    /// Items that are encoded already, copied as they are.
    package func write(encoded items: UnsafeRawBufferPointer) { raw(items) }

    /// Items that are encoded already, copied as they are.
    package func write(encoded items: [UInt8]) { items.withUnsafeBytes { raw($0) } }

    // MARK: Bytes

    @inline(__always)
    func reserve(_ more: Int) {
        if capacity - length < more { grow(more) }
    }

    @inline(never)
    private func grow(_ more: Int) {
        let wanted = max(capacity * 2, count + more)
        let new = UnsafeMutableRawPointer.allocate(byteCount: wanted + CBORWriter.slack, alignment: 16)
        new.copyMemory(from: base, byteCount: count)
        // The rest is zeroed so that a load beyond the end reads bytes that exist.
        (new + count).initializeMemory(as: UInt8.self, repeating: 0, count: wanted + CBORWriter.slack - count)
        base.deallocate()
        base = new
        capacity = wanted
    }

    @inline(__always)
    func byte(_ value: UInt8) {
        reserve(1)
        base.storeBytes(of: value, toByteOffset: length, as: UInt8.self)
        length &+= 1
    }

    @inline(__always)
    func raw(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        guard let source = bytes.baseAddress else { return }
        (base + length).copyMemory(from: source, byteCount: bytes.count)
        length &+= bytes.count
    }

    @inline(__always)
    private func fixed<Bits: FixedWidthInteger & BitwiseCopyable>(_ initial: UInt8, _ bits: Bits) {
        reserve(9)
        base.storeBytes(of: initial, toByteOffset: length, as: UInt8.self)
        base.storeBytes(of: bits.bigEndian, toByteOffset: length &+ 1, as: Bits.self)
        length &+= 1 &+ MemoryLayout<Bits>.size
    }

    @inline(__always)
    func head(_ major: UInt8, _ argument: UInt64) {
        if argument < 24 { byte(major << 5 | UInt8(truncatingIfNeeded: argument)) } else { longHead(major, argument) }
    }

    @inline(never)
    private func longHead(_ major: UInt8, _ argument: UInt64) {
        let initial = major << 5
        if let value = UInt8(exactly: argument) {
            fixed(initial | 24, value)
        } else if let value = UInt16(exactly: argument) {
            fixed(initial | 25, value)
        } else if let value = UInt32(exactly: argument) {
            fixed(initial | 26, value)
        } else {
            fixed(initial | 27, argument)
        }
    }

    // MARK: Heads that are known only at the end

    /// Keeps one byte for a head; the content follows.
    func openHead() -> Int {
        byte(0)
        return count - 1
    }

    /// Writes the head that ``openHead()`` kept the place for, moving the content if the head takes more than one byte.
    @inline(__always)
    func closeHead(at offset: Int, _ major: UInt8, _ argument: Int) {
        if argument < 24 {
            base.storeBytes(of: major << 5 | UInt8(truncatingIfNeeded: argument), toByteOffset: offset, as: UInt8.self)
        } else {
            closeLongHead(at: offset, major, argument)
        }
    }

    @inline(never)
    private func closeLongHead(at offset: Int, _ major: UInt8, _ argument: Int) {
        let end = count
        longHead(major, UInt64(argument))
        let size = count - end
        reserve(size)
        // The head is after the content; it is copied before the content moves up.
        var kept: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &kept) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: base + end, count: size))
        }
        (base + offset + size).copyMemory(from: base + offset + 1, byteCount: end - offset - 1)
        withUnsafeBytes(of: &kept) { (base + offset).copyMemory(from: $0.baseAddress!, byteCount: size) }
        length = end + size - 1
    }

    /// Replaces everything from `offset` on.
    func replace(from offset: Int, with pieces: (CBORWriter) -> Void) {
        let other = CBORWriter(capacity: count - offset + 64)
        pieces(other)
        length = offset
        other.withBytes { raw($0) }
    }
}
