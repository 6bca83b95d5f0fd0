import ArgumentParser

/// How fast time passes in a replay: `1x`, `60x`, `0.5x`, or `max` for no waiting.
struct ReplaySpeed: ExpressibleByArgument, Equatable, CustomStringConvertible {
    /// Seconds of the log per second; `nil` for as fast as possible.
    let factor: Double?

    init?(argument: String) {
        if argument == "max" {
            factor = nil
            return
        }
        let number = argument.hasSuffix("x") ? argument.dropLast() : argument[...]
        guard let factor = Double(number), factor > 0, factor <= 1e9 else { return nil }
        self.factor = factor
    }

    /// This many times as fast, within what there is.
    func times(_ multiple: Double) -> ReplaySpeed {
        guard let factor else { return self }
        return ReplaySpeed(factor: min(1e9, max(1.0 / 1024, factor * multiple)))
    }

    private init(factor: Double) { self.factor = factor }

    var description: String {
        guard let factor else { return "max" }
        return factor == factor.rounded() ? "\(Int(factor))x" : "\(factor)x"
    }

    /// How long to wait between two commits of the log: zero if the clock was set back.
    func pause(from earlier: Int64, to later: Int64) -> Duration {
        guard let factor, later > earlier else { return .zero }
        let seconds = (Double(later) - Double(earlier)) / 1e9 / factor
        // At most some centuries, whatever the clocks were.
        return .seconds(min(seconds, 1e10))
    }
}
