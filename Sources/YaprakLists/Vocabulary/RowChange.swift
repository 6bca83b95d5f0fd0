package import YaprakExtensions

/// What happened to one row of a list.
///
///     switch change.kind {
///     case .delete(let path): gone.append(path)
///     case .insert(let path): new.append(path)
///     case .move(let source, let target): moved.append((source, target))
///     case .update(_, let path): redraw(path, because: change.aspects)
///     }
///
/// Deletes and sources of moves are paths before the change, inserts and targets of moves are paths after it, updates
/// have both. No path is a target twice, none a source twice.
public struct RowChange: Hashable, Sendable {
    /// What happened, and where.
    public enum Kind: Hashable, Sendable {
        /// It is not shown any more.
        case delete(ListPath)
        /// It was not shown before.
        case insert(ListPath)
        /// It passed other rows, or is in another section. What else changed is in ``RowChange/aspects``.
        case move(from: ListPath, to: ListPath)
        /// It has to be redrawn. Among the rows of its section that stayed, it did not move; the numbers differ only
        /// where rows or sections before it came or went.
        case update(from: ListPath, to: ListPath)
    }

    /// What happened, and where.
    public let kind: Kind
    /// What has to be looked at again. Empty for deletes and inserts, and for rows that moved and did nothing else.
    public let aspects: RowAspects
    /// The group it is in; for a delete, the group it was in.
    public let group: String
    /// The group it was in; for an insert, the group it is in.
    public let oldGroup: String
    /// The name of the collection of the record.
    public let collectionName: String
    package let row: RowID
    /// Whether the view puts a record in one group at most.
    let rowsHaveOnePlace: Bool

    package init(
        kind: Kind, aspects: RowAspects, group: String, oldGroup: String, collectionName: String, row: RowID,
        rowsHaveOnePlace: Bool
    ) {
        self.kind = kind
        self.aspects = aspects
        self.group = group
        self.oldGroup = oldGroup
        self.collectionName = collectionName
        self.row = row
        self.rowsHaveOnePlace = rowsHaveOnePlace
    }

    /// The key of the record. O(1).
    public var key: String { row.key }

    /// The path before the change; `nil` for an insert. O(1).
    public var source: ListPath? {
        switch kind {
        case .delete(let path), .move(let path, _), .update(let path, _): path
        case .insert: nil
        }
    }

    /// The path after the change; `nil` for a delete. O(1).
    public var target: ListPath? {
        switch kind {
        case .insert(let path), .move(_, let path), .update(_, let path): path
        case .delete: nil
        }
    }
}

extension RowChange: CustomStringConvertible {
    /// `move 0.3 → 1.0 (dune)`.
    public var description: String {
        switch kind {
        case .delete(let path): "delete \(path) (\(key))"
        case .insert(let path): "insert \(path) (\(key))"
        case .move(let source, let target): "move \(source) → \(target) (\(key))"
        case .update(let source, let target): "update \(source) → \(target) (\(key))"
        }
    }
}
