// Containers that may outlive the call that made them.
extension EncodingState {
    /// The entries of a large map by their keys, for those who request containers under keys.
    final class EntryIndex {
        var entries: [[UInt8]: Int] = [:]
        /// Where the entries end that are in it.
        var end: Int
        var requestCount = 0
        init(end: Int) { self.end = end }
    }

    /// Maps with more entries get an index when they are asked for more containers than a few.
    private static let entriesWithoutIndex = 32
    private static let requestsWithoutIndex = 32

    /// What a container that can't write gives where it can't throw. What is written there is discarded, and the item
    /// reports the error.
    func discarded(under key: some CodingKey) -> ItemEncoder {
        if frame.fault != .tooDeep { frame.fault = .misuse }
        return inner(under: key, depth: frame.fault == .tooDeep ? CBORItem.depthMax : frame.depth + 1).encoder
    }

    /// An encoder of a container that may outlive the call. Its item belongs at the current end of the buffer.
    func branch(under key: some CodingKey) -> ItemEncoder {
        let encoder = inner(under: key, depth: frame.depth + 1).encoder
        branches.append(Branch(offset: writer.count, encoder: encoder, entry: entries.count - 1))
        return encoder
    }

    /// The encoder of the container that this map has already under the key of the entry that was just begun, which goes
    /// then; `nil` if the key is new.
    func continued(under key: some CodingKey) -> ItemEncoder? {
        guard entries.count - frame.entriesBase > 1, let earlier = earlierEntry() else { return nil }
        abandonEntry()
        let base = frame.branchesBase
        let index = base + firstIndex(branches.count - base) { branches[base + $0].entry >= earlier }
        // A value that was encoded can't be continued.
        guard index < branches.count, branches[index].entry == earlier else { return discarded(under: key) }
        return branches[index].encoder
    }

    /// The last entry of this map that has the key of the one that was just begun.
    @inline(never)
    private func earlierEntry() -> Int? {
        let base = frame.entriesBase, last = entries.count - 1, bytes = UnsafeRawPointer(writer.base)
        let entry = entries.base[last]
        func lookBack() -> Int? {
            (base..<last).last { entries.base[$0].prefix == entry.prefix && isSame(entries.base[$0], entry, bytes) }
        }
        if last - base <= EncodingState.entriesWithoutIndex { return lookBack() }
        func key(_ entry: Entry) -> [UInt8] {
            [UInt8](UnsafeRawBufferPointer(start: bytes + entry.key, count: entry.value - entry.key))
        }
        let index = indexes[frame.serial] ?? EntryIndex(end: base)
        indexes[frame.serial] = index
        index.requestCount += 1
        if index.requestCount <= EncodingState.requestsWithoutIndex { return lookBack() }
        // Entries that are followed by others stay.
        for position in index.end..<last { index.entries[key(entries.base[position])] = position }
        index.end = last
        return index.entries[key(entry)]
    }

    private func inner(under key: some CodingKey, depth: Int) -> EncodingState {
        let state = EncodingState(depth: depth, isOneOfMany: branches.count >= 16)
        state.codingPath = codingPath + [key]
        state.userInfo = userInfo
        state.depthMax = depthMax
        state.sortsSets = sortsSets
        state.level = level + 1
        state.isOnDeepStack = isOnDeepStack
        return state
    }

    /// Copies the items of the branches to their places.
    @inline(never)
    func mergeBranches(_ level: Int) -> Fault {
        let base = frame.branchesBase, start = frame.start
        let merged = Array(branches[base...])
        branches.removeLast(merged.count)
        if !indexes.isEmpty { indexes[frame.serial] = nil }
        for branch in merged {
            let fault = branch.state.finish(level)
            if fault != .none { return fault }
            // What is written to its containers from now on has no place any more: they throw.
            branch.state.frame = branch.state.newFrame(depth: branch.state.frame.depth)
            // A type may keep an encoder in what it was given there.
            branch.state.userInfo = [:]
        }
        writer.replace(from: start) { other in
            writer.withBytes { bytes in
                var from = start
                for branch in merged {
                    other.write(encoded: UnsafeRawBufferPointer(rebasing: bytes[from..<branch.offset]))
                    branch.state.writer.withBytes { other.write(encoded: $0) }
                    from = branch.offset
                }
                other.write(encoded: UnsafeRawBufferPointer(rebasing: bytes[from...]))
            }
        }
        // Entries after a branch moved; a key before its branch did not.
        var shift = 0, next = 0
        for index in frame.entriesBase..<entries.count {
            while next < merged.count, merged[next].offset <= entries.base[index].key {
                shift += merged[next].state.writer.count
                next += 1
            }
            entries.base[index].key += shift
            entries.base[index].value += shift
        }
        return .none
    }
}
