import YaprakCore
import YaprakModel

extension ReplayRevert {
    /// Which of the commits are reverted, and which of them only in part.
    struct Coverage: Sendable {
        /// The commits of which something is reverted, ascending.
        private(set) var reverted: [CommitNumber] = []
        /// Those of them that changed a record which is not what it was before them, even after the revert; ascending.
        private(set) var partly: [CommitNumber] = []
    }
}

extension ReplayRevert.Coverage {
    /// The coverage of changes that revert a choice of commits in a snapshot.
    /// - Complexity: O(1) steps for everything; of a choice, each change that was kept is looked at once.
    init(
        of logged: ReplayRevert.LoggedChanges, _ changes: [ReplayRevert.Change], in present: PresentRecords
    ) {
        if logged.choice.isEverything {
            let (first, last) = (logged.commits.lowerBound.rawValue, logged.commits.upperBound.rawValue)
            reverted = (first...last).map { CommitNumber($0) }
            return
        }
        // What a record is after the revert, and what it was before the first chosen change of it: what it is to become.
        var outcomes = Dictionary(
            uniqueKeysWithValues: changes.map { ([$0.collectionName, $0.key], $0.then?.hashValue) })
        var origins: [[String]: Int?] = [:]
        for step in logged.steps {
            var isWhole = true
            for change in step.changes {
                let record = [change.collectionName, change.key]
                let before = change.before
                if change.isChosen, origins[record] == nil { origins[record] = .some(before) }
                let now = outcomes[record] ?? present.now(change.key, in: change.collectionName)?.hashValue
                outcomes[record] = .some(now)
                // Back before this commit, or before an earlier one that is reverted with it.
                if now != before, origins[record] != .some(now) { isWhole = false }
            }
            reverted.append(step.number)
            if !isWhole { partly.append(step.number) }
        }
    }
}
