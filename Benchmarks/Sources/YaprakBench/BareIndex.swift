import CHelpers

/// Finding by key in an ordered set, with as little as we know to do, to compare P1 with: full blocks of words side by side, no
/// node, no pointer but that to the row, which comes back counted. The lines of a block are fetched at once.
///
/// Nothing can be inserted, no version is kept, nobody asks whether the collection has these types.
final class BareIndex: @unchecked Sendable {
    /// The first sixteen bytes of a key behind what all keys begin with.
    private struct Word {
        let head: UInt64
        let tail: UInt64

        init(_ key: String, skipping count: Int) {
            var key = key
            (head, tail) = key.withUTF8 { bytes in
                let rest = bytes[count...]
                if rest.count >= 16 {
                    let start = UnsafeRawPointer(bytes.baseAddress! + count)
                    return (
                        UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)),
                        UInt64(bigEndian: (start + 8).loadUnaligned(as: UInt64.self))
                    )
                }
                var word = (UInt64(0), UInt64(0))
                for (index, byte) in rest.enumerated() {
                    let shifted = UInt64(byte) << UInt64(56 - index % 8 * 8)
                    if index < 8 { word.0 |= shifted } else { word.1 |= shifted }
                }
                return word
            }
        }

        @inline(__always)
        static func <= (a: Word, b: Word) -> Bool { a.head != b.head ? a.head < b.head : a.tail <= b.tail }
    }

    private static let fanOut = 32

    /// Of the rows first, then of each block of the level below.
    private let levels: [UnsafeMutableBufferPointer<Word>]
    private let rows: [Boxed]
    private let references: UnsafeMutableBufferPointer<Unmanaged<Boxed>>
    private let skipped: Int

    init(_ unordered: [Boxed]) {
        let rows = unordered.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
        let skipped = zip(rows[0].key.utf8, rows[rows.count - 1].key.utf8).prefix { $0 == $1 }.count
        func buffer(_ words: [Word]) -> UnsafeMutableBufferPointer<Word> {
            let buffer = UnsafeMutableBufferPointer<Word>.allocate(capacity: words.count)
            _ = buffer.initialize(from: words)
            return buffer
        }
        var levels = [buffer(rows.map { Word($0.key, skipping: skipped) })]
        while levels[levels.count - 1].count > Self.fanOut {
            let below = levels[levels.count - 1]
            levels.append(buffer(stride(from: 0, to: below.count, by: Self.fanOut).map { below[$0] }))
        }
        references = .allocate(capacity: rows.count)
        _ = references.initialize(from: rows.map { Unmanaged.passUnretained($0) })
        (self.rows, self.levels, self.skipped) = (rows, levels, skipped)
    }

    deinit {
        levels.forEach { $0.deallocate() }
        references.deallocate()
    }

    /// The row under a key that is there.
    @inline(never)
    func row(for key: String) -> Boxed {
        let word = Word(key, skipping: skipped)
        var index = 0
        for (height, level) in zip((0..<levels.count).reversed(), levels.reversed()) {
            let start = index * Self.fanOut
            let words = UnsafeRawPointer(level.baseAddress! + start)
            for line in 0..<8 { ch_prefetch(words + 64 * line) }
            if height == 0 {
                for line in 0..<4 { ch_prefetch(UnsafeRawPointer(references.baseAddress! + start) + 64 * line) }
            }
            var (low, length) = (start, min(Self.fanOut, level.count - start))
            while length > 1 {
                let half = length / 2
                if level[low + half] <= word { low += half }
                length -= half
            }
            index = low
        }
        // Words may be alike where keys are longer: the key decides.
        while key.utf8.count > skipped + 16, rows[index].key != key { index -= 1 }
        return references[index].takeUnretainedValue()
    }
}
