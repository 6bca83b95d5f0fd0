extension Timeline {
    /// Frees a slice of what no live version needs.
    ///
    /// Safe from any thread. Nodes are freed and rows let go outside the lock that readers and the writer take;
    /// rows, whose deinit is somebody else's code, outside all locks.
    /// - Parameter limit: how many versions, nodes and rows to handle, about.
    /// - Returns: whether more remains. As long as it does, somebody has to call again.
    package func reclaim(limit: Int) -> Bool {
        var slice = ReclaimSlice(budget: limit)
        let remains = whileNobodyReclaims {
            swap(&slice.walk, &walk)
            let remains = run(&slice)
            swap(&slice.walk, &walk)
            return remains
        }
        arena.add(slice.freed)
        if slice.rows.isEmpty, slice.rows.capacity == 0 { return remains }
        for row in slice.rows { row.release() }
        slice.rows.removeAll(keepingCapacity: slice.rows.capacity <= 4096)
        locked { spareRows = slice.rows }
        return remains
    }

    private func run(_ slice: inout ReclaimSlice) -> Bool {
        var last: VersionSlot?
        while true {
            let chunk: DeadChunk? = locked {
                if slice.rows.isEmpty { swap(&slice.rows, &spareRows) }
                if let last { deposit(&slice, in: last) }
                last = nil
                while slice.budget > 0, let slot = released {
                    released = slot.pointee.nextReleased
                    slice.budget &-= 1
                    unlink(slot)
                }
                guard slice.budget > 0 else { return nil }
                while let slot = queue {
                    if let chunk = slot.pointee.unsettled.popFirst() {
                        last = slot
                        return chunk
                    }
                    queue = slot.pointee.nextQueued
                    slot.pointee.isQueued = false
                    finish(slot, &slice)
                }
                return nil
            }
            guard let chunk, let slot = last else { return slice.hasPins || locked { !settleDebt() } }
            slice.settle(chunk, stamp: slot.pointee.stamp, isBase: slot.pointee.isBase)
        }
    }

    /// Puts what `slot` keeps on its list, and what the slice had no time for back where it came from.
    private func deposit(_ slice: inout ReclaimSlice, in slot: VersionSlot) {
        slot.pointee.dead.append(contentsOf: &slice.kept)
        slot.pointee.unsettled.append(contentsOf: &slice.rest)
    }

    /// Takes a version out of its list; the one before inherits what it may still need.
    private func unlink(_ slot: VersionSlot) {
        guard let previous = slot.pointee.previous else { preconditionFailure("a version has one before it, or a base") }
        previous.pointee.unsettled.append(contentsOf: &slot.pointee.dead)
        previous.pointee.unsettled.append(contentsOf: &slot.pointee.unsettled)
        previous.pointee.next = slot.pointee.next
        slot.pointee.next?.pointee.previous = previous
        if youngest == slot { youngest = previous }
        if previous.pointee.isBase || !previous.pointee.unsettled.isEmpty { enqueue(previous) }
        slot.pointee.isUnlinked = true
        if !slot.pointee.isQueued { slot.free() }
    }

    /// A slot that has left the queue with nothing unsettled.
    private func finish(_ slot: VersionSlot, _ slice: inout ReclaimSlice) {
        if slot.pointee.isUnlinked { return slot.free() }
        guard slot.pointee.isBase, slot.pointee.next == nil else { return }
        if slot == base {
            if isClosed { slice.drop(pin: &slot.pointee.pin) }
        } else {
            slice.drop(pin: &slot.pointee.pin)
            slot.free()
        }
    }
}
