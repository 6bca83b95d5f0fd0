/// The place of a key in a node, or where it would be inserted.
struct NodePlace {
    /// The first entry that is not less.
    var index: Int
    /// Whether that entry is the key itself.
    var isFound: Bool

    @inline(__always)
    init(_ index: Int, _ isFound: Bool) {
        self.index = index
        self.isFound = isFound
    }
}

extension Node {
    /// The first entry whose word is not less than `word`.
    ///
    /// Compares every eighth word, then those in between: in each round the loads are independent of one another, unlike the
    /// steps of a binary search, and no branch depends on the data. A leaf is seldom in the cache.
    @inline(__always)
    func lowerBound(_ word: UInt64) -> Int {
        let words = self.words
        let n = count
        var low = 0
        var i = 7
        while i < n {
            low &+= words[i] < word ? 8 : 0
            i &+= 8
        }
        let end = min(low &+ 8, n)
        var result = low
        while low < end {
            result &+= words[low] < word ? 1 : 0
            low &+= 1
        }
        return result
    }

    @inline(__always)
    func place(of probe: KeyProbe) -> NodePlace {
        let skip = self.skip
        var word = probe.first
        if skip != 0 {
            let side = nearSide(of: probe)
            if side != 0 { return NodePlace(side < 0 ? 0 : count, false) }
            if skip > 16 { return placeBehindLongPrefix(of: probe) }
            word = KeyBytes.word(probe.bytes, at: skip)
        }
        let i = lowerBound(word)
        if i == count || words[i] != word { return NodePlace(i, false) }
        let row = rows[i]
        if probe.isSurelyKey(of: row, knowing: skip &+ 8) { return NodePlace(i, true) }
        let order = probe.compare(to: row)
        if order <= 0 { return NodePlace(i, order == 0) }
        return placeAmongTies(of: probe, word: word, after: i)
    }

    /// The header has the first sixteen bytes of the prefix. A key that is found proves the others: only for one that is not
    /// there is a row read that it is not found in.
    @inline(never)
    private func placeBehindLongPrefix(of probe: KeyProbe) -> NodePlace {
        let word = KeyBytes.word(probe.bytes, at: skip)
        let i = lowerBound(word)
        let order = i < count && words[i] == word ? probe.compare(to: rows[i]) : -1
        if order == 0 { return NodePlace(i, true) }
        let side = farSide(of: probe, comparedWith: 0)
        if side != 0 { return NodePlace(side < 0 ? 0 : count, false) }
        return order < 0 ? NodePlace(i, false) : placeAmongTies(of: probe, word: word, after: i)
    }

    /// The place of a key as far as words show it, without reading a row: of one that seems to be found, only its row shows
    /// whether it is. `nil` where words don't decide.
    @inline(__always)
    func placeByWords(of probe: KeyProbe) -> NodePlace? {
        let skip = self.skip
        let word = skip == 0 ? probe.first : KeyBytes.word(probe.bytes, at: skip)
        let i = lowerBound(word)
        // Where a prefix is skipped, the key may have another one.
        if i == count || words[i] != word { return skip == 0 ? NodePlace(i, false) : nil }
        return i &+ 1 == count || words[i &+ 1] != word ? NodePlace(i, true) : nil
    }

    /// The last entry that doesn't come after a key, or the first one, going by words and without reading a row: where words
    /// don't decide it may be another. Of several with the same word it is the last.
    @inline(__always)
    func probablePlace(of probe: KeyProbe) -> Int {
        let side = skip == 0 ? 0 : nearSide(of: probe)
        if side != 0 { return side < 0 ? 0 : count &- 1 }
        let word = skip == 0 ? probe.first : KeyBytes.word(probe.bytes, at: skip)
        var i = lowerBound(word)
        if i == count || words[i] != word { return max(0, i &- 1) }
        while i &+ 1 < count, words[i &+ 1] == word { i &+= 1 }
        return i
    }

    /// Several entries have the same word: compare their keys.
    @inline(never)
    private func placeAmongTies(of probe: KeyProbe, word: UInt64, after i: Int) -> NodePlace {
        let n = count
        var low = i + 1
        var high = low
        while high < n, words[high] == word { high += 1 }
        while low < high {
            let middle = (low + high) / 2
            let order = probe.compare(to: rows[middle])
            if order == 0 { return NodePlace(middle, true) }
            if order < 0 { high = middle } else { low = middle + 1 }
        }
        return NodePlace(low, false)
    }

    /// The child below which a key is or belongs.
    @inline(__always)
    func child(for probe: KeyProbe) -> Int {
        let place = self.place(of: probe)
        return place.isFound || place.index == 0 ? place.index : place.index &- 1
    }

    /// The first entry that comes after `row` by `order`; with `orEqual` the first that doesn't come before it.
    ///
    /// Any comparator, even an inconsistent one, gives an index from 0 through `count`.
    func place(of row: TreeRow, word: UInt64, order: RowOrder, orEqual: Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            let goesRight: Bool
            if words[middle] != word {
                goesRight = words[middle] < word
            } else {
                let result = rows[middle]._withUnsafeGuaranteedRef { order.compare($0, row) }
                goesRight = orEqual ? result < 0 : result <= 0
            }
            if goesRight { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
