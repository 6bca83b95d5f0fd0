import ArgumentParser
import Yaprak

/// How much history is to be kept.
struct KeepRule: Sendable {
    let retention: Retention

    /// A rule from the command line, with a reason if it is none.
    static func argument(_ text: String) throws -> Self {
        guard let rule = Self(argument: text) else {
            throw ValidationError("Write commits=1000, age=30d (s, m, h, d, w) or checkpoints=3 (two at least)")
        }
        return rule
    }

    private init?(argument: String) {
        let parts = argument.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "commits":
            guard let count = Int(parts[1]), count > 0 else { return nil }
            retention = .commits(count)
        case "checkpoints":
            guard let count = Int(parts[1]), count > 1 else { return nil }
            retention = .checkpoints(count)
        case "age":
            let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
            guard let unit = parts[1].last.flatMap({ units[$0] }), let count = Int64(parts[1].dropLast()), count > 0
            else { return nil }
            let (seconds, isOver) = count.multipliedReportingOverflow(by: unit)
            guard !isOver else { return nil }
            retention = .age(.seconds(seconds))
        default: return nil
        }
    }
}
