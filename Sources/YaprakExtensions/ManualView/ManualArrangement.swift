/// A manual view as plain arrays of keys, to which steps from the log are applied.
struct ManualArrangement {
    private(set) var groups: [String: [ManualStep.Member]] = [:]
    private var groupOf: [ManualStep.Member: String] = [:]

    init(_ stored: StoredGroups?) {
        for group in stored?.groups ?? [] {
            let members = group.keys.enumerated().map { index, key in
                ManualStep.Member(collection: stored!.collections[Int(group.of?[index] ?? 0)], key: key)
            }
            groups[group.name] = members
            for member in members { groupOf[member] = group.name }
        }
    }

    mutating func apply(_ step: ManualStep) {
        switch step.action {
        case .insert(let member, let group, let index):
            guard groupOf[member] == nil else { return }
            let count = groups[group, default: []].count
            groups[group, default: []].insert(member, at: min(max(0, index), count))
            groupOf[member] = group
        case .remove(let members):
            var gone: [String: Set<ManualStep.Member>] = [:]
            for member in members {
                if let group = groupOf.removeValue(forKey: member) { gone[group, default: []].insert(member) }
            }
            for (group, gone) in gone { groups[group]?.removeAll { gone.contains($0) } }
        case .removeGroup(let group):
            for member in groups.removeValue(forKey: group) ?? [] { groupOf[member] = nil }
        }
    }
}
