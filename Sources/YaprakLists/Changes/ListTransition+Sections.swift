import YaprakExtensions

extension ListTransition {
    /// What happened to sections. A section is the same if it shows the same group; a section that shows all groups is
    /// another one than any that shows a single group.
    func sectionChanges() -> [SectionChange] {
        if case .touched(let groups) = groups { return sectionChanges(in: groups) }
        if before.isAscending, after.isAscending, !before.isConsolidated, !after.isConsolidated {
            return sectionChangesInOrder()
        }
        let olds = sections(of: before)
        let news = sections(of: after)
        if olds == news { return [] }
        let sources = Dictionary(uniqueKeysWithValues: olds.enumerated().map { ($1, $0) })
        let survivors = news.enumerated().compactMap { target, section in
            sources[section].map { (source: $0, target: target) }
        }
        let surviving = Set(survivors.map(\.source))
        let staying = Set(longestIncreasingRun(survivors.map(\.source)))
        var changes: [SectionChange] = []
        for (source, section) in olds.enumerated().reversed() where !surviving.contains(source) {
            changes.append(SectionChange(kind: .delete(source), group: section.name))
        }
        for (target, section) in news.enumerated() where sources[section] == nil {
            changes.append(SectionChange(kind: .insert(target), group: section.name))
        }
        for (index, survivor) in survivors.enumerated() where !staying.contains(index) {
            let kind = SectionChange.Kind.move(from: survivor.source, to: survivor.target)
            changes.append(SectionChange(kind: kind, group: news[survivor.target].name))
        }
        return changes
    }

    /// The same, where sections come and go and none moves.
    private func sectionChanges(in touched: [TouchedGroup]) -> [SectionChange] {
        var gone: [SectionChange] = []
        var come: [SectionChange] = []
        for group in touched {
            let (source, target) = (group.before?.section, group.after?.section)
            if let source, target == nil { gone.append(SectionChange(kind: .delete(source), group: group.name)) }
            if let target, source == nil { come.append(SectionChange(kind: .insert(target), group: group.name)) }
        }
        return gone.isEmpty ? come : gone.reversed() + come
    }

    /// The same, where sections ascend by the bytes of their names before and after.
    private func sectionChangesInOrder() -> [SectionChange] {
        let (olds, news) = (before.sectionNames, after.sectionNames)
        var (gone, come): ([SectionChange], [SectionChange]) = ([], [])
        var (source, target) = (0, 0)
        while source < olds.count || target < news.count {
            if source < olds.count, target < news.count, olds[source] == news[target] {
                source += 1
                target += 1
            } else if target == news.count
                || source < olds.count && olds[source].utf8.lexicographicallyPrecedes(news[target].utf8)
            {
                gone.append(SectionChange(kind: .delete(source), group: olds[source]))
                source += 1
            } else {
                come.append(SectionChange(kind: .insert(target), group: news[target]))
                target += 1
            }
        }
        return gone.isEmpty ? come : gone.reversed() + come
    }

    /// What makes a section the same section.
    private struct Identity: Hashable {
        let name: String
        let isConsolidated: Bool
    }

    private func sections(of layout: ListLayout) -> [Identity] {
        layout.sectionNames.map { Identity(name: $0, isConsolidated: layout.isConsolidated) }
    }

    /// Groups that share a section on both sides and are in another order there: as few as possible.
    func groupsReorderedWithinSection() -> Set<String> {
        guard before.isConsolidated && after.isConsolidated else { return [] }
        let shared = after.groups.compactMap { group in before.index(of: group.name).map { (group.name, $0) } }
        let staying = Set(longestIncreasingRun(shared.map(\.1)))
        return Set(shared.enumerated().filter { !staying.contains($0.offset) }.map { $0.element.0 })
    }
}
