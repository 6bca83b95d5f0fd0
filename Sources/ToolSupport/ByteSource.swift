import SystemPackage

/// The bytes of a file, plain or in LZ4 frames; of standard input, if the path is `-`. A byte-order mark is left out.
///
///     let source = try ByteSource("Fixtures/cities.ndjson.lz4")
///     while let part = try source.next() { print(part.count) }
///
/// Memory is that of one part: 256 KiB, or what they unpack to. A byte of LZ4 unpacks to 255 at most: some 64 MiB.
package final class ByteSource {
    private let descriptor: FileDescriptor?
    private let reading: (UnsafeMutableRawBufferPointer) throws -> Int
    private var unpacker: LZ4FrameReader?
    private var isOpened = false
    private var hasText = false
    private var isAtEnd = false
    private var input = [UInt8](repeating: 0, count: 256 << 10)
    private var returned: [UInt8] = []
    /// What ended the reading: it is thrown behind the bytes that were there before it.
    private var failure: (any Error)?

    /// The length of the file; `nil` for what has none, such as a pipe.
    private let fileBytes: Int?
    /// The length of what a compressed file holds, if its header has it.
    private var contentBytes: Int?
    private var bytesRead = 0
    private var bytesDelivered = 0

    /// Opens a file.
    /// - Throws: `Errno`.
    package init(_ path: String) throws {
        let descriptor: FileDescriptor
        if path == "-" {
            descriptor = .standardInput
            fileBytes = nil
        } else {
            descriptor = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
            let end = try? descriptor.seek(offset: 0, from: .end)
            if end != nil { try descriptor.seek(offset: 0, from: .start) }
            fileBytes = end.map { Int($0) }
        }
        self.descriptor = descriptor
        reading = { buffer in
            // A read would go on after a signal, until something comes through the pipe.
            while descriptor == .standardInput, !Interruption.awaitInput() {
                if Interruption.isRequested { throw CancellationError() }
            }
            return try descriptor.read(into: buffer)
        }
    }

    /// The bytes that a function reads, as `read` does: it returns their number, and 0 at the end.
    package init(reading: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        descriptor = nil
        fileBytes = nil
        self.reading = reading
    }

    deinit { if let descriptor, descriptor != .standardInput { try? descriptor.close() } }

    /// How far the reading is, and where it ends, as far as that is known.
    package var progress: (done: Int, total: Int?) {
        if let contentBytes { return (bytesDelivered, contentBytes) }
        return (bytesRead, fileBytes)
    }

    /// The next bytes, at least one; `nil` at the end.
    /// - Throws: `Errno`; ``InputError`` for a damaged LZ4 frame, for other compressions and encodings; `CancellationError` if
    ///   standard input is waited for and Ctrl-C is pressed (``Interruption``).
    package func next() throws -> [UInt8]? {
        if !returned.isEmpty {
            defer { returned = [] }
            return returned
        }
        if let failure { throw failure }
        while !isAtEnd {
            var count = try read(from: 0)
            // A pipe may give the mark of a form in pieces.
            while !isOpened, Self.mayBecomeMark(input[..<count]) {
                let more = try read(from: count)
                if more == 0 { break }
                count += more
            }
            bytesRead += count
            guard count > 0 else {
                isAtEnd = true
                if unpacker?.isBetweenFrames == false { throw InputError("the LZ4 frame ends too early") }
                return nil
            }
            if !isOpened { try open(input[..<count]) }
            var part: [UInt8] = []
            input.withUnsafeBytes { input in
                let bytes = UnsafeRawBufferPointer(rebasing: input[..<count])
                guard let unpacker else { return part.append(contentsOf: bytes) }
                do { try unpacker.unpack(bytes, onto: &part) } catch { failure = error }
            }
            bytesDelivered += part.count
            if !hasText, !part.isEmpty {
                hasText = true
                try removeMark(&part)
            }
            if !part.isEmpty { return part }
            if let failure { throw failure }
        }
        return nil
    }

    /// The first bytes that are left, without taking them: the first line of them, or so many of a longer one; empty at the end.
    /// - Throws: as ``next()`` does, where there is nothing before it.
    package func peek(upTo bytesMax: Int = 1 << 20) throws -> [UInt8] {
        var start: [UInt8] = []
        do {
            while start.count < bytesMax, let part = try next() {
                start += part
                if part.contains(0x0a) { break }
            }
        } catch {
            guard !start.isEmpty else { throw error }
            failure = error
        }
        returned = start
        return start
    }

    private func read(from start: Int) throws -> Int {
        try input.withUnsafeMutableBytes {
            try reading(UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
        }
    }

    /// Whether the bytes are the beginning of what says how a file is packed or encoded, and no more.
    private static func mayBecomeMark(_ start: ArraySlice<UInt8>) -> Bool {
        guard !start.isEmpty else { return false }
        return marks.contains { $0.count > start.count && $0.starts(with: start) }
    }

    private static let gzip: [UInt8] = [0x1f, 0x8b]
    private static let zstd: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd]
    private static let utf8: [UInt8] = [0xef, 0xbb, 0xbf]
    private static let utf16: [[UInt8]] = [[0xff, 0xfe], [0xfe, 0xff]]
    private static let marks = [LZ4FrameReader.magic, gzip, zstd, utf8] + utf16

    private func open(_ start: ArraySlice<UInt8>) throws {
        isOpened = true
        if start.starts(with: LZ4FrameReader.magic) {
            unpacker = try LZ4FrameReader()
            contentBytes = LZ4FrameReader.contentBytes(start)
        }
        if start.starts(with: Self.gzip) {
            throw InputError("this is gzip. Unpack it on the way: gzip -dc FILE | yaprak load - …")
        }
        if start.starts(with: Self.zstd) {
            throw InputError("this is zstd. Unpack it on the way: zstd -dc FILE | yaprak load - …")
        }
    }

    private func removeMark(_ part: inout [UInt8]) throws {
        if part.starts(with: Self.utf8) { part.removeFirst(3) }
        if Self.utf16.contains(where: { part.starts(with: $0) }) {
            throw InputError("this is UTF-16. Convert it on the way: iconv -f UTF-16 -t UTF-8 FILE | yaprak load - …")
        }
    }
}
