import YaprakCore
import YaprakExtensions
import YaprakModel
import YaprakStorage

/// Finds out, by one walk through checkpoints and log, which views can be shown as of which commits. Builds none of them.
struct ViewSurvey {
    private struct Sight {
        var kind: ReplayView.Kind
        var versionTag: String
        /// Whether it can be shown as of the commit the walk is at.
        var isSeen = true
        var commits: [ClosedRange<CommitNumber>] = []
    }

    private var sights: [String: Sight] = [:]
    /// Whether the records of the commit the walk is at can be reached.
    private var isReached = false

    /// The views, in the order of their names.
    var views: [ReplayView] {
        sights.sorted { $0.key < $1.key }.map { name, sight in
            ReplayView(name: name, kind: sight.kind, versionTag: sight.versionTag, commits: sight.commits)
        }
    }

    /// Walks.
    /// - Throws: errors of reading the log. Checkpoints that can't be read are skipped.
    init(_ store: StoreReader) throws {
        var checkpoints = try store.checkpoints()[...]
        let oldest = try store.oldest()
        isReached = try store.logReachesBackToFirst()
        while let checkpoint = checkpoints.first, oldest.map({ checkpoint.number < $0 }) ?? true {
            // Nothing leads on from a checkpoint before the log, but from the one it begins behind.
            if !isReached || checkpoint.number > .zero { adopt(checkpoint, store) }
            note(checkpoint.number)
            if checkpoint.number.next() != oldest { lose() }
            checkpoints.removeFirst()
        }
        guard let oldest else { return }
        var commits = try store.commits(from: oldest, through: nil, skippingHoles: true)
        var expected = oldest
        while let stored = try commits.next() {
            if stored.number > expected {
                // A hole that a repair left: a checkpoint leads on.
                lose()
                while let checkpoint = checkpoints.first, checkpoint.number < stored.number {
                    adopt(checkpoint, store)
                    note(checkpoint.number)
                    if checkpoint.number.next() < stored.number { lose() }
                    checkpoints.removeFirst()
                }
            }
            expected = stored.number.next()
            follow(try LoggedCommit(stored.item[...]))
            while let checkpoint = checkpoints.first, checkpoint.number <= stored.number {
                if checkpoint.number == stored.number { adopt(checkpoint, store) }
                checkpoints.removeFirst()
            }
            note(stored.number)
        }
    }

    private mutating func adopt(_ checkpoint: StoreReader.Checkpoint, _ store: StoreReader) {
        guard let items = try? store.open(checkpoint)?.extensionItems() else { return }
        isReached = true
        for (name, item) in items where ViewFollower.isView(item) {
            see(name, item.isPrimary ? .manual : .automatic, item.versionTag)
        }
    }

    private mutating func see(_ name: String, _ kind: ReplayView.Kind, _ versionTag: String) {
        if sights[name] == nil { sights[name] = Sight(kind: kind, versionTag: versionTag) }
        sights[name]?.kind = kind
        sights[name]?.versionTag = versionTag
        sights[name]?.isSeen = true
    }

    private mutating func follow(_ commit: LoggedCommit) {
        for step in commit.steps {
            // One that the program computed under that name is gone.
            let sight = sights[step.name].flatMap { $0.kind == .manual ? $0 : nil }
            if sight?.isSeen != true, ViewFollower.isStep(step.step) {
                see(step.name, .manual, sight?.versionTag ?? "")
            }
        }
        var logged: Set<String> = []
        for history in commit.histories {
            let isSeen = sights[history.name]?.isSeen ?? false
            guard !history.isUnknown, isSeen || ViewFollower.isWhole(history) else { continue }
            logged.insert(history.name)
            see(history.name, .automatic, history.versionTag)
        }
        for (name, sight) in sights where sight.kind == .automatic && !logged.contains(name) {
            sights[name]?.isSeen = false
        }
    }

    private mutating func lose() {
        isReached = false
        for name in sights.keys { sights[name]?.isSeen = false }
    }

    /// The walk is at a commit.
    private mutating func note(_ number: CommitNumber) {
        guard isReached else { return }
        for (name, sight) in sights where sight.isSeen {
            if let last = sight.commits.last, last.upperBound >= number { continue }
            if let last = sight.commits.last, last.upperBound.next() == number {
                sights[name]?.commits[sight.commits.count - 1] = last.lowerBound...number
            } else {
                sights[name]?.commits.append(number...number)
            }
        }
    }
}
