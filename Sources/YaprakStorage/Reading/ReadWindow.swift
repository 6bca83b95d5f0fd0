/// A sliding window over a file: saves two system calls for each frame.
///
/// The bytes it returns are valid until the next call. Memory: one window, or one frame if that is larger.
final class ReadWindow {
    private let file: any File
    private var memory: UnsafeMutableRawBufferPointer
    private var start: UInt64 = 0
    private var filled = 0
    /// The length of the file when it was last read.
    private(set) var size: UInt64

    private static let bytes = 256 << 10
    /// A request that far beyond the window comes from a reader that skips payloads: the next request is for a header.
    private static let strideMin: UInt64 = 16 << 10
    private static let strideBytes = 4 << 10

    init(_ file: any File) throws(DiskError) {
        self.file = file
        size = try file.size()
        memory = .allocate(byteCount: min(Self.bytes, Int(clamping: max(size, 64))), alignment: 16)
    }

    deinit { memory.deallocate() }

    /// Exactly `count` bytes at `offset`; nil if the file ends before.
    func bytes(at offset: UInt64, count: Int) throws(DiskError) -> UnsafeRawBufferPointer? {
        guard offset <= size, UInt64(count) <= size - offset else { return nil }
        if offset < start || offset - start > UInt64(filled) || filled - Int(offset - start) < count {
            try fill(from: offset, atLeast: count)
            guard filled >= count else { return nil }
        }
        let at = Int(offset - start)
        return UnsafeRawBufferPointer(rebasing: memory[at..<at + count])
    }

    /// All bytes from `offset` on that the window has, and at least `count`; nil if the file ends before.
    func bytes(from offset: UInt64, atLeast count: Int) throws(DiskError) -> UnsafeRawBufferPointer? {
        guard try bytes(at: offset, count: count) != nil else { return nil }
        return UnsafeRawBufferPointer(rebasing: memory[Int(offset - start)..<filled])
    }

    /// Where the file has data again; see `File.nextData`.
    func nextData(from offset: UInt64) -> UInt64 { file.nextData(from: offset) }

    /// Drops the buffer and reads the length again, because the file may have grown.
    func refresh() throws(DiskError) {
        filled = 0
        size = try file.size()
    }

    private func fill(from offset: UInt64, atLeast count: Int) throws(DiskError) {
        let isStriding = filled > 0 && offset > start && offset - start > UInt64(filled) + Self.strideMin
        let wanted = max(count, isStriding ? Self.strideBytes : Self.bytes)
        if memory.count < min(wanted, Int(clamping: size - offset)) {
            memory.deallocate()
            memory = .allocate(byteCount: min(wanted, Int(clamping: size - offset)), alignment: 16)
        }
        filled = 0
        start = offset
        let room = UnsafeMutableRawBufferPointer(
            rebasing: memory[..<min(memory.count, wanted, Int(clamping: size - offset))])
        filled = try file.readAll(into: room, at: offset)
    }
}
