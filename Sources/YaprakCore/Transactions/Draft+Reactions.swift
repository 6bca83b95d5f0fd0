import YaprakModel

/// A registered reaction with its code.
final class ReactionRegistration: ReactionIdentity, @unchecked Sendable {
    let base: any Reaction
    /// The same, if it judges.
    let judging: (any JudgingReaction)?

    init(_ base: any Reaction) {
        self.base = base
        judging = base as? any JudgingReaction
        super.init(
            name: base.name, collectionNames: base.collectionNames, extensionNames: judging?.extensionNames ?? [])
    }

    func isConcerned(by segments: ArraySlice<DraftSegment>, _ batch: ChangeBatch) -> Bool {
        if !batch.isEmpty, isConcerned(by: batch) { return true }
        guard !extensionNames.isEmpty else { return false }
        return segments.contains { $0.stepped.contains { extensionNames.contains($0.name) } }
    }

    func isConcerned(by batch: ChangeBatch) -> Bool {
        guard let collectionNames, !batch.clearedAll else { return true }
        return batch.collections.contains { collectionNames.contains($0.binding.name) }
    }
}

extension Snapshot {
    /// The code of the reactions registered in this snapshot, in their order: those before the one that comes with extensions,
    /// and those after it. Not that one itself; all are after it if there is none.
    package var reactionCodes: (beforeExtensions: [any Reaction], others: [any Reaction]) {
        let all = state.reactions.all
        let place = all.firstIndex { $0.name.utf8.first == 0 } ?? 0
        func codes(_ part: some Sequence<ReactionIdentity>) -> [any Reaction] {
            part.filter { $0.name.utf8.first != 0 }.map { unsafeDowncast($0, to: ReactionRegistration.self).base }
        }
        return (codes(all[..<place]), codes(all[place...]))
    }
}

extension WriteTransaction {
    /// Lets the reactions run now, and never again in this transaction.
    ///
    /// - Parameter settle: is given the records after the reactions, and has the last word: if it writes, the reactions that this
    ///   concerns run, and it is called again. It is not called if no reaction is concerned.
    package mutating func runReactions(settle: (inout WriteTransaction, Snapshot) throws -> Void) throws {
        let draft = draft
        try withoutActuallyEscaping(settle) { try draft.runReactions(in: &self, settle: $0) }
        draft.runsReactions = false
    }
}

// Reactions: what runs between a transaction's closure and its end.
extension Draft {
    /// More rounds mean that reactions answer each other forever.
    private static let roundsMax = 100

    /// Lets the reactions run until nothing that changed concerns any of them.
    /// - Parameter settle: what is written after them. They see it once, and it is called again behind that.
    /// - Throws: what a reaction throws, `reactionsUnsettled`, and what extensions throw.
    func runReactions(
        in transaction: inout WriteTransaction, settle: ((inout WriteTransaction, Snapshot) throws -> Void)? = nil
    ) throws {
        guard runsReactions, failure == nil, mayConcernReactions else { return }
        // The elements are registrations, all of them: nothing else makes an identity.
        let all = reactions.all.map { unsafeDowncast($0, to: ReactionRegistration.self) }
        var round = Round(before: Snapshot(base), seen: 0)
        var number = 0, settled = 0
        while true {
            closeSegment()
            let due = due(all, in: round)
            if due.isEmpty {
                guard let settle, settled < 2 else { break }
                settled += 1
                let before = try currentSnapshot(), count = segments.count
                try settle(&transaction, before)
                closeSegment()
                _ = try currentSnapshot()
                // Once more for what follows from records that were settled. What is written into those then is settled, too.
                if segments.count == count || settled == 2 { break }
                round = Round(before: before, seen: count)
                continue
            }
            number += 1
            if number > Self.roundsMax { throw unsettled(round.written.filter { !$0.value.segments.isEmpty }.keys) }
            var present = try currentSnapshot()
            var next = Round(before: present, seen: segments.count)
            for (reaction, batch) in due {
                let count = segments.count
                let changes = NetChanges(batch: batch)
                if let judging = reaction.judging {
                    let run = round.written[reaction.name]?.run
                    try judging.react(to: changes, since: round.before, after: run, in: &transaction)
                } else {
                    try reaction.base.react(to: changes, since: round.before, in: &transaction)
                }
                // Extensions follow, so that no two segments wait for them.
                let after = try currentSnapshot()
                if reaction.judging != nil {
                    let run = ReactionRun(before: round.before, began: present, ended: after)
                    next.written[reaction.name] = (count..<segments.count, run)
                } else if segments.count > count {
                    next.written[reaction.name] = (count..<segments.count, nil)
                }
                present = after
            }
            round = next
        }
        try judge(all)
    }

