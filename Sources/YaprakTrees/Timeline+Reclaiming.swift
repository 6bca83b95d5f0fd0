extension Timeline {
    /// Frees a slice of what no live version needs.
    ///
    /// Safe from any thread. Nodes are freed and rows released outside the lock that readers and the writer take; rows,
    /// whose deinit is user code, outside all locks.
    /// - Parameter limit: the approximate number of versions, nodes and rows to handle.
    /// - Returns: whether more remains. Then it has to be called again.
    package func reclaim(limit: Int) -> Bool {
        var slice = ReclaimSlice(budget: limit)
        let remains = whileNobodyReclaims {
            let remains = run(&slice)
            // Here, so that who reclaims next and finds nothing more has the counts of all that was.
            arena.add(slice.report)
            return remains
        }
        slice.spares.free()
        while let row = slice.rows.pop() { row.release() }
        return remains
    }

    private func run(_ slice: inout ReclaimSlice) -> Bool {
        var slot: VersionSlot?
        var remains = false
        while true {
            // What is asked of the version is asked with the lock held: the writer puts the next one behind it meanwhile.
            let next = locked { () -> (chunk: DeadChunk, version: VersionTraits)? in
                if let slot { deposit(&slice, in: slot) }
                let next = slice.budget > 0 ? nextChunk(&slice) : nil
                slot = next?.slot
                if next == nil {
                    // Dropping a pin makes more to reclaim.
                    remains = slice.hasOwnPins || !settleDebt()
                    count(slice.freed)
                    spares.fill(from: &slice.spares)
                    slice.report = takeTally()
                }
                return next.map { ($0.chunk, $0.slot.pointee.traits) }
            }
            guard let next else { return remains }
            slice.settle(next.chunk, at: next.version)
        }
    }

    /// The next garbage to handle, and its version.
    private func nextChunk(_ slice: inout ReclaimSlice) -> (slot: VersionSlot, chunk: DeadChunk)? {
        while let slot = released {
            released = slot.pointee.nextReleased
            unlink(slot)
            slice.budget &-= 1
            if slice.budget <= 0 { return nil }
        }
        while let slot = queue {
            if let chunk = slot.pointee.unsettled.popFirst() { return (slot, chunk) }
            queue = slot.pointee.nextQueued
            slot.pointee.isQueued = false
            finish(slot, &slice)
        }
        return nil
    }

    /// Puts what `slot` keeps on its list, and what exceeds the budget back where it came from.
    private func deposit(_ slice: inout ReclaimSlice, in slot: VersionSlot) {
        slot.pointee.dead.absorb(&slice.kept)
        slot.pointee.unsettled.append(contentsOf: &slice.rest)
    }

    /// Removes a version from its list. The version before inherits what it may still need.
    private func unlink(_ slot: VersionSlot) {
        guard let previous = slot.pointee.previous else { preconditionFailure("a list begins with its base") }
        previous.pointee.unsettled.append(contentsOf: &slot.pointee.dead)
        previous.pointee.unsettled.append(contentsOf: &slot.pointee.unsettled)
        previous.pointee.next = slot.pointee.next
        slot.pointee.next?.pointee.previous = previous
        if youngest == slot { youngest = previous }
        if previous.pointee.isBase || !previous.pointee.unsettled.isEmpty { enqueue(previous) }
        slot.pointee.isUnlinked = true
        if !slot.pointee.isQueued { spares.keep(slot) }
    }

    /// A slot that has left the queue without unsettled garbage.
    private func finish(_ slot: VersionSlot, _ slice: inout ReclaimSlice) {
        if slot.pointee.isUnlinked { return spares.keep(slot) }
        guard slot.pointee.isBase, slot.pointee.next == nil else { return }
        if isBase(slot) {
            if isClosedUnderLock {
                slice.drop(pin: &slot.pointee.pin, isOwn: false)
                if let others = otherOrigins.take() { slice.drop(pins: others) }
            }
        } else {
            slice.drop(pin: &slot.pointee.pin, isOwn: true)
            slot.free()
        }
    }
}
