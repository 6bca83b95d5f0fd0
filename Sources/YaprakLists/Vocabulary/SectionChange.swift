/// What happened to one section of a list.
///
///     switch change.kind {
///     case .delete(let section): table.deleteSections([section])
///     case .insert(let section): table.insertSections([section])
///     case .move(let source, let target): table.moveSection(source, toSection: target)
///     }
///
/// Deletes and sources of moves are numbered as before the change, inserts and targets as after it. A section that moves
/// takes its rows with it: changes among them are reported separately.
public struct SectionChange: Hashable, Sendable {
    /// What happened, and where.
    public enum Kind: Hashable, Sendable {
        /// It is not shown any more.
        case delete(Int)
        /// It was not shown before.
        case insert(Int)
        /// It is shown before or after sections that it was shown after or before.
        case move(from: Int, to: Int)
    }

    /// What happened, and where.
    public let kind: Kind
    /// The group, or the name of the consolidated section.
    public let group: String

    package init(kind: Kind, group: String) {
        self.kind = kind
        self.group = group
    }

    /// The number before the change; `nil` for an insert. O(1).
    public var source: Int? {
        switch kind {
        case .delete(let section), .move(let section, _): section
        case .insert: nil
        }
    }

    /// The number after the change; `nil` for a delete. O(1).
    public var target: Int? {
        switch kind {
        case .insert(let section), .move(_, let section): section
        case .delete: nil
        }
    }
}

extension SectionChange: CustomStringConvertible {
    /// `insert 1 (horror)`.
    public var description: String {
        switch kind {
        case .delete(let section): "delete \(section) (\(group))"
        case .insert(let section): "insert \(section) (\(group))"
        case .move(let source, let target): "move \(source) → \(target) (\(group))"
        }
    }
}
