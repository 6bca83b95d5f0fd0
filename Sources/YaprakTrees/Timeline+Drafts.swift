// One draft after another, until the timeline is closed.
extension Timeline {
    /// Starts a draft from the newest sealed version, or from what the timeline began with. There is one at a time, and one
    /// object for all of them.
    package func beginDraft() -> TreeDraft {
        locked {
            precondition(!isDraftOpen, "one draft at a time")
            precondition(!isClosedUnderLock, "the timeline is closed")
            let stamp = arena.nextStamp()
            if makeListIfMissing() { list!.base.pointee.traits.firstStamp = stamp }
            isDraftOpen = true
            isReclaimOwed = true
            let draft = self.draft ?? makeDraft()
            draft.spares.fill(from: &spares)
            draft.begin(stamp: stamp)
            return draft
        }
    }

    /// Makes the object for the drafts, or takes one that a closed timeline has left. Call with the lock held.
    private func makeDraft() -> TreeDraft {
        let draft: TreeDraft
        if let kept = arena.takeSpareDraft() {
            kept.move(to: self)
            draft = kept
        } else {
            draft = TreeDraft(timeline: self)
        }
        self.draft = draft
        return draft
    }

    /// Takes what a draft retired, and makes the state before that the next version of the list.
    /// - Parameters:
    ///   - slot: where the version will be.
    ///   - isEnd: whether the draft ends here.
    func seal(
        slot: VersionSlot, dead: inout DeadList, made: ArenaCounts, isEnd: Bool, _ label: VersionLabel?
    ) -> TreeVersion {
        slot.pointee.label = label
        let version = TreeVersion(timeline: self, slot: slot)
        let old = locked {
            bury(&dead, under: youngest)
            insert(slot, after: youngest)
            pinCount &+= 1
            count(made)
            guard isEnd else { return nil as TreeVersion? }
            isDraftOpen = false
            defer { newestVersion = version }
            return newestVersion
        }
        _ = consume old
        return version
    }

    /// Ends a draft that changed nothing since `version`.
    func endDraft(with version: TreeVersion, _ label: VersionLabel?) {
        let old = locked {
            isDraftOpen = false
            if let label { version.slot.pointee.label = label }
            defer { newestVersion = version }
            return newestVersion
        }
        _ = consume old
    }

    /// A draft adopted trees, which are younger than the base: how much that is, nobody has counted.
    func noteTakeover() {
        locked {
            ownCount = .max / 2
            list?.base.pointee.traits.firstStamp = 0
        }
    }

    /// Ends a draft that changed nothing and makes no version.
    func endUnchangedDraft() { locked { endDraftWithoutVersion() } }

    /// Ends a draft that makes no version. Call with the lock held.
    func endDraftWithoutVersion() { isDraftOpen = false }
    var isDraftInProgress: Bool { isDraftOpen }

    /// Ends the timeline: takes no more drafts and retires the newest state. Pinned snapshots stay valid.
    ///
    /// Calls `onGarbage` where something is left, whose receiver reclaims what is retired now. It is called later for what
    /// snapshots release.
    /// - Parameter roots: all trees of the newest version.
    package func close(roots: [TreeRoot]) { close { visit in for root in roots { visit(root) } } }

    /// The same for trees that are in no array.
    /// - Parameter visitRoots: passes all trees of the newest version on.
    package func close(_ visitRoots: ((TreeRoot) -> Void) -> Void) {
        var dead = DeadList()
        // A tree that no draft of this timeline has changed belongs to its origin: nothing of it is freed here.
        visitRoots { dead.append(subtreeOf: $0, bornAfter: baseStamp) }
        let (newest, unused, pin, others, isOwed) = locked {
            precondition(!isDraftOpen, "a timeline is closed between drafts")
            isClosedUnderLock = true
            // A fork that nobody wrote to has nothing but the version it began with.
            guard let base = list?.base else {
                assert(dead.isEmpty, "what is retired was made by a draft, and that has a list")
                return (nil as TreeVersion?, nil as TreeDraft?, origin.take(), otherOrigins.take(), false)
            }
            bury(&dead, under: youngest)
            // Otherwise the last version brings it into the queue as it goes.
            if base.pointee.next == nil { enqueue(base) }
            isReclaimOwed = released != nil || queue != nil
            let isUnused = isKnownUniquelyReferenced(&draft)
            let unused = draft.take()
            defer { newestVersion = nil }
            return (newestVersion, isUnused ? unused : nil, nil, nil, isReclaimOwed)
        }
        if let unused, unused.isSmall { arena.keep(unused) }
        // Outside the lock: that of another timeline is taken as its version goes.
        _ = consume pin
        _ = consume others
        _ = consume newest
        if isOwed { onGarbage(self) }
    }
}

extension DeadList {
    /// Retires a whole tree, unless its root existed when the timeline began. O(1).
    mutating func append(subtreeOf root: TreeRoot, bornAfter stamp: UInt64 = 0) {
        if let node = root.node, node.born > stamp { append(.subtree(node), birth: node.born) }
    }
}
