internal import ToolSupport

/// What a law does with a database: a list of steps that can be repeated, and made shorter.
struct LawScript: Sendable {
    /// One edit: the numbers that it draws, or the seed that they come from: the first time, and where they are too many.
    struct Edit: Sendable {
        var draws: [UInt64] = []
        var seed: UInt64?

        var choices: Choices { seed.map { Choices(seed: $0) } ?? Choices(replaying: draws) }
    }

    enum Step: Sendable {
        /// A transaction; reads the extension in the middle if asked to, so that it catches up in two parts.
        case commit([Edit], readsInside: Bool)
        /// A fork is edited. The database stays what it is.
        case fork([Edit])
        /// The database is closed and opened again; before that a checkpoint is written, and then some commits made.
        case reopen(checkpoint: Bool, [Edit])
        /// The extension is taken out, a commit made without it, and it is registered again.
        case register([Edit])
    }

    var steps: [Step] = []

    /// A random history.
    init(seed: UInt64, onlyCommits: Bool) {
        var random = SplitMix64(seed: seed)
        func edits(_ bound: Int) -> [Edit] { (0..<random.below(bound)).map { _ in Edit(seed: random.next()) } }
        for _ in 0..<(4 + random.below(12)) {
            switch onlyCommits ? 0 : random.below(10) {
            case 0..<6: steps.append(.commit(edits(6) + [Edit(seed: random.next())], readsInside: random.chance(30)))
            case 6: steps.append(.fork(edits(4)))
            case 7, 8: steps.append(.reopen(checkpoint: random.chance(70), edits(3)))
            default: steps.append(.register(edits(4)))
            }
        }
    }

    /// The number of edits.
    var editCount: Int { steps.reduce(0) { $0 + $1.edits.count } }
}

extension LawScript.Step {
    /// The edits of the step.
    var edits: [LawScript.Edit] {
        get {
            switch self {
            case .commit(let edits, _), .fork(let edits), .reopen(_, let edits), .register(let edits): edits
            }
        }
        set {
            switch self {
            case .commit(_, let readsInside): self = .commit(newValue, readsInside: readsInside)
            case .fork: self = .fork(newValue)
            case .reopen(let checkpoint, _): self = .reopen(checkpoint: checkpoint, newValue)
            case .register: self = .register(newValue)
            }
        }
    }
}
