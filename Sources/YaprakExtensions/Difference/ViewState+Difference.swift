import YaprakCore
import YaprakTrees

extension ViewState {
    /// The names of the groups in which something differs, groups that came and went included; ascending.
    /// - Complexity: O(nodes of the trees of groups that the two don't share).
    package func namesOfDifferingGroups(from old: ViewState) -> [String] {
        var names: [String] = []
        withExtendedLifetime((snapshot, old.snapshot)) {
            _ = TreeRoot.difference(from: old.root.groups, to: root.groups) { step in
                switch step {
                case .removed(let row), .inserted(let row): names.append(row.keyString)
                case .replaced(let before, let after):
                    let (before, after) = (before.nestedTree, after.nestedTree)
                    if let before, let after, before.isIdentical(to: after) { return }
                    names.append((unsafeDowncast(step.row, to: GroupRow.self)).key)
                }
            }
        }
        return names
    }

    /// What leads from a group in an older or newer snapshot of the same view to this one's.
    /// - Complexity: O(d · log *n*) with d the rows that differ. O(*n* log *n*) if the sorting changed between the two.
    package func difference(from old: ViewState, ofGroup name: String) -> GroupDifference {
        withExtendedLifetime((snapshot, old.snapshot)) {
            let name = name.normalizedKey
            return GroupDifference(
                from: old.root.group(name)?.rows ?? TreeRoot(), to: root.group(name)?.rows ?? TreeRoot(),
                order: root.configuration.order, isSameOrder: hasSameOrder(as: old))
        }
    }
}

extension TreeDifference {
    fileprivate var row: TreeRow {
        switch self {
        case .removed(let row), .inserted(let row), .replaced(_, let row): row
        }
    }
}
