/// The sequences of a raw LZ4 block, as the format's description has them
/// (<https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md>): a token, literals, and a match; the last sequence
/// ends after its literals.
enum LZ4Sequences {
    /// How many bytes a block unpacks to, by its lengths alone. `nil` if it ends within a sequence or a match refers to
    /// what is before the beginning. O(sequences).
    static func unpackedCount(of block: UnsafeRawBufferPointer) -> Int? {
        var position = 0
        var unpacked = 0

        // A length of 15 goes on in the bytes that follow, up to and with the first below 255.
        func length(_ start: UInt8) -> Int? {
            var sum = Int(start)
            guard start == 15 else { return sum }
            while position < block.count {
                let byte = block[position]
                position += 1
                sum += Int(byte)
                if byte < 255 { return sum }
            }
            return nil
        }

        while position < block.count {
            let token = block[position]
            position += 1
            guard let literals = length(token >> 4), literals <= block.count - position else { return nil }
            position += literals
            unpacked += literals
            if position == block.count { return unpacked }
            guard block.count - position >= 2 else { return nil }
            let offset = Int(block[position]) | Int(block[position + 1]) << 8
            position += 2
            guard offset > 0, offset <= unpacked, let match = length(token & 15) else { return nil }
            unpacked += match + 4
        }
        return nil
    }
}
