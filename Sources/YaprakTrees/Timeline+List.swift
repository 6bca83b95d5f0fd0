// The list of versions, and what is counted. All is called with the lock held, but for `noteRelease`, which takes it.
extension Timeline {
    /// Counts what was made or freed.
    @inline(__always)
    func count(_ change: ArenaCounts) {
        tally.add(change)
        ownCount &+= change.nodes &+ change.rows
    }

    /// What was counted since the last time.
    func takeTally() -> ArenaCounts {
        defer { tally = ArenaCounts() }
        return tally
    }

    func insert(_ slot: VersionSlot, after previous: VersionSlot) {
        slot.pointee.previous = previous
        slot.pointee.next = previous.pointee.next
        previous.pointee.next?.pointee.previous = slot
        previous.pointee.next = slot
        if youngest == previous { youngest = slot }
    }

    /// Whether a list begins with this slot, and it is not one that was cut off.
    func isBase(_ slot: VersionSlot) -> Bool { slot == list?.base }

    /// Adds garbage that was retired while `slot` was the youngest version.
    func bury(_ dead: inout DeadList, under slot: VersionSlot) {
        while let chunk = dead.popFirst() {
            if chunk.header.pointee.youngest <= slot.pointee.stamp, !slot.pointee.isBase {
                slot.pointee.dead.append(chunk)
            } else {
                slot.pointee.unsettled.append(chunk)
                enqueue(slot)
            }
        }
    }

    func enqueue(_ slot: VersionSlot) {
        if slot.pointee.isQueued { return }
        slot.pointee.isQueued = true
        slot.pointee.nextQueued = queue
        queue = slot
    }

    /// Records that a pin was released.
    func noteRelease(of slot: VersionSlot) {
        let isOwed = locked {
            slot.pointee.isReleased = true
            pinCount &-= 1
            slot.pointee.nextReleased = released
            released = slot
            defer { isReclaimOwed = true }
            return isReclaimOwed
        }
        if !isOwed { onGarbage(self) }
    }

    /// Whether nothing is left to reclaim; then no call is owed.
    func settleDebt() -> Bool {
        let isDone = released == nil && queue == nil
        if isDone { isReclaimOwed = isDraftOpen }
        return isDone
    }
}
