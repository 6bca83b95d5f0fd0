extension TreeRoot {
    /// A key on its way down.
    private struct Descent {
        let probe: KeyProbe
        var node: Node
    }

    /// Calls `body` with the rows that have the keys of some other rows, `nil` where none has, and their places among these.
    /// All are unretained.
    ///
    /// Several go down at once: all nodes of a level are on their way before the first is searched. Where the tree is in no
    /// cache, that takes a part of the time of as many lookups. O(rows · log n), no allocation, no reference counting.
    package func forEach(
        withKeysOf others: UnsafeBufferPointer<Unmanaged<TreeRow>>, _ body: (Int, Unmanaged<TreeRow>?) throws -> Void
    ) rethrows {
        guard let raw else {
            for index in others.indices { try body(index, nil) }
            return
        }
        let (most, keyBytesMax) = (16, 64)
        try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: most * keyBytesMax) { bytes in
            try withUnsafeTemporaryAllocation(of: Descent.self, capacity: most) { room in
                var start = 0
                while start < others.count {
                    var count = 0
                    while count < min(most, others.count - start) {
                        let isShort = others[start + count].withKey { key in
                            guard key.count <= keyBytesMax else { return false }
                            let copy = UnsafeMutableBufferPointer(
                                rebasing: bytes[count * keyBytesMax..<(count + 1) * keyBytesMax])
                            _ = copy.update(fromContentsOf: key)
                            let probe = KeyProbe(UnsafeBufferPointer(rebasing: copy[..<key.count]))
                            room.initializeElement(at: count, to: Descent(probe: probe, node: Node(raw)))
                            return true
                        }
                        guard isShort else { break }
                        count += 1
                    }
                    if count == 0 {
                        try body(start, others[start].withKey { lookup($0) })
                        start += 1
                        continue
                    }
                    try Self.forEach(UnsafeMutableBufferPointer(rebasing: room[..<count])) { try body(start + $0, $1) }
                    start += count
                }
            }
        }
    }

    /// - Parameter descents: one or more, all at the root.
    @inline(__always)
    private static func forEach(
        _ descents: UnsafeMutableBufferPointer<Descent>, _ body: (Int, Unmanaged<TreeRow>?) throws -> Void
    ) rethrows {
        while !descents[0].node.isLeaf {
            for index in descents.indices {
                let node = descents[index].node
                let child = node.children[node.child(for: descents[index].probe)]
                child.fetch()
                descents[index].node = child
            }
        }
        for descent in descents {
            if let place = descent.node.placeByWords(of: descent.probe), place.isFound {
                descent.node.rows[place.index].fetch()
            }
        }
        for index in descents.indices {
            let (probe, node) = (descents[index].probe, descents[index].node)
            let place = node.place(of: probe)
            try body(index, place.isFound ? node.rows[place.index] : nil)
        }
    }
}

extension TreeRoot {
    /// Fetches what will be read to find the last row that doesn't come after each of some keys, all at once.
    ///
    /// Goes by words, and reads rows only where several have the same one. So it may fetch a neighbour of the one that is looked
    /// for. O(keys · log n); no reference counting, and for a few keys no allocation.
    /// - Parameter body: gets those rows, to fetch what they refer to. All have been fetched before the first call.
    package func fetch(
        lastNotAfter keys: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>, _ body: (Unmanaged<TreeRow>) -> Void
    ) {
        guard let raw, !keys.isEmpty else { return }
        withUnsafeTemporaryAllocation(of: Descent.self, capacity: keys.count) { descents in
            for index in keys.indices {
                descents.initializeElement(at: index, to: Descent(probe: KeyProbe(keys[index]), node: Node(raw)))
            }
            while !descents[0].node.isLeaf {
                for index in descents.indices {
                    let node = descents[index].node
                    let child = node.children[node.probablePlace(of: descents[index].probe)]
                    child.fetch()
                    descents[index].node = child
                }
            }
            withUnsafeTemporaryAllocation(of: Int.self, capacity: keys.count) { places in
                for index in descents.indices {
                    let node = descents[index].node
                    let place = node.probablePlace(of: descents[index].probe)
                    places.initializeElement(at: index, to: place)
                    node.fetchRows(around: place)
                }
                for index in descents.indices {
                    let node = descents[index].node
                    var place = places[index]
                    if node.isTied(place) { place = node.child(for: descents[index].probe) }
                    body(node.rows[place])
                }
            }
        }
    }
}
