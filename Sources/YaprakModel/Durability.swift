/// When a commit counts as written: the promise behind the return of `write`.
///
///     var options = DatabaseOptions()
///     options.durability = .interval(.milliseconds(100))
///     let database = try await Database.open(at: "shop.yaprak", options: options, collections: .books)
///
/// Under every policy a crash leaves a prefix of the commits: never a hole, never a commit without those before it.
public enum Durability: Sendable, Hashable {
    /// A commit returns when the device has confirmed it. Nothing acknowledged is lost, not by a crash of the process,
    /// not by one of the operating system, not by a power cut. The default.
    case always
    /// A commit returns when the operating system has it; the device is asked to confirm at least once per interval.
    /// A crash of the process loses nothing; a power cut loses at most the last interval and the time of one sync.
    case interval(Duration)
    /// A commit returns when the operating system has it; the device confirms at checkpoints, when a segment is full,
    /// and on close. A crash of the process loses nothing; a power cut loses what came after the last of those.
    case none
}
