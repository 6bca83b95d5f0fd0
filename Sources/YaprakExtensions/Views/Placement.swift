public import YaprakCore
public import YaprakTrees

/// A record's place in one group of a view: one box per (group, row), in the group's tree. Where it is the only one of its
/// record, which is nearly always, it stands in the tree of places as well.
///
/// Keeps what it was ordered by, so that a row is found where it was put, whatever a closure says later. Subclasses add
/// a sort key (``KeyedPlacement``) or a label (``LabelledPlacement``); a plain one is ordered by its record.
@usableFromInline
package class Placement: PlaceRow, @unchecked Sendable {
    // Written once, before the box is shared; that is the whole of the @unchecked.
    @usableFromInline package final let record: RecordBox
    /// The collection's number in the view.
    @usableFromInline package final let collection: Int
    /// The group's name, in NFC.
    package final let group: String
    package final let touches: Touches
    /// A number that orders as what the row is sorted by, as far as it goes; 0 if there is none. Kept here, so that
    /// nearly all comparisons need not know the type of a sort value.
    final let hint: UInt64

    init(_ record: RecordBox, collection: Int, group: String, touches: Touches, hint: UInt64 = 0) {
        self.record = record
        self.collection = collection
        self.group = group
        self.touches = touches
        self.hint = hint
        super.init(withKeyOf: record)
    }

    /// Another box, ordered by the same thing.
    func copy(record: RecordBox, group: String, touches: Touches) -> Placement {
        Placement(record, collection: collection, group: group, touches: touches, hint: hint)
    }

    override package final var placement: Placement { self }
    override package final var others: [Placement] { [] }

    /// Whether the object of an earlier placement is known to be equal, though it was made at another time. A record that was
    /// written has changed, whatever was written; only rows that a view makes itself are compared.
    func hasEqualObject(to before: Placement) -> Bool { false }

    /// What it is ordered by, as text; `nil` if by its record.
    var sortKeyDescription: String? { nil }

    package final var row: RowID { RowID(collection: collection, key: key) }

    /// Alike for placements of one row; seldom alike for those of others. Reads no byte of the key.
    package final var fingerprint: UInt64 { keyFingerprint &+ UInt64(truncatingIfNeeded: collection) }

    /// Whether both are placements of one row.
    package final func isOfSameRow(as other: Placement) -> Bool {
        fingerprint == other.fingerprint && collection == other.collection && key == other.key
    }

    /// An equal box for the tree of another view.
    final func copy() -> Placement { copy(record: record, group: group, touches: touches) }
}

/// When a row was touched (marked as changed without being written) last, since it came into its view: the last bits of the
/// draft's stamp; 0 if never.
///
/// A count would not do: a row that leaves its view and returns begins again, and may come to the count it had. No stamp is
/// given twice in a database and its forks.
package struct Touches: Sendable, Equatable {
    private(set) var object: UInt32 = 0
    private(set) var metadata: UInt32 = 0

    /// After a change of these kinds in a draft.
    func after(_ kinds: ChangeKinds, in draft: TreeDraft) -> Touches {
        let stamp = UInt32(truncatingIfNeeded: draft.stamp)
        return Touches(
            object: kinds.contains(.objectTouched) ? stamp : object,
            metadata: kinds.contains(.metadataTouched) ? stamp : metadata)
    }

    /// Whether a row that had others was touched in the draft of a stamp or later. Others alone say nothing: they may be those
    /// that its view's parent has of it.
    func areLater(than others: Touches, from stamp: UInt32) -> Bool {
        func isLater(_ own: UInt32, _ other: UInt32) -> Bool {
            own != other && own != 0 && Int32(bitPattern: own &- stamp) >= 0
        }
        return isLater(object, others.object) || isLater(metadata, others.metadata)
    }
}

/// The touches of rows removed from a manual view, and of rows that the parent of a filtered view took out: a row that is moved
/// is removed and inserted, which is no touch.
///
/// Only rows that could return with others are noted, and only so many of them: not those that were never touched, here or in
/// the parent.
struct DepartedTouches: Sendable {
    private static let countMax = 1024
    /// What a row had, what its parent had of it, and the last bits of the stamp of the draft in which it went.
    private var touches: [RowID: (own: Touches, parents: Touches, stamp: UInt32)] = [:]

