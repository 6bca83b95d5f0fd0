/// What extending the range of a group did to the list.
///
///     let more = try sections.extend("chat", by: 50, at: .beginning, in: shown)
///     list.apply(more.changes)
///     showsEarlierButton = more.obstacle != .endOfGroup
///
/// ``obstacle`` says why fewer rows were added than were asked for.
public struct ListExtension: Hashable, Sendable {
    /// A reason to add fewer rows than were asked for.
    public enum Obstacle: Hashable, Sendable {
        /// All rows of the group on that side are shown.
        case endOfGroup
        /// The flexible range has its greatest length; the group has more rows on that side. Set a range with another
        /// `maxLength` to show them.
        case maxLength
        /// The group has no range: all of it is shown.
        case noRange
        /// The group is not in the list, or has no row, or not so many that its range begins. Its range is longer from now on.
        case notShown
    }

    /// The changes of the list.
    public let changes: ListChanges
    /// The number of rows that the list shows in addition.
    public let addedCount: Int
    /// Why it is not the number that was asked for; `nil` if it is.
    public let obstacle: Obstacle?
}
