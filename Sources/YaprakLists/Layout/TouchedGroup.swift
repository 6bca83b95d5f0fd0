import YaprakExtensions

/// A group of a list in which something may differ between two moments, where all others are the same.
struct TouchedGroup {
    let name: String
    /// How many rows the view has in it now.
    let count: Int
    /// Where it was shown; `nil` if it was not in the list.
    let before: ListLayout.GroupPlace?
    /// Where it is shown; `nil` if it is not in the list.
    var after: ListLayout.GroupPlace?
    /// What changed in it, if it is in the list before and after.
    var difference: GroupDifference?

    /// How many rows changed: all, where it came or went.
    var rawChangeCount: Int { difference?.rawChangeCount ?? before?.group.count ?? count }
}

extension GroupDifference {
    /// How many rows changed: one that moved is removed and inserted, and counts once. O(*d*) in the size of the difference.
    var rawChangeCount: Int {
        inserted.count + replaced.count + removed.indices.count(where: { removed[$0].counterpart < 0 })
    }
}