    var isEmpty: Bool { touches.isEmpty }

    /// - Parameters:
    ///   - parents: what its parent has of it; none for a manual view.
    ///   - draft: the one in which it goes.
    mutating func note(_ place: PlaceRow, parents: Touches = Touches(), in draft: TreeDraft) {
        let own = place.placement.touches
        // Also where both are equal: the parent may put the row back with others.
        guard own != Touches() || parents != Touches() else { return }
        if touches.count == Self.countMax { touches = [:] }
        touches[place.placement.row] = (own, parents, UInt32(truncatingIfNeeded: draft.stamp))
    }

    /// The touches of a row that comes; `nil` if none are noted.
    /// - Parameter now: what its parent has of it. If the row was touched there since it went, what is noted is of no use. The
    ///   parent may also have others without a touch: none, or those of its own parent.
    mutating func take(_ row: RowID, now: Touches = Touches()) -> Touches? {
        if touches.isEmpty { return nil }
        guard let noted = touches.removeValue(forKey: row), !now.areLater(than: noted.parents, from: noted.stamp) else {
            return nil
        }
        return noted.own
    }
}

extension Placement {
    /// What changed of a shown row between an earlier placement of it and this one; empty if nothing.
    package final func kinds(since before: Placement) -> ChangeKinds {
        if before === self { return [] }
        var kinds: ChangeKinds = []
        if before.record !== record {
            if before.record.objectStamp != record.objectStamp, !hasEqualObject(to: before) {
                kinds.insert(.objectChanged)
            }
            if before.record.metadataStamp != record.metadataStamp { kinds.insert(.metadataChanged) }
        }
        if before.touches.object != touches.object { kinds.insert(.objectTouched) }
        if before.touches.metadata != touches.metadata { kinds.insert(.metadataTouched) }
        // Another box with the same stamps is the same record: a restore brought it back.
        return kinds
    }
}

/// Where a view has put a record: by the record's key, in the tree of its collection. A ``Placement``, or a list of them.
@usableFromInline
package class PlaceRow: KeyedRow, @unchecked Sendable {
    /// The place, or the first of several.
    package var placement: Placement { preconditionFailure("a place is a placement, or several of them") }
    /// Places in further groups, of views that put a row into several.
    package var others: [Placement] { preconditionFailure("a place is a placement, or several of them") }

    package final var all: [Placement] { [placement] + others }

    /// How often the row was touched, for its place in a group, or one that it moves to: a move is no touch.
    final func touches(inGroup name: String) -> Touches { (placement(inGroup: name) ?? placement).touches }

    /// The place in a group.
    package final func placement(inGroup name: String) -> Placement? {
        if placement.group == name { return placement }
        return others.first { $0.group == name }
    }
}

/// The places of a record in several groups; or in one, where its placement had come into the group's tree before.
///
/// `package`, because the optimizer (6.3.1) warns of a recursion in the initializer that an internal one does not inherit.
package final class SeveralPlaces: PlaceRow, @unchecked Sendable {
    // Written once, before the box is shared; that is the whole of the @unchecked.
    private let first: Placement
    private let rest: [Placement]

    init(_ first: Placement, _ rest: [Placement]) {
        self.first = first
        self.rest = rest
        super.init(withKeyOf: first)
    }

    override package var placement: Placement { first }
    override package var others: [Placement] { rest }
}

extension PlaceRow {
    /// What goes into the tree of places of a record that has been put, in this draft, at some placements.
    ///
    /// - Returns: the only placement, if this draft has put it into its group: both trees get a reference of their own, and
    ///   one birth counts for both. `nil` if there is none.
    static func row(for placements: [Placement], bornIn stamp: UInt64) -> PlaceRow? {
        guard let first = placements.first else { return nil }
        if placements.count == 1, first.birth == stamp { return first }
        return SeveralPlaces(first, Array(placements.dropFirst()))
    }
}

/// A group: its name, and the tree of its rows, which lives and dies with it.
package final class GroupRow: KeyedRow, @unchecked Sendable {
    // Written once, before the box is shared; that is the whole of the @unchecked.
    package let rows: TreeRoot

    init(name: String, rows: TreeRoot) {
        self.rows = rows
        super.init(key: name)
    }

    override package var nestedTree: TreeRoot? { rows }
}
