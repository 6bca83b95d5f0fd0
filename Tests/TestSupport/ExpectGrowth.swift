public import Testing

/// Runs `body` with `count` and with twice as many, and expects at most two and a half times the time; failing that, at most
/// eight times the time with four times as many.
///
///     try await expectGrowth("registering", 500) { count in
///         try await ProcessorClock().measure { … }
///     }
///
/// Measure processor time (``ProcessorClock``). By the best of some runs: others use the machine's caches, too, and what is
/// quadratic takes four times as long in the best of runs. The first pair of runs that is good enough is the last. Choose a
/// `count` that takes about a millisecond, or a hundred: of work that fits into a slice of the scheduler, and into the
/// cache, twice as much must fit as well.
nonisolated(nonsending) public func expectGrowth(
    _ what: String, _ count: Int, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (Int) async throws -> Duration
) async rethrows {
    var once = Duration.seconds(3600)
    var twice = Duration.seconds(3600)
    for _ in 0..<20 {
        once = min(once, try await body(count))
        twice = min(twice, try await body(2 * count))
        if twice < once * 2.5 { return }
    }
    // On a busy machine the best of small work is better than the best of larger: so twice as much again. What is quadratic
    // takes sixteen times as long; the bound is the geometric mean of that and four, for more work leaves the caches that
    // others use, too (linear work has taken seven times as long). What was measured before does not count: a thread of
    // somebody else who was in the database may have done the work.
    once = .seconds(3600)
    var fourTimes = Duration.seconds(3600)
    for _ in 0..<20 {
        once = min(once, try await body(count))
        fourTimes = min(fourTimes, try await body(4 * count))
        if fourTimes < once * 8 { return }
    }
    Issue.record(
        "\(what): \(count) took \(once), \(2 * count) took \(twice), \(4 * count) took \(fourTimes)",
        sourceLocation: sourceLocation)
}
