/// How far back commits stay reachable on disk.
///
/// Whatever is chosen, two checkpoints are kept once there are two, with every commit since the older one: a single
/// damaged file never costs data.
public enum Retention: Sendable, Hashable {
    /// The newest so many checkpoints and every commit after the oldest of them; at least two. The default is two.
    case checkpoints(Int)
    /// At least the newest so many commits.
    case commits(Int)
    /// At least the commits of the newest so much time.
    case age(Duration)
    /// Everything, for ever: the whole history can be travelled.
    case all
}
