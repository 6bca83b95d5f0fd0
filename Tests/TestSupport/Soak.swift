import Foundation

/// How much of a random or exhaustive test runs: all of it in a soak (`Scripts/soak --suite`), a part in each run of the suite.
public enum Soak {
    /// Whether this is a soak.
    public static let isOn = ProcessInfo.processInfo.environment["YAPRAK_SOAK"] != nil

    /// The volume of this run.
    ///
    ///     for number in numbers(Soak.volume(40, soak: 200), seed: seed) { … }
    public static func volume(_ part: Int, soak all: Int) -> Int { isOn ? all : part }
}
