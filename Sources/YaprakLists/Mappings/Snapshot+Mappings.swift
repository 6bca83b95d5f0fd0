public import YaprakCore
public import YaprakExtensions

extension Snapshot {
    /// The row that a list shows at a path; `nil` if there is none.
    ///
    ///     let book = snapshot.row(at: path, in: sections)?.object
    ///
    /// The mappings should have been updated to this snapshot. If they were not, the answer is the row at that place now.
    /// - Precondition: the view is registered in this snapshot.
    /// - Complexity: O(log *n*).
    public func row<View: OrderedView>(at path: ListPath, in mappings: ViewMappings<View>) -> View.Element? {
        guard let place = mappings.place(at: path) else { return nil }
        let group = self[mappings.view][place.group]
        return place.index < group.count ? group[place.index] : nil
    }

    /// The path at which a list shows the record under `key`; `nil` if it does not. The first one, if the view puts
    /// rows into several groups.
    ///
    ///     if let path = snapshot.path(forKey: "abc", in: sections) { list.scroll(to: path) }
    ///
    /// - Precondition: the view is registered in this snapshot.
    /// - Complexity: O(log *n*).
    public func path<View: OrderedView>(forKey key: String, in mappings: ViewMappings<View>) -> ListPath? {
        paths(forKey: key, in: mappings).first
    }

    /// The path at which a list shows the record under `key` of one of the view's collections. O(log *n*).
    public func path<View: OrderedView, Object, Metadata>(
        forKey key: String, of collection: RecordCollection<Object, Metadata>, in mappings: ViewMappings<View>
    ) -> ListPath? {
        self[mappings.view].places(of: key, in: collection).lazy.compactMap {
            mappings.path(forIndex: $0.index, inGroup: $0.group)
        }.first
    }

    /// All paths at which a list shows records under `key`, ascending. O(log *n*) each.
    public func paths<View: OrderedView>(forKey key: String, in mappings: ViewMappings<View>) -> [ListPath] {
        self[mappings.view].places(of: key).compactMap { mappings.path(forIndex: $0.index, inGroup: $0.group) }.sorted()
    }

    /// What a list shows, section by section. See ``ListSection``. O(*g* log *g*) in the number of groups.
    ///
    ///     for section in snapshot.sections(of: mappings) {
    ///         print(section.name)
    ///         for row in section { print("  ", row.key) }
    ///     }
    ///
    /// If the mappings have not been updated to this snapshot, it is the list as it is after that. It is empty where that is
    /// impossible: the snapshot does not have the index of the list's search.
    /// - Precondition: the view is registered in this snapshot.
    public func sections<View: OrderedView>(of mappings: ViewMappings<View>) -> [ListSection<View>] {
        // Those of another snapshot would show rows that this one does not have, or others.
        guard let mappings = try? mappings.fitted(to: mappings.state(in: self)) else { return [] }
        return (0..<mappings.numberOfSections).map { ListSection(mappings, number: $0, in: self) }
    }
}
