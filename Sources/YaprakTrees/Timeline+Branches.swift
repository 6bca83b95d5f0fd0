// Discarded versions: an aborted draft, sealed commits whose log write failed. What is newer than the remaining version
// becomes a list of its own, with that version as its base, and lives as long as one of its versions is pinned.

extension Timeline {
    /// Discards all versions after this one: they were sealed but never published. The next draft starts from it.
    ///
    /// A discarded version that is still pinned can be read until it is released.
    /// - Parameter roots: all trees of the newest version.
    package func abandon(after version: TreeVersion, roots: [TreeRoot]) {
        precondition(version.timeline === self, "a timeline abandons versions of its own")
        let old: TreeVersion? = locked {
            guard version.slot != newestVersion?.slot else { return nil }
            precondition(!isClosedUnderLock, "the timeline is closed")
            defer { newestVersion = version }
            return newestVersion
        }
        guard old != nil else { return }
        var dead = DeadList()
        for root in roots { dead.append(subtreeOf: root) }
        cut(after: version, dead: &dead, made: ArenaCounts(), endsDraft: false)
        _ = consume old
    }

    /// - Parameter dead: what was retired since the youngest version, and the newest roots.
    func cut(after version: TreeVersion, dead: inout DeadList, made: ArenaCounts, endsDraft: Bool) {
        let stays = version.slot
        whileNobodyReclaims {
            locked {
                if endsDraft { endDraftWithoutVersion() } else { precondition(!isDraftInProgress, "a draft is open") }
                count(made)
                let branch = VersionSlot.make(stamp: stays.pointee.stamp, isBase: true, pin: version)
                let last = youngest
                if let first = stays.pointee.next {
                    branch.pointee.next = first
                    first.pointee.previous = branch
                    stays.pointee.next = nil
                    youngest = stays
                    bury(&dead, under: last)
                } else {
                    bury(&dead, under: branch)
                }
                branch.pointee.unsettled.append(contentsOf: &stays.pointee.dead)
                branch.pointee.unsettled.append(contentsOf: &stays.pointee.unsettled)
                enqueue(branch)
            }
        }
    }
}
