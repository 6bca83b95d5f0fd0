public import YaprakCore
import YaprakTrees

// Arranging a manual view. Each step is logged with the commit, and undone if the transaction is.
extension WriteTransaction {
    /// Puts a record at the end of a group of a manual view.
    ///
    ///     try transaction.append("imagine", to: "evening", in: playlists)
    ///
    /// - Returns: false, and nothing happens, if the record is anywhere in the view already, or is not in its collection.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    @discardableResult
    public mutating func append<Object, Metadata>(
        _ key: String, to group: String, in view: ManualView<Record<Object, Metadata>>
    ) throws -> Bool {
        try insert(key, nil, at: .max, group, view)
    }

    /// Puts a record into a group of a manual view, before what stands at `index` now; at the end if that lies beyond.
    ///
    /// - Returns: false, and nothing happens, if the record is anywhere in the view already, or is not in its collection.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    @discardableResult
    public mutating func insert<Object, Metadata>(
        _ key: String, at index: Int, of group: String, in view: ManualView<Record<Object, Metadata>>
    ) throws -> Bool {
        try insert(key, nil, at: index, group, view)
    }

    /// Puts a record of one of its collections at the end of a group of a manual view; see ``append(_:to:in:)``.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    /// - Precondition: `collection` is one of those of the view.
    @discardableResult
    public mutating func append<Object, Metadata>(
        _ key: String, of collection: RecordCollection<Object, Metadata>, to group: String,
        in view: ManualView<MixedRecord>
    ) throws -> Bool {
        try insert(key, collection.name, at: .max, group, view)
    }

    /// Puts a record of one of its collections into a group of a manual view; see ``insert(_:at:of:in:)``.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    /// - Precondition: `collection` is one of those of the view.
    @discardableResult
    public mutating func insert<Object, Metadata>(
        _ key: String, of collection: RecordCollection<Object, Metadata>, at index: Int, of group: String,
        in view: ManualView<MixedRecord>
    ) throws -> Bool {
        try insert(key, collection.name, at: index, group, view)
    }

    /// - Parameter collection: that of the record; the only one of the view if `nil`.
    private mutating func insert<Element>(
        _ key: String, _ collection: String?, at index: Int, _ group: String, _ view: ManualView<Element>
    ) throws -> Bool {
        let now = try snapshot()
        let state = try now.reader(of: view).state
        let types = state.root.configuration.collections
        guard let number = collection.map({ name in types.firstIndex { $0.name == name } }) ?? 0 else {
            preconditionFailure("view \"\(view.name)\" does not look at \"\(collection ?? "")\"")
        }
        let row = RowID(collection: number, key: key.normalizedKey)
        guard state.placements(of: row).isEmpty, now.box(forKey: row.key, in: types[number]) != nil else {
            return false
        }
        let name = group.normalizedKey
        let shown = min(max(0, index), state.count(ofGroup: group))
        let step = ManualStep.Action.insert(
            state.member(row), group: name, index: state.root.hidden.position(ofShown: shown, inGroup: name))
        try perform(ManualStep(step), on: view)
        return true
    }

    /// Takes a record out of a manual view, wherever in it it is. The record itself stays. In a view of several
    /// collections: those of all of them that have the key; see ``remove(_:of:from:)``.
    ///
    /// - Returns: false if the view did not have it. One that is set aside has a place, too, and loses it.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    @discardableResult
    public mutating func remove<Element>(_ key: String, from view: ManualView<Element>) throws -> Bool {
        let members = try members(key, in: view, orHidden: true)
        if members.isEmpty { return false }
        try perform(ManualStep(.remove(members)), on: view)
        return true
    }

    /// Takes a record of one of its collections out of a manual view; see ``remove(_:from:)``.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    @discardableResult
    public mutating func remove<Object, Metadata>(
        _ key: String, of collection: RecordCollection<Object, Metadata>, from view: ManualView<MixedRecord>
    ) throws -> Bool {
        let members = try members(key, in: view, orHidden: true)
        guard let member = members.first(where: { $0.collection == collection.name }) else { return false }
        try perform(ManualStep(.remove([member])), on: view)
        return true
    }

    /// The rows of a view under a key: one in each collection at most.
    /// - Parameter orHidden: those of records that are set aside, too.
    private mutating func members<Element>(
        _ key: String, in view: ManualView<Element>, orHidden: Bool = false
    ) throws -> [ManualStep.Member] {
        let state = try reader(of: view).state
        let hidden = orHidden ? state.root.hidden : HiddenRows()
        return state.root.places.indices
            .map { RowID(collection: $0, key: key.normalizedKey) }
            .filter { !state.placements(of: $0).isEmpty || hidden.contains($0) }
            .map(state.member)
    }

    /// Takes the row at `index` out of a group of a manual view. The record itself stays.
    ///
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    /// - Precondition: there is a row at `index`.
    public mutating func removeRow<Element>(at index: Int, of group: String, from view: ManualView<Element>) throws {
        let state = try reader(of: view).state
        precondition(
            index >= 0 && index < state.count(ofGroup: group), "group \"\(group)\" has no row at position \(index)")
        try perform(ManualStep(.remove([state.member(state.rowID(inGroup: group, at: index))])), on: view)
    }

    /// Takes all rows out of a group of a manual view. The records themselves stay.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    public mutating func removeAll(of group: String, from view: ManualView<some ViewRow>) throws {
        let reader = try reader(of: view)
        let hidden = reader.state.root.hidden
        guard reader.contains(group: group) || hidden.contains(group: group.normalizedKey) else { return }
        try perform(ManualStep(.removeGroup(group.normalizedKey)), on: view)
    }

    /// Moves a row of a manual view to another place in the same or another group. In a view of several collections: that
    /// of the first of them that has the key; see ``move(_:of:to:of:in:)``.
    ///
    /// - Parameter index: where it stands afterwards; at the end if that lies beyond.
    /// - Returns: false if the view does not have the record.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    @discardableResult
    public mutating func move<Element>(
        _ key: String, to index: Int, of group: String, in view: ManualView<Element>
    ) throws -> Bool {
        guard let member = try members(key, in: view).first else { return false }
        return try move(member, to: index, group, view)
    }

    /// Moves the row of a record of one of its collections; see ``move(_:to:of:in:)``.
    /// - Throws: `extensionNotRegistered`, `extensionFailed` if an extension can't follow what the transaction did.
    @discardableResult
    public mutating func move<Object, Metadata>(
        _ key: String, of collection: RecordCollection<Object, Metadata>, to index: Int, of group: String,
        in view: ManualView<MixedRecord>
    ) throws -> Bool {
        guard let member = try members(key, in: view).first(where: { $0.collection == collection.name }) else {
            return false
        }
        return try move(member, to: index, group, view)
    }

    private mutating func move<Element>(
        _ member: ManualStep.Member, to index: Int, _ group: String, _ view: ManualView<Element>
    ) throws -> Bool {
        try perform(ManualStep(.remove([member])), on: view)
        return try insert(member.key, member.collection, at: index, group, view)
    }
}

extension ViewState {
    /// A row by the name of its collection: as the view is registered, which another handle of that name may know otherwise.
    fileprivate func member(_ row: RowID) -> ManualStep.Member {
        ManualStep.Member(collection: root.configuration.collectionNames[row.collection], key: row.key)
    }
}
