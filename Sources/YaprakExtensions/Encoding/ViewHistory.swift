import YaprakCore
import YaprakTrees

/// What a commit did to the positions of a view, as it stands in the log.
///
/// Rows of a group that are not named stay in their sequence: taking out those that are `removed`, then putting those that
/// are `inserted` at their positions, from the first to the last, gives the group.
struct ViewHistory: Codable {
    /// What happened in one group.
    struct Group: Codable {
        var name: String
        /// Every row was removed: none of them is named.
        var isEmptied: Bool?
        var removed: [String]?
        /// The collections of `removed`; left out if the view has one.
        var removedOf: [UInt8]?
        var inserted: [String]?
        /// The positions of `inserted` afterwards, ascending.
        var positions: [Int]?
        /// The collections of `inserted`; left out if the view has one.
        var insertedOf: [UInt8]?

        enum CodingKeys: String, CodingKey {
            case name = "n"
            case isEmptied = "e"
            case removed = "r"
            case removedOf = "rc"
            case inserted = "i"
            case positions = "p"
            case insertedOf = "ic"
        }
    }

    /// A row that was touched: marked as changed without being written.
    struct Touch: Codable {
        var key: String
        var collection: UInt8
        var kinds: UInt8

        enum CodingKeys: String, CodingKey {
            case key = "k"
            case collection = "c"
            case kinds = "b"
        }
    }

    /// The groups in which rows came, moved and went; ascending.
    var groups: [Group]?
    /// The whole view, in the order it has from here on. Groups are left out then.
    var whole: StoredGroups?
    /// Whether a row can be in several groups; left out if not.
    var several: Bool?
    var touched: [Touch]?

    enum CodingKeys: String, CodingKey {
        case groups = "g"
        case whole = "w"
        case several = "s"
        case touched = "t"
    }

    init() {}
}

extension ViewHistory {
    /// What led from one root to another; `nil` if positions are the same.
    ///
    /// - Complexity: O(changed rows · log *n*); O(*n*) if the sorting changed, and where nothing was known before.
    init?(from before: ViewRoot?, to after: ViewRoot) {
        guard let before, before.configuration.order === after.configuration.order,
            before.configuration.collectionNames == after.configuration.collectionNames
        else {
            whole = StoredGroups(after)
            touched = before.flatMap { Touch.all(from: $0, to: after) }
            return
        }
        var groups: [Group] = []
        var touched: [Touch] = []
        TreeRoot.difference(from: before.groups, to: after.groups) { step in
            let old: GroupRow?
            let new: GroupRow?
            switch step {
            case .removed(let row): (old, new) = (unsafeDowncast(row, to: GroupRow.self), nil)
            case .inserted(let row): (old, new) = (nil, unsafeDowncast(row, to: GroupRow.self))
            case .replaced(let x, let y):
                (old, new) = (unsafeDowncast(x, to: GroupRow.self), unsafeDowncast(y, to: GroupRow.self))
            }
            guard let name = (new ?? old)?.key else { return }
            let oldRows = old?.rows ?? TreeRoot()
            let newRows = new?.rows ?? TreeRoot()
            if newRows.isEmpty {
                if !oldRows.isEmpty { groups.append(Group(name: name, isEmptied: true)) }
                return
            }
            let difference = GroupDifference(
                from: oldRows, to: newRows, order: after.configuration.order, isSameOrder: true)
            for replaced in difference.replaced {
                let place = unsafeDowncast(newRows.row(at: replaced.new), to: Placement.self)
                if let touch = Touch(place, since: before) { touched.append(touch) }
            }
            touched += difference.inserted.compactMap { Touch($0.placement, since: before) }
            let isMixed = after.configuration.collectionNames.count > 1
            if let group = Group(name, difference, isMixed: isMixed) { groups.append(group) }
        }
        let isSeveral = !after.configuration.rowsHaveOnePlace
        if groups.isEmpty, touched.isEmpty, isSeveral == !before.configuration.rowsHaveOnePlace { return nil }
        self.groups = groups.isEmpty ? nil : groups
        self.touched = touched.isEmpty ? nil : touched
        several = isSeveral ? true : nil
    }
}

extension ViewHistory.Group {
    fileprivate init?(_ name: String, _ difference: GroupDifference, isMixed: Bool) {
        if difference.removed.isEmpty && difference.inserted.isEmpty { return nil }
        self.init(name: name)
        if !difference.removed.isEmpty {
            removed = difference.removed.map(\.row.key)
            if isMixed { removedOf = difference.removed.map { UInt8(clamping: $0.row.collection) } }
        }
        if !difference.inserted.isEmpty {
            inserted = difference.inserted.map(\.row.key)
            positions = difference.inserted.map(\.position)
            if isMixed { insertedOf = difference.inserted.map { UInt8(clamping: $0.row.collection) } }
        }
    }
}

extension ViewHistory.Touch {
    /// The touches of a row since it was in the same group of another root.
    fileprivate init?(_ placement: Placement, since before: ViewRoot) {
        let old = before.place(of: placement.row)?.touches(inGroup: placement.group) ?? Touches()
        if placement.touches == old { return nil }
        var kinds: ChangeKinds = []
        if placement.touches.object != old.object { kinds.insert(.objectTouched) }
        if placement.touches.metadata != old.metadata { kinds.insert(.metadataTouched) }
        self.init(key: placement.key, collection: UInt8(clamping: placement.collection), kinds: kinds.rawValue)
    }

    fileprivate static func all(from before: ViewRoot, to after: ViewRoot) -> [Self]? {
        guard before.configuration.collectionNames == after.configuration.collectionNames else { return nil }
        var touched: [Self] = []
        after.groups.forEach { group in
            unsafeDowncast(group, to: GroupRow.self).rows.forEach { row in
                if let touch = Self(unsafeDowncast(row, to: Placement.self), since: before) { touched.append(touch) }
            }
        }
        return touched.isEmpty ? nil : touched
    }
}
