/// How much history stays on disk.
///
/// Under every policy the newest two checkpoints are kept once there are two, with every commit since the older one. A
/// single damaged file never costs data.
public enum Retention: Sendable, Hashable {
    /// This many of the newest checkpoints and every commit after the oldest of them; at least two. The default is two.
    case checkpoints(Int)
    /// At least this many of the newest commits.
    case commits(Int)
    /// At least the commits of this duration up to now.
    ///
    /// As the clock shows it when a checkpoint is made. One whose time is before that of an older one removes no others. One that
    /// was made while the clock was ahead keeps nothing for longer than the duration after the time that it showed. A clock
    /// that is ahead removes what is old by that clock.
    case age(Duration)
    /// The whole history.
    case all
}
