/// The bytes that some terms begin with, so far as 64 bits can say: others may be among them.
struct TermBeginnings {
    private var bits: UInt64 = 0

    /// All bytes.
    static let all = TermBeginnings(bits: .max)

    @inline(__always)
    mutating func insert(_ byte: UInt8) { bits |= 1 &<< UInt64(byte & 63) }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool { bits &>> UInt64(byte & 63) & 1 != 0 }
}

extension WordScanner {
    /// Calls `emit` with the terms of a text that begin with some bytes. Others may be left out: where a text is ASCII, its
    /// words are counted eight bytes at once, and only those that begin so are looked at. O(bytes).
    ///
    /// - Returns: the number of positions of the whole text.
    @inline(__always)
    func scan(
        _ text: UnsafeBufferPointer<UInt8>, for wanted: TermBeginnings, _ emit: (Token) -> Void
    ) -> Int {
        guard let bytes = text.baseAddress, table.hasPlainASCII else { return scan(text, for: .document, emit) }
        var position = 0
        var at = 0
        while at < text.count {
            let end = Self.endOfASCII(bytes, at, text.count)
            position &+= scanASCII(bytes, at, end, for: wanted, at: position, emit)
            guard end < text.count else { break }
            // A scan remembers nothing of what stands before a space.
            at = Self.endOfOthers(bytes, end, text.count)
            position &+= scan(text[end..<at], at: position, emit)
        }
        return position
    }

    /// The place behind the last space before the first byte that is not ASCII; the end if all are.
    private static func endOfASCII(_ bytes: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int {
        var at = start
        while at &+ 8 <= end, EightBytes(bytes + at).areASCII { at &+= 8 }
        while at < end, bytes[at] < 0x80 { at &+= 1 }
        if at == end { return end }
        while at > start, !isSpace(bytes[at &- 1]) { at &-= 1 }
        return at
    }

    /// The place of the first space behind the first byte that is not ASCII.
    private static func endOfOthers(_ bytes: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int {
        var at = start
        while at < end, bytes[at] < 0x80 { at &+= 1 }
        while at < end, !isSpace(bytes[at]) { at &+= 1 }
        return at
    }

    /// Scans ASCII that begins and ends between words.
    /// - Returns: the number of words.
    @inline(__always)
    private func scanASCII(
        _ bytes: UnsafePointer<UInt8>, _ start: Int, _ end: Int, for wanted: TermBeginnings, at position: Int,
        _ emit: (Token) -> Void
    ) -> Int {
        var count = 0
        var isInWord = false
        var at = start
        while at < end {
            let eight = end &- at >= 8 ? EightBytes(bytes + at) : EightBytes(bytes + at, count: end &- at)
            var starts = eight.wordStarts(&isInWord)
            while starts != 0 {
                let index = starts.trailingZeroBitCount &>> 3
                if wanted.contains(eight.folded(index)) {
                    emit(asciiTerm(bytes, at &+ index, end, position &+ count))
                }
                count &+= 1
                starts &= starts &- 1
            }
            at &+= 8
        }
        return count
    }

    @inline(__always)
    private func asciiTerm(_ bytes: UnsafePointer<UInt8>, _ start: Int, _ end: Int, _ position: Int) -> Token {
        let ascii = table.ascii.bytes
        var count = 0
        var at = start
        while at < end {
            let folded = ascii[Int(bytes[at])]
            if folded == 0 { break }
            if count < Self.termBytesMax {
                buffer[count] = folded
                count &+= 1
            }
            at &+= 1
        }
        return Token(
            term: UnsafeBufferPointer(start: buffer, count: count), position: position, start: start, end: at,
            isPrefix: false)
    }
}

/// Eight bytes of a text at once, the first in the low bits. What is said of each is in its highest bit.
private struct EightBytes {
    private let word: UInt64

    private static let highest: UInt64 = 0x8080_8080_8080_8080

    @inline(__always)
    init(_ bytes: UnsafePointer<UInt8>) {
        word = UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
    }

    /// Fewer than eight, and spaces behind them.
    init(_ bytes: UnsafePointer<UInt8>, count: Int) {
        var word: UInt64 = 0x2020_2020_2020_2020 &<< UInt64(8 &* count)
        for index in 0..<count { word |= UInt64(bytes[index]) &<< UInt64(8 &* index) }
        self.word = word
    }

    @inline(__always)
    var areASCII: Bool { word & Self.highest == 0 }

    /// Letters are small.
    @inline(__always)
    func folded(_ index: Int) -> UInt8 {
        let byte = UInt8(truncatingIfNeeded: word &>> UInt64(8 &* index))
        return byte >= UInt8(ascii: "A") ? byte | 0x20 : byte
    }

    /// Where words of ASCII begin: letters and digits, and nothing else.
    @inline(__always)
    func wordStarts(_ isInWord: inout Bool) -> UInt64 {
        let small = word | 0x2020_2020_2020_2020
        // No sum is more than a byte holds: the bytes are less than 0x80.
        let letters = Self.reach(small, UInt8(ascii: "a")) & ~Self.reach(small, UInt8(ascii: "z") + 1)
        let digits = Self.reach(word, UInt8(ascii: "0")) & ~Self.reach(word, UInt8(ascii: "9") + 1)
        let inWords = (letters | digits) & Self.highest
        let starts = inWords & ~(inWords &<< 8 | (isInWord ? 0x80 : 0))
        isInWord = inWords &>> 63 != 0
        return starts
    }

    /// Which bytes are as great as one, or greater; in the highest bits, and anything in the others.
    @inline(__always)
    private static func reach(_ word: UInt64, _ byte: UInt8) -> UInt64 {
        word &+ 0x0101_0101_0101_0101 &* UInt64(0x80 &- byte)
    }
}
