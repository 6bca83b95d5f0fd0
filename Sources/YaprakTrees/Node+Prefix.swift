// The words of a node. They leave out the bytes that all its keys share, so that "product/00001234" is found as fast as
// a random key. While the words at offset 0 distinguish the entries, nothing is left out and nothing needs checking.

extension Node {
    /// Computes the word of the entry at `i`, whose row was just set. `hint` is its word where a comparator orders.
    func settleWord(at i: Int, hint: UInt64) {
        if isOrdered {
            words[i] = hint
            return
        }
        if count == 1 { return refit() }
        let skip = self.skip
        let row = rows[i]
        let fits = skip == 0 || row.withKey { side(of: KeyProbe($0), comparedWith: i == 0 ? 1 : 0) == 0 }
        guard fits else { return refit() }
        let word = row.withKey { KeyBytes.word($0, at: skip) }
        words[i] = word
        if (i > 0 && words[i &- 1] == word) || (i &+ 1 < count && words[i &+ 1] == word) { tighten() }
    }

    /// Recomputes all words: from offset 0 if these distinguish the entries, otherwise after the common prefix.
    func refit() {
        if isOrdered { return }
        let n = count
        let common = n > 1 ? commonPrefix() : 0
        if common < 8 {
            fillWords(skip: 0)
            if common == 0 || !hasTies { return }
        }
        fillWords(skip: common)
    }

    /// Leaves out more bytes, if that distinguishes entries with equal words.
    func tightenIfTied() {
        if !isOrdered, hasTies { tighten() }
    }

    private func tighten() {
        let common = commonPrefix()
        if common > skip { fillWords(skip: common) }
    }

    private var hasTies: Bool {
        let words = self.words
        for i in 1..<max(1, count) where words[i] == words[i - 1] { return true }
        return false
    }

    /// The entries ascend, so all share what the first and the last share.
    private func commonPrefix() -> Int {
        let rows = self.rows
        return rows[0].withKey { first in rows[count - 1].withKey { KeyBytes.commonPrefix(first, $0) } }
    }

    private func fillWords(skip: Int) {
        self.skip = skip
        let rows = self.rows
        let words = self.words
        for i in 0..<count { words[i] = rows[i].withKey { KeyBytes.word($0, at: skip) } }
        let (first, second) = rows[0].withKey { (KeyBytes.word($0, at: 0), KeyBytes.word($0, at: 8)) }
        commonFirst = first & Node.mask(skip)
        commonSecond = second & Node.mask(skip - 8)
    }

    /// Keeps the first `bytes` bytes of a word.
    @inline(__always)
    static func mask(_ bytes: Int) -> UInt64 {
        if bytes >= 8 { return .max }
        if bytes <= 0 { return 0 }
        return ~(UInt64.max &>> UInt64(8 &* bytes))
    }

    /// The position of a key relative to all keys with the common prefix: -1 before, 1 after, 0 if it has the prefix.
    func side(of probe: KeyProbe, comparedWith witness: Int) -> Int {
        let side = nearSide(of: probe)
        return side == 0 && skip > 16 ? farSide(of: probe, comparedWith: witness) : side
    }

    /// The same, as far as the header has the prefix.
    @inline(__always)
    func nearSide(of probe: KeyProbe) -> Int {
        let skip = self.skip
        let first = probe.first & Node.mask(skip)
        if first != commonFirst { return first < commonFirst ? -1 : 1 }
        if skip > 8 {
            let second = probe.second & Node.mask(skip &- 8)
            if second != commonSecond { return second < commonSecond ? -1 : 1 }
            if skip > 16 { return 0 }
        }
        return probe.bytes.count < skip ? -1 : 0
    }

    /// The part of a prefix after its sixteenth byte is not in the header: it is read from a row.
    func farSide(of probe: KeyProbe, comparedWith witness: Int) -> Int {
        let skip = self.skip
        let shared = min(probe.bytes.count, skip)
        if shared > 16 {
            let order = rows[witness].withKey { key in
                KeyBytes.compare(
                    UnsafeRawPointer(probe.bytes.baseAddress.unsafelyUnwrapped) + 16,
                    UnsafeRawPointer(key.baseAddress.unsafelyUnwrapped) + 16, count: shared - 16)
            }
            if order != 0 { return order }
        }
        return probe.bytes.count < skip ? -1 : 0
    }
}
