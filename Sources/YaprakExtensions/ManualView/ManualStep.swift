/// One thing done by hand to a ``ManualView``, as it stands in the log.
public struct ManualStep: Codable, Sendable {
    enum Action: Codable, Sendable {
        case insert(Member, group: String, index: Int)
        case remove([Member])
        case removeGroup(String)
    }

    /// A row by the names that last: of its collection, and its key.
    struct Member: Codable, Sendable, Hashable {
        var collection: String
        var key: String
    }

    let action: Action

    init(_ action: Action) { self.action = action }
}

/// Why a step can't be done.
struct RefusedStep: Error {
    enum Reason { case isThereAlready, noSuchRecord, noSuchCollection }
    let reason: Reason
}

/// A manual view as plain arrays of keys: what steps from the log are folded over.
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
            for member in members {
                guard let group = groupOf.removeValue(forKey: member) else { continue }
                groups[group]?.removeAll { $0 == member }
            }
        case .removeGroup(let group):
            for member in groups.removeValue(forKey: group) ?? [] { groupOf[member] = nil }
        }
    }
}
