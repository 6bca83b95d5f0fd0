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
    private let source: ByteSource
    private var isAtEnd = false
    private var bytes: [UInt8] = []
    private var position = 0

    /// The number of the line that was read last, counted from 1.
    package private(set) var number = 0
    /// How many bytes the lines so far had, line ends included.
    package private(set) var lineBytes = 0

    /// Whether a CR before the LF is part of the line.
    package var keepsReturns = false

    /// A line is at most so long; what is longer is no line of records.
    package static let lineBytesMax = 256 << 20

    /// Opens a file.
    /// - Throws: `Errno`.
    package convenience init(_ path: String) throws { self.init(try ByteSource(path)) }

    /// The lines of what is left of a source.
    package init(_ source: ByteSource) { self.source = source }

    /// How far the reading is, and where it ends, as far as that is known.
    package var progress: (done: Int, total: Int?) { source.progress }

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
            if let part = try source.next() { bytes.append(contentsOf: part) } else { isAtEnd = true }
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
        let hasReturn = !keepsReturns && end > position && bytes[end - 1] == UInt8(ascii: "\r")
        defer {
            lineBytes += next - position
            position = next
            number += 1
        }
        return bytes[position..<(hasReturn ? end - 1 : end)]
    }
}
