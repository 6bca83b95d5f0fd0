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
        /// It passed other rows, or is in another group or section: where groups share a section, the paths may be equal. What
        /// else changed is in ``RowChange/aspects``.
        case move(from: ListPath, to: ListPath)
        /// It has to be redrawn. Among the rows of its section that stayed, it did not move; the numbers differ only
        /// where rows or sections before it came or went.
        case update(from: ListPath, to: ListPath)
    }

    /// What happened, and where.
    public let kind: Kind
    /// What has to be looked at again. Empty for deletes and inserts, and for rows that moved and did nothing else.
    public let aspects: RowAspects
    package let context: Context
    /// The key of the record.
    public let key: String

    /// What the changes of many rows have in common: one object for rows of one collection that come one after the other and
    /// stand in one group. A change counts one reference for all of it.
    package final class Context: Hashable, Sendable {
        let group: String
        let oldGroup: String
        let collection: Int
        let collectionName: String
        /// Whether the view puts a record in one group at most.
        let rowsHaveOnePlace: Bool

        /// - Parameter collection: its number in the view.
        package init(
            group: String, oldGroup: String, collection: Int, collectionName: String, rowsHaveOnePlace: Bool
        ) {
            self.group = group
            self.oldGroup = oldGroup
            self.collection = collection
            self.collectionName = collectionName
            self.rowsHaveOnePlace = rowsHaveOnePlace
        }

        package static func == (left: Context, right: Context) -> Bool {
            if left === right { return true }
            return left.collection == right.collection && left.group == right.group && left.oldGroup == right.oldGroup
                && left.collectionName == right.collectionName && left.rowsHaveOnePlace == right.rowsHaveOnePlace
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(group)
            hasher.combine(collection)
        }
    }

    /// Makes contexts for the changes of one list, which come one after the other: the same one as long as it fits.
    package struct Contexts {
        private var latest: Context?

        package init() {}

        /// - Parameter collection: its number in the view.
        package mutating func context(
            group: String, oldGroup: String, collection: Int, collectionName: String, rowsHaveOnePlace: Bool
        ) -> Context {
            if let latest, latest.collection == collection, latest.group == group, latest.oldGroup == oldGroup {
                return latest
            }
            let context = Context(
                group: group, oldGroup: oldGroup, collection: collection, collectionName: collectionName,
                rowsHaveOnePlace: rowsHaveOnePlace)
            latest = context
            return context
        }
    }

    @inline(__always)
    package init(kind: Kind, aspects: RowAspects, key: String, context: Context) {
        self.kind = kind
        self.aspects = aspects
        self.context = context
        self.key = key
    }

    /// The group it is in; for a delete, the group it was in. O(1).
    public var group: String { context.group }

    /// The group it was in; for an insert, the group it is in. O(1).
    public var oldGroup: String { context.oldGroup }

    /// The name of the collection of the record. O(1).
    public var collectionName: String { context.collectionName }

    package var row: RowID { RowID(collection: context.collection, key: key) }

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
