import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The lines of a file, plain or in LZ4 frames; of standard input, if the path is `-`.
///
///     let lines = try LineReader("Fixtures/cities.ndjson.lz4")
///     while let line = try lines.next() { print(lines.number, line.count) }
///
/// A line ends with LF or CR LF, the last one also with the file. Memory is bounded by the longest line.
package final class LineReader {
    private let descriptor: FileDescriptor
    private var unpacker: LZ4FrameReader?
    private var isOpened = false
    private var isAtEnd = false
    private var bytes: [UInt8] = []
    private var position = 0
    private var input = [UInt8](repeating: 0, count: 256 << 10)

    /// The number of the line that was read last, counted from 1.
    package private(set) var number = 0
    /// How many bytes the lines so far had, line ends included.
    package private(set) var lineBytes = 0
    /// The length of the file; `nil` for what has none, such as a pipe.
    private let fileBytes: Int?
    /// The length of what a compressed file holds, if its header has it.
    private var contentBytes: Int?
    private var bytesRead = 0

    /// A line is at most so long; what is longer is no line of records.
    package static let lineBytesMax = 256 << 20

    /// Opens a file.
    /// - Throws: `Errno`.
    package init(_ path: String) throws {
        if path == "-" {
            descriptor = .standardInput
            fileBytes = nil
        } else {
            descriptor = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
            let end = try? descriptor.seek(offset: 0, from: .end)
            if end != nil { try descriptor.seek(offset: 0, from: .start) }
            fileBytes = end.map { Int($0) }
        }
    }

    deinit { if descriptor != .standardInput { try? descriptor.close() } }

    /// How far the reading is, and where it ends, as far as that is known.
    package var progress: (done: Int, total: Int?) {
        if let contentBytes { return (lineBytes, contentBytes) }
        return unpacker == nil ? (lineBytes, fileBytes) : (bytesRead, fileBytes)
    }

    /// The next line without its end; `nil` behind the last.
    /// - Throws: `Errno`; ``InputError`` for a damaged LZ4 frame, for other compressions and for endless lines.
    package func next() throws -> ArraySlice<UInt8>? {
        var searched = position
        while true {
            if let end = lineFeed(from: searched) { return take(end, end + 1) }
            searched = bytes.count - position
            if isAtEnd { return position < bytes.count ? take(bytes.count, bytes.count) : nil }
            if position > 0 {
                bytes.removeSubrange(..<position)
                position = 0
            }
            guard bytes.count <= Self.lineBytesMax else { throw InputError("line \(number + 1) does not end") }
            try fill()
        }
    }

    // The C function, because a loop over an array takes seconds for these files in a debug build.
    private func lineFeed(from start: Int) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard start < bytes.count, let base = bytes.baseAddress else { return nil }
            guard let found = memchr(base + start, 0x0a, bytes.count - start) else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    private func take(_ end: Int, _ next: Int) -> ArraySlice<UInt8> {
        let hasReturn = end > position && bytes[end - 1] == UInt8(ascii: "\r")
        defer {
            lineBytes += next - position
            position = next
            number += 1
        }
        return bytes[position..<(hasReturn ? end - 1 : end)]
    }

    private func fill() throws {
        let count = try input.withUnsafeMutableBytes { try descriptor.read(into: $0) }
        bytesRead += count
        guard count > 0 else {
            isAtEnd = true
            if unpacker?.isBetweenFrames == false { throw InputError("the LZ4 frame ends too early") }
            return
        }
        if !isOpened { try open(input[..<count]) }
        try input.withUnsafeBytes { input in
            let part = UnsafeRawBufferPointer(rebasing: input[..<count])
            if let unpacker { try unpacker.unpack(part, onto: &bytes) } else { bytes.append(contentsOf: part) }
        }
    }

    private func open(_ start: ArraySlice<UInt8>) throws {
        isOpened = true
        if start.starts(with: LZ4FrameReader.magic) {
            unpacker = try LZ4FrameReader()
            contentBytes = LZ4FrameReader.contentBytes(start)
        }
        if start.starts(with: [0x1f, 0x8b]) {
            throw InputError("this is gzip. Unpack it on the way: gzip -dc FILE | yaprak load - …")
        }
        if start.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) {
            throw InputError("this is zstd. Unpack it on the way: zstd -dc FILE | yaprak load - …")
        }
    }
}