    /// Whether anything so far could concern a reaction. Most writes end here: nothing is allocated.
    private var mayConcernReactions: Bool {
        if reactions.all.isEmpty { return false }
        if !segments.isEmpty || clearedAll { return true }
        if let only = recorders.onlySlot {
            return reactions.isConcerned(byCollectionNamed: directory.bindings[only].name)
        }
        return recorders.slots.contains { reactions.isConcerned(byCollectionNamed: directory.bindings[$0].name) }
    }

    /// What a round starts from.
    private struct Round {
        /// The database before the changes that it is about.
        var before: Snapshot
        /// The segments before these changes.
        var seen: Int
        /// Who wrote which of the segments since; those that judge, when that was, also if they wrote none.
        var written: [String: (segments: Range<Int>, run: ReactionRun?)] = [:]
    }

    /// The reactions that the changes concern, each with what it is given.
    private func due(
        _ all: [ReactionRegistration], in round: Round
    ) -> [(reaction: ReactionRegistration, batch: ChangeBatch)] {
        let new = segments[round.seen...]
        if new.isEmpty { return [] }
        let batch = netChanges(new)
        return all.compactMap { reaction in
            guard reaction.judging != nil else { return reaction.isConcerned(by: new, batch) ? (reaction, batch) : nil }
            let told = directory.hasAsides ? netChanges(new, forRules: true) : batch
            guard reaction.isConcerned(by: new, told) else { return nil }
            guard let own = round.written[reaction.name]?.segments else { return (reaction, told) }
            // It has followed up what it wrote itself.
            let others = segments[round.seen..<own.lowerBound] + segments[own.upperBound...]
            let rest = netChanges(others, forRules: true)
            return reaction.isConcerned(by: others, rest) ? (reaction, rest) : nil
        }
    }

    private func judge(_ all: [ReactionRegistration]) throws {
        guard all.contains(where: { $0.judging != nil }) else { return }
        let batch = netChanges(segments[...], forRules: true)
        for reaction in all where reaction.judging != nil && reaction.isConcerned(by: segments[...], batch) {
            try reaction.judging!.judge(
                NetChanges(batch: batch), from: Snapshot(base), to: try currentSnapshot())
        }
    }

    /// What some segments did, as reactions are given it: without what has no type.
    /// - Parameter forRules: as those are given it that judge. They have to know of records that were set aside and are gone.
    private func netChanges(_ segments: ArraySlice<DraftSegment>, forRules: Bool = false) -> ChangeBatch {
        let batch = ChangeBatch(sumOf: segments.map(\.batch)[...])
        let hasUntold = directory.hasAsides || batch.collections.contains { $0.binding is RawBinding }
        if !hasUntold { return batch }
        return forRules ? batch.forRules : batch.forExtensions
    }

    private func unsettled(_ busy: some Collection<String>) -> DatabaseError {
        let names = busy.sorted().map(\.debugDescription).joined(separator: ", ")
        return DatabaseError(
            .reactionsUnsettled,
            """
            reactions still wrote in round \(Self.roundsMax): \(names). Nothing of the write was kept. Let a reaction write only \
            if there is something to change.
            """)
    }

    /// Takes an extension in, and the reaction that it needs.
    func append(_ entry: ExtensionEntry) {
        extensions.append(entry)
        guard let code = entry.registration.code as? any ReactingExtension else { return }
        var all = reactions.all
        if let index = all.firstIndex(where: { $0.name == type(of: code).reactionName }) {
            let present = unsafeDowncast(all[index], to: ReactionRegistration.self).base
            all[index] = ReactionRegistration(code.reaction(joining: present))
        } else {
            all.append(ReactionRegistration(code.reaction(joining: nil)))
        }
        reactions = ReactionTable(all)
    }

    /// Takes an extension out, and what it needed.
    func removeExtension(at index: Int) -> ExtensionEntry {
        let entry = extensions.remove(at: index)
        var all = reactions.all
        if let code = entry.registration.code as? any ReactingExtension,
            let index = all.firstIndex(where: { $0.name == type(of: code).reactionName })
        {
            let present = unsafeDowncast(all[index], to: ReactionRegistration.self).base
            if let rest = code.reaction(leaving: present) {
                all[index] = ReactionRegistration(rest)
            } else {
                all.remove(at: index)
            }
            reactions = ReactionTable(all)
        }
        return entry
    }
}
