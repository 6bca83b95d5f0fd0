/// How many letters words differ from one by: letters that are missing, added, others, or swapped with their neighbour (the
/// optimal string alignment distance).
///
/// A row for each beginning of the other word has its distances to all beginnings of the one. Rows are kept for the next
/// word: the words of an index come in order, and most begin as the last one did.
final class EditDistance {
    private let word: [UInt32]
    private let distanceMax: Int
    /// Row `i` is for the first `i` letters.
    private var rows: [Int]
    private var letters: [UInt32] = []
    /// Where each letter ends, in bytes.
    private var ends: [Int] = []
    /// No word that begins with so many bytes of the last one is close enough.
    private var hopelessBytes = Int.max

    init(to word: [UInt8], atMost distance: Int) {
        self.word = String(decoding: word, as: UTF8.self).unicodeScalars.map(\.value)
        distanceMax = distance
        rows = Array(0...self.word.count)
    }

    /// The distance of a term, which is valid UTF-8, if it is not more than the greatest that is wanted.
    ///
    /// - Parameter shared: how many bytes it has in common with the last one.
    /// - Complexity: O(length of the word · letters that are not shared).
    func callAsFunction(_ term: UnsafeBufferPointer<UInt8>, shared: Int = 0) -> Int? {
        if shared >= hopelessBytes { return nil }
        hopelessBytes = .max
        while let end = ends.last, end > shared { removeLast() }
        var at = ends.last ?? 0
        while at < term.count {
            append(Self.decode(term, &at), endingAt: at)
            if isHopeless {
                hopelessBytes = at
                return nil
            }
        }
        let distance = rows[rows.count - 1]
        return distance <= distanceMax ? distance : nil
    }

    private var width: Int { word.count + 1 }

    private func removeLast() {
        ends.removeLast()
        letters.removeLast()
        rows.removeLast(width)
    }

    /// Whether no continuation can be close enough: neither the last row nor, by a swap, the one before has a way on.
    private var isHopeless: Bool {
        let last = rows.count - width
        guard rows[last...].allSatisfy({ $0 > distanceMax }) else { return false }
        return letters.count < 2 || rows[(last - width)..<last].allSatisfy { $0 + 1 > distanceMax }
    }

    private func append(_ letter: UInt32, endingAt end: Int) {
        let above = rows.count - width
        rows.append(rows[above] + 1)
        for index in word.indices {
            var best = min(
                rows[above + index + 1] + 1, rows[above + width + index] + 1,
                rows[above + index] + (word[index] == letter ? 0 : 1))
            if index > 0, let last = letters.last, word[index] == last, word[index - 1] == letter {
                best = min(best, rows[above - width + index - 1] + 1)
            }
            rows.append(best)
        }
        letters.append(letter)
        ends.append(end)
    }

    private static func decode(_ term: UnsafeBufferPointer<UInt8>, _ at: inout Int) -> UInt32 {
        let first = UInt32(term[at])
        let count = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        var scalar = count == 1 ? first : first & (0x7F >> UInt32(count))
        for offset in 1..<max(1, count) where at + offset < term.count {
            scalar = scalar << 6 | UInt32(term[at + offset] & 0x3F)
        }
        at = min(at + count, term.count)
        return scalar
    }
}
