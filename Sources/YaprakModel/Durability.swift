/// When a commit is durable, and when `write` returns.
///
///     var options = DatabaseOptions()
///     options.durability = .interval(.milliseconds(100))
///     let database = try await Database.open(at: "shop.yaprak", options: options, collections: .books)
///
/// Under every policy a crash leaves a prefix of the commits: no gap, and no commit without all commits before it.
public enum Durability: Sendable, Hashable {
    /// `write` returns when the device has confirmed the commit. No acknowledged commit is lost by a crash of the process, a
    /// crash of the operating system or a power cut. The default.
    case always
    /// `write` returns when the operating system has the commit. The log is synced at least once per interval. A crash of the
    /// process loses nothing; a power cut loses at most the last interval and the time of one sync.
    case interval(Duration)
    /// `write` returns when the operating system has the commit. The log is synced at checkpoints, when a segment is full, by
    /// `flush()` and on close. A crash of the process loses nothing; a power cut loses the commits since the last of these syncs.
    case relaxed
}
