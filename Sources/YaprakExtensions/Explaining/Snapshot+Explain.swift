public import YaprakCore
import YaprakTrees

extension Snapshot {
    /// Says why a record is where it is in a view, or why it is not there.
    ///
    ///     print(snapshot.explain("abc", in: salesRank))
    ///     // "abc" is in group "sci-fi" at 3 of 120, sorted by 17, between "def" (15) and "ghi" (21), in view "salesRank".
    ///
    /// In a view of several collections: about the first of them that has the key; see ``explain(_:of:in:)``.
    /// - Precondition: the view is registered in this snapshot.
    /// - Complexity: O(log *n*).
    public func explain(_ key: String, in view: some OrderedView) -> ViewExplanation {
        let key = key.normalizedKey
        let configuration = self[view].state.root.configuration
        // Rows that are no records are in no collection, also if there is one of that name.
        let collection =
            configuration.rowsAreRecords
            ? configuration.collections.firstIndex { box(forKey: key, in: $0) != nil } ?? 0 : 0
        return ViewExplanation(
            viewName: view.name, key: key,
            answer: view.answer(about: RowID(collection: collection, key: key), in: self))
    }

    /// Says why a record of one collection is where it is in a view, or why it is not there.
    ///
    /// - Precondition: the view is registered in this snapshot.
    /// - Complexity: O(log *n*).
    public func explain<Object, Metadata>(
        _ key: String, of collection: RecordCollection<Object, Metadata>, in view: some OrderedView
    ) -> ViewExplanation {
        let key = key.normalizedKey
        let configuration = self[view].state.root.configuration
        // Rows that are no records are in no collection, also if there is one of that name.
        let names = configuration.rowsAreRecords ? configuration.collectionNames : []
        let answer: ViewExplanation.Answer =
            if let number = names.firstIndex(of: collection.name) {
                view.answer(about: RowID(collection: number, key: key), in: self)
            } else {
                .otherCollection(collection.name, collectionNames: names)
            }
        return ViewExplanation(viewName: view.name, key: key, answer: answer)
    }
}

/// A view that can explain why it does not have a row.
package protocol ExplainableView: OrderedView {
    /// Why there is no row for a record that there is. Asked of the view that is registered.
    func absence(of row: RowID, in snapshot: Snapshot) -> ViewExplanation.Answer
}

extension OrderedView {
    /// Where a row is, or why it is nowhere.
    package func answer(about row: RowID, in snapshot: Snapshot) -> ViewExplanation.Answer {
        let state = snapshot[self].state
        let names = state.root.configuration.collectionNames
        let places = state.placements(of: row).map { state.describe($0) }
        if !places.isEmpty { return .placed(places) }
        if state.root.configuration.rowsAreRecords,
            snapshot.box(forKey: row.key, in: state.root.configuration.collections[row.collection]) == nil
        {
            return .noRecord(collectionNames: names)
        }
        // The view that is registered knows why: another handle of that name may know another parent.
        let code = snapshot.extensionCodes.first { $0.name == name }
        return (code as? any ExplainableView)?.absence(of: row, in: snapshot) ?? .notPut(inViewNamed: name)
    }
}

extension AutoView: ExplainableView {
    package func absence(of row: RowID, in snapshot: Snapshot) -> ViewExplanation.Answer {
        let configuration = snapshot[self].state.root.configuration as! AutoConfiguration
        return .notGrouped(
            by: .init(viewName: name, reads: configuration.groupings[row.collection].reads.words(withGroup: false)))
    }
}

extension ManualView: ExplainableView {
    package func absence(of row: RowID, in snapshot: Snapshot) -> ViewExplanation.Answer { .notPut(inViewNamed: name) }
}

extension FilteredView: ExplainableView {
    package func absence(of row: RowID, in snapshot: Snapshot) -> ViewExplanation.Answer {
        let answer = parent.answer(about: row, in: snapshot)
        guard case .placed = answer else { return answer }
        let rule = (snapshot[self].state.root.configuration as! FilterConfiguration).rule
        return .rejected(
            by: .init(viewName: name, reads: rule.reads.words(withGroup: rule.readsGroup)), parentName: parent.name)
    }
}

extension ViewState {
    /// A placement and what stands beside it.
    package func describe(_ placement: Placement) -> ViewExplanation.Place {
        withExtendedLifetime(snapshot) {
            let rows = rows(ofGroup: placement.group)
            let index = root.index(of: placement) ?? 0
            func neighbour(_ position: Int) -> ViewExplanation.Neighbour? {
                guard position >= 0, position < rows.count else { return nil }
                let placement = unsafeDowncast(rows.row(at: position), to: Placement.self)
                return .init(key: placement.key, sortValue: placement.sortKeyDescription)
            }
            return .init(
                group: placement.group, index: index, count: rows.count, sortValue: placement.sortKeyDescription,
                previous: neighbour(index - 1), next: neighbour(index + 1))
        }
    }
}

extension Aspects {
    func words(withGroup: Bool) -> String {
        var words = [String]()
        if contains(.object) { words.append("object") }
        if contains(.metadata) { words.append("metadata") }
        if words.isEmpty { words.append("key") }
        if withGroup { words.append("group") }
        return words.joined(separator: " and ")
    }
}
