#if canImport(CLZ4)
    import CLZ4
#endif

/// Unpacks LZ4 frames (the `.lz4` format of the `lz4` program), a piece at a time.
///
/// Its own memory is bounded by the frame's block size, 4 MiB at most, whatever the input says; what is unpacked goes to the
/// caller, at most 255 bytes for one.
final class LZ4FrameReader {
    static let magic: [UInt8] = [0x04, 0x22, 0x4d, 0x18]
    /// The bytes of the shortest head of a frame.
    private static let headBytesMin = 7
    private(set) var isBetweenFrames = true

    #if canImport(CLZ4)
        // Made in init, freed in deinit, used by one owner.
        private var context: OpaquePointer?
        private var piece = [UInt8](repeating: 0, count: 256 << 10)
        /// How many bytes are taken at once: those of a block, or of what says how long the next one is.
        private var expected = LZ4FrameReader.headBytesMin

        init() throws(InputError) {
            let status = LZ4F_createDecompressionContext(&context, UInt32(LZ4F_VERSION))
            guard LZ4F_isError(status) == 0 else { throw InputError("liblz4 refuses: \(Self.name(status))") }
        }

        deinit { LZ4F_freeDecompressionContext(context) }

        /// Unpacks all of `input` behind `output`, block by block: what is damaged takes no block before it with it.
        /// - Throws: what is wrong with the frame. `output` has what is before that.
        func unpack(_ input: UnsafeRawBufferPointer, onto output: inout [UInt8]) throws(InputError) {
            var read = 0
            while true {
                var consumed = min(input.count - read, expected)
                var made = piece.count
                let status = piece.withUnsafeMutableBytes { target in
                    LZ4F_decompress(
                        context, target.baseAddress!, &made, input.baseAddress.map { $0 + read }, &consumed, nil)
                }
                guard LZ4F_isError(status) == 0 else { throw Self.damage(status) }
                output.append(contentsOf: piece[..<made])
                read += consumed
                if consumed > 0 || made > 0 { isBetweenFrames = status == 0 }
                // The library wants a block and the length of the next one, which may be damaged.
                expected = status == 0 ? Self.headBytesMin : status > 4 ? status - 4 : status
                if read == input.count, made < piece.count { return }
            }
        }

        private static func damage(_ status: Int) -> InputError {
            let name = name(status)
            return InputError(
                name == "ERROR_contentChecksum_invalid"
                    ? "the LZ4 frame is damaged: its checksum differs, and anything in it may be wrong"
                    : "the LZ4 frame is damaged: \(name)")
        }

        private static func name(_ status: Int) -> String { String(cString: LZ4F_getErrorName(status)) }
    #else
        /// - Throws: that this system has no reader of such frames.
        init() throws(InputError) { throw InputError("LZ4 files are not read on this system; unpack the file first") }

        func unpack(_ input: UnsafeRawBufferPointer, onto output: inout [UInt8]) throws(InputError) {}
    #endif

    /// The length of the content, if the frame's header has it: eight bytes behind the magic number and two bytes of
    /// flags, present if bit 3 of the first is set.
    static func contentBytes(_ start: ArraySlice<UInt8>) -> Int? {
        let head = Array(start.prefix(14))
        guard head.count == 14, head[4] & 8 != 0 else { return nil }
        return Int(exactly: head[6...].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}

/// What is wrong with an input file.
package struct InputError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
