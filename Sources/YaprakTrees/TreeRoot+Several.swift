extension TreeRoot {
    /// Calls `body` with the rows that have the keys of some other rows, `nil` where none has, and their places among these.
    /// All are unretained.
    ///
    /// Several go down at once: all nodes of a level are on their way before the first is searched. Where the tree is in no
    /// cache, that takes a part of the time of as many lookups. O(rows · log n), no reference counting.
    package func forEach(
        withKeysOf others: ArraySlice<Unmanaged<TreeRow>>, _ body: (Int, Unmanaged<TreeRow>?) throws -> Void
    ) rethrows {
        let (most, keyBytesMax) = (16, 64)
        try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: most * keyBytesMax) { bytes in
            var start = others.startIndex
            while start < others.endIndex {
                let end = min(start + most, others.endIndex)
                var probes: [KeyProbe] = []
                probes.reserveCapacity(end - start)
                for index in start..<end {
                    others[index].withKey { key in
                        guard key.count <= keyBytesMax else { return }
                        let room = UnsafeMutableBufferPointer(
                            rebasing: bytes[probes.count * keyBytesMax..<(probes.count + 1) * keyBytesMax])
                        _ = room.update(fromContentsOf: key)
                        probes.append(KeyProbe(UnsafeBufferPointer(rebasing: room[..<key.count])))
                    }
                    if probes.count == index - start { break }
                }
                if probes.isEmpty {
                    // A long key.
                    try body(start, others[start].withKey { lookup($0) })
                    start += 1
                    continue
                }
                try forEach(probes) { try body(start + $0, $1) }
                start += probes.count
            }
        }
    }

    private func forEach(_ probes: [KeyProbe], _ body: (Int, Unmanaged<TreeRow>?) throws -> Void) rethrows {
        guard let raw else {
            for index in probes.indices { try body(index, nil) }
            return
        }
        var nodes = [Node](repeating: Node(raw), count: probes.count)
        while !nodes[0].isLeaf {
            for index in probes.indices {
                let node = nodes[index]
                let child = node.children[node.child(for: probes[index])]
                child.fetch()
                nodes[index] = child
            }
        }
        for index in probes.indices {
            if let candidate = nodes[index].onlyCandidate(for: probes[index]) { nodes[index].rows[candidate].fetch() }
        }
        for index in probes.indices {
            let place = nodes[index].place(of: probes[index])
            try body(index, place.isFound ? nodes[index].rows[place.index] : nil)
        }
    }
}
