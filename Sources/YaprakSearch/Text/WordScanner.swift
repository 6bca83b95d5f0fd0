import YaprakCore

/// Splits UTF-8 into folded words: the fast form of ``WordTokenizer``.
///
/// One for each thread that splits: it keeps pointers to the pages of the folding table, and a buffer for the term at hand.
final class WordScanner {
    /// A term in the scanner's buffer, valid during the call that gets it.
    struct Token {
        let term: UnsafeBufferPointer<UInt8>
        let position: Int
        /// Where it stands in the text, in bytes.
        let start: Int
        let end: Int
        let isPrefix: Bool

        /// The same at a later position.
        @inline(__always)
        func moved(by distance: Int) -> Token {
            Token(term: term, position: position &+ distance, start: start, end: end, isPrefix: isPrefix)
        }
    }

    /// Of a longer word, the first bytes count.
    static let termBytesMax = 240

    let table: FoldingTable
    private let pages: UnsafeMutablePointer<UnsafePointer<UInt32>?>
    let buffer: UnsafeMutablePointer<UInt8>
    private let isTurkic: Bool

    /// Pages whose pointers are kept: those of the first two planes.
    private static let pagesKept = 0x20000 >> 8

    init(_ tokenizer: WordTokenizer) {
        table = FoldingTable.table(for: tokenizer)
        isTurkic = tokenizer.locale.isTurkic
        pages = .allocate(capacity: Self.pagesKept)
        pages.initialize(repeating: nil, count: Self.pagesKept)
        buffer = .allocate(capacity: Self.termBytesMax + 8)
    }

    deinit {
        pages.deallocate()
        buffer.deallocate()
    }

    @inline(__always)
    private func entry(of scalar: UInt32) -> UInt32 {
        let number = Int(scalar >> 8)
        if number < Self.pagesKept, let page = pages[number] { return page[Int(scalar & 255)] }
        return slowEntry(of: scalar)
    }

    @inline(never)
    private func slowEntry(of scalar: UInt32) -> UInt32 {
        let page = table.page(Int(scalar >> 8))
        if Int(scalar >> 8) < Self.pagesKept { pages[Int(scalar >> 8)] = page }
        return page[Int(scalar & 255)]
    }

    /// Calls `emit` with each term of a text, which is valid UTF-8, and returns the number of positions. O(bytes).
    @inline(__always)
    @discardableResult
    func scan(_ text: UnsafeBufferPointer<UInt8>, for purpose: TokenPurpose, _ emit: (Token) -> Void) -> Int {
        guard let bytes = text.baseAddress, !text.isEmpty else { return 0 }
        let ascii = table.ascii.bytes
        let end = text.count
        var at = 0
        var position = 0
        // The word at hand: its bytes in the buffer, where it began, where its last scalar ended.
        var count = 0
        // How many bytes it may have: no more than there are, once a scalar did not fit.
        var countMax = Self.termBytesMax
        var wordStart = 0
        var wordEnd = 0
        var hasMarks = false
        // Where the dot of a Turkic İ is, decomposed: the letter has it.
        var dot = -1
        // The run of wide characters at hand: how many, and the last.
        var wideCount = 0
        var wide: UInt32 = 0
        var wideStart = 0
        var wideEnd = 0

        @inline(__always) func finishWord() {
            guard count > 0 else { return }
            if hasMarks { count = normalise(count) }
            emit(
                Token(
                    term: UnsafeBufferPointer(start: buffer, count: count), position: position, start: wordStart,
                    end: wordEnd, isPrefix: false))
            position &+= 1
            count = 0
            countMax = Self.termBytesMax
            hasMarks = false
        }
        /// The last character of a run is a term by itself in a text, so that one character finds it. A query of one
        /// character stands for every pair that begins with it.
        @inline(__always) func finishRun() {
            guard wideCount > 0 else { return }
            if purpose == .document || wideCount == 1 {
                let length = put(wide, at: 0)
                emit(
                    Token(
                        term: UnsafeBufferPointer(start: buffer, count: length), position: position, start: wideStart,
                        end: wideEnd, isPrefix: purpose == .query))
            }
            // In a query it has a position too, so that phrases go on behind it as in the text.
            position &+= 1
            wideCount = 0
        }

        while at < end {
            let first = bytes[at]
            if first < 0x80 {
                var folded = ascii[Int(first)]
                if wideCount > 0 { finishRun() }
                if folded != 0 {
                    if count == 0 { wordStart = at }
                    // The letters behind it, too: most words end here.
                    repeat {
                        if count < countMax {
                            buffer[count] = folded
                            count &+= 1
                        }
                        at &+= 1
                        guard at < end, bytes[at] < 0x80 else { break }
                        folded = ascii[Int(bytes[at])]
                    } while folded != 0
                    wordEnd = at
                } else if isTurkic, first == UInt8(ascii: "I") {
                    if count == 0 { wordStart = at }
                    at &+= 1
                    let marks = Self.marksOfI(bytes, at, end)
                    dot = marks.dot
                    count = append(marks.areThere ? 0x69 : 0x131, at: count, &countMax)
                    wordEnd = at
                } else {
                    at &+= 1
                    finishWord()
                }
                continue
            }
            let start = at
            let scalar = Self.decode(bytes, &at)
            if start == dot {
                wordEnd = at
                continue
            }
            let entry = entry(of: scalar)
            if entry & FoldingTable.wide != 0 {
                finishWord()
                var character = entry & FoldingTable.scalarMask
                while let composed = Self.composed(character, bytes, at, end) {
                    character = composed.scalar
                    at = composed.end
                }
                if wideCount > 0 {
                    let length = put(wide, at: 0)
                    let both = length &+ put(character, at: length)
                    emit(
                        Token(
                            term: UnsafeBufferPointer(start: buffer, count: both), position: position,
                            start: wideStart, end: at, isPrefix: false))
                    position &+= 1
                }
                wide = character
                wideStart = start
                wideEnd = at
                wideCount &+= 1
            } else if entry == FoldingTable.separator {
                if wideCount > 0 { finishRun() }
                finishWord()
            } else if entry & FoldingTable.dropped != 0 {
                // It belongs to what it stands behind, if anything.
                if count > 0 { wordEnd = at } else if wideCount > 0 { wideEnd = at }
            } else {
                if wideCount > 0 { finishRun() }
                if count == 0 { wordStart = start }
                wordEnd = at
                var letter = entry & FoldingTable.scalarMask
                if entry & FoldingTable.capitalI != 0 {
                    let marks = Self.marksOfI(bytes, at, end)
                    dot = marks.dot
                    if marks.areThere, letter == 0x131 { letter = 0x69 }
                }
                if entry & FoldingTable.mark != 0 { hasMarks = true }
                if entry & FoldingTable.several != 0 {
                    for byte in table.expansion(of: scalar) where count < countMax {
                        buffer[count] = byte
                        count &+= 1
                    }
                    let whole = wholeScalars(count)
                    if whole < count { countMax = whole }
                    count = whole
                } else {
                    count = append(letter, at: count, &countMax)
                }
            }
        }
        finishRun()
        finishWord()
        return position
    }

