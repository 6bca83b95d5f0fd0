#if canImport(CLZ4)
    import CLZ4
#endif

/// Unpacks LZ4 frames (the `.lz4` format of the `lz4` program), a piece at a time.
///
/// Its own memory is bounded by the frame's block size, 4 MiB at most, whatever the input says; what is unpacked goes to the
/// caller, at most 255 bytes for one.
final class LZ4FrameReader {
    static let magic: [UInt8] = [0x04, 0x22, 0x4d, 0x18]
    private(set) var isBetweenFrames = true

    #if canImport(CLZ4)
        // Made in init, freed in deinit, used by one owner.
        private var context: OpaquePointer?

        init() throws(InputError) {
            let status = LZ4F_createDecompressionContext(&context, UInt32(LZ4F_VERSION))
            guard LZ4F_isError(status) == 0 else { throw InputError("liblz4 refuses: \(Self.name(status))") }
        }

        deinit { LZ4F_freeDecompressionContext(context) }

        /// Unpacks all of `input` behind `output`.
        /// - Throws: what is wrong with the frame.
        func unpack(_ input: UnsafeRawBufferPointer, onto output: inout [UInt8]) throws(InputError) {
            var read = 0
            let piece = 256 << 10
            while true {
                let start = output.count
                output.append(contentsOf: repeatElement(0, count: piece))
                var consumed = input.count - read
                var made = piece
                let status = output.withUnsafeMutableBytes { target in
                    LZ4F_decompress(
                        context, target.baseAddress! + start, &made, input.baseAddress.map { $0 + read }, &consumed, nil
                    )
                }
                output.removeLast(piece - made)
                guard LZ4F_isError(status) == 0 else {
                    throw InputError("the LZ4 frame is damaged: \(Self.name(status))")
                }
                read += consumed
                if consumed > 0 || made > 0 { isBetweenFrames = status == 0 }
                if read == input.count, made < piece { return }
            }
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