    // MARK: UTF-8

    @inline(__always)
    static func decode(_ bytes: UnsafePointer<UInt8>, _ at: inout Int) -> UInt32 {
        let first = UInt32(bytes[at])
        func next(_ offset: Int) -> UInt32 { UInt32(bytes[at &+ offset] & 0x3F) }
        if first < 0x80 {
            at &+= 1
            return first
        }
        if first < 0xE0 {
            let scalar = (first & 0x1F) << 6 | next(1)
            at &+= 2
            return scalar
        }
        if first < 0xF0 {
            let scalar = (first & 0x0F) << 12 | next(1) << 6 | next(2)
            at &+= 3
            return scalar
        }
        let scalar = (first & 0x07) << 18 | next(1) << 12 | next(2) << 6 | next(3)
        at &+= 4
        return scalar
    }

    /// Appends a scalar to the term. One that does not fit ends it: what is shorter behind it does not count either.
    @inline(__always)
    private func append(_ scalar: UInt32, at count: Int, _ countMax: inout Int) -> Int {
        if count &+ 4 > countMax && count &+ Self.length(of: scalar) > countMax {
            countMax = count
            return count
        }
        return count &+ put(scalar, at: count)
    }

    @inline(__always)
    private static func length(of scalar: UInt32) -> Int {
        scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4
    }

    /// Writes a scalar into the buffer and returns its length.
    @inline(__always)
    private func put(_ scalar: UInt32, at count: Int) -> Int {
        func byte(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: scalar >> shift & 0x3F | 0x80) }
        let target = buffer + count
        if scalar < 0x80 {
            target[0] = UInt8(truncatingIfNeeded: scalar)
            return 1
        }
        if scalar < 0x800 {
            target[0] = UInt8(truncatingIfNeeded: scalar >> 6 | 0xC0)
            target[1] = byte(0)
            return 2
        }
        if scalar < 0x10000 {
            target[0] = UInt8(truncatingIfNeeded: scalar >> 12 | 0xE0)
            target[1] = byte(6)
            target[2] = byte(0)
            return 3
        }
        target[0] = UInt8(truncatingIfNeeded: scalar >> 18 | 0xF0)
        target[1] = byte(12)
        target[2] = byte(6)
        target[3] = byte(0)
        return 4
    }

    /// Cuts the buffer behind the last whole scalar.
    private func wholeScalars(_ count: Int) -> Int {
        UnsafeBufferPointer(start: buffer, count: count).wholeScalarCount
    }

    // MARK: The Turkic I

    /// Whether marks stand behind a capital I, and where the dot is that makes an `İ` of it; -1 if there is none.
    ///
    /// With a mark it is the capital of `i` with that mark (`Î`, `î`), as it is in one piece. The dot may stand behind marks
    /// that are not above the letter: they may change places, and the text is the same.
    @inline(never)
    private static func marksOfI(
        _ bytes: UnsafePointer<UInt8>, _ start: Int, _ end: Int
    ) -> (areThere: Bool, dot: Int) {
        var at = start
        // Where the marks begin: U+0300.
        while at < end, bytes[at] >= 0xCC {
            let mark = at
            let value = decode(bytes, &at)
            if value == 0x307 { return (true, mark) }
            switch Unicode.Scalar(value)?.properties.canonicalCombiningClass ?? .notReordered {
            case .notReordered: return (mark > start, -1)
            case .above: return (true, -1)
            default: continue
            }
        }
        return (at > start, -1)
    }

    // MARK: Normal forms

    /// Brings the term into NFC.
    @inline(never)
    private func normalise(_ count: Int) -> Int {
        let text = String(decoding: UnsafeBufferPointer(start: buffer, count: count), as: UTF8.self).normalizedKey
        return text.withKeyBytesCopied { bytes in
            let length = UnsafeBufferPointer(rebasing: bytes.prefix(Self.termBytesMax)).wholeScalarCount
            for index in 0..<min(length, bytes.count) { buffer[index] = bytes[index] }
            return min(length, bytes.count)
        }
    }
}
