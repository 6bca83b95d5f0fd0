public import YaprakCore
import YaprakTrees

/// A view of another view: the same groups, the same order, minus the rows that a closure rejects.
///
///     let unread = FilteredView("unread", of: inbox, where: .byMetadata { $0?.isRead == false })
///     try await database.register(inbox)
///     try await database.register(unread)
///
/// Follows its parent in the same commit; the parent does not know of it. The parent may be any view, a filtered one too,
/// and may have many children. It must be registered first, and takes its children with it when it is unregistered.
/// The closure runs for rows that are new in the parent and for those of which a part changed that it gets.
///
/// Recomputed at each launch, by one walk over the parent.
/// - Complexity: as the parent's, O(log *n*) for each of its changes.
public struct FilteredView<Parent: OrderedView>: OrderedView {
    /// What a row is read as: what it is in the parent.
    public typealias Element = Parent.Element

    /// The name under which it is registered.
    public let name: String
    /// Says which code filters; see ``DatabaseExtension/versionTag``.
    public let versionTag: String
    /// The view whose rows are filtered.
    public let parent: Parent
    let rule: FilterRule

    /// A view of the rows of `parent` that pass `filter`.
    ///
    /// - Parameters:
    ///   - name: the name under which it is registered.
    ///   - versionTag: says which code filters.
    ///   - parent: the view whose rows are filtered.
    ///   - filter: says which rows are kept.
    public init(_ name: String, versionTag: String = "", of parent: Parent, where filter: ViewFilter<Parent.Element>) {
        self.name = name
        self.versionTag = versionTag
        self.parent = parent
        rule = filter.rule
    }

    /// A view of the rows of `parent` whose object passes `isIncluded`.
    ///
    ///     FilteredView("bestsellers", of: salesRank) { $0.rank <= 100 }
    public init<Object, Metadata>(
        _ name: String, versionTag: String = "", of parent: Parent,
        where isIncluded: @escaping @Sendable (_ object: Object) -> Bool
    ) where Parent.Element == Record<Object, Metadata> {
        self.init(name, versionTag: versionTag, of: parent, where: .byObject(isIncluded))
    }

    /// The parent.
    public var dependencies: [String] { [parent.name] }
    /// None: it reads its parent alone.
    public var collectionNames: [String]? { [] }

    /// Follows what the parent did.
    public func update(_ root: inout ViewRoot, for changes: NetChanges, in context: ExtensionContext) -> ViewChanges? {
        // A new root is built over the parent as it is now, and is up to date.
        guard !context.isRegistering else { return nil }
        return FilteredRows.follow(context.changes(of: parent), &root, draft: context.draft)
    }
}

extension FilteredView: InPlaceExtension {
    package func follow(
        _ root: inout ViewRoot, _ changes: NetChanges, in context: ExtensionContext
    ) -> (any Sendable)? {
        update(&root, for: changes, in: context)
    }
}

extension FilterConfiguration {
    /// Applies what the parent did with a row, if the row passes the filter.
    func follow(_ change: ViewChanges.RowChange, in editor: ViewEditor, _ departed: inout DepartedTouches) {
        let own = editor.place(of: change.row)
        let kept =
            change.before == nil ? change.after.flatMap { departed.take(change.row, now: $0.placement.touches) } : nil
        let mustAsk = change.before == nil || rule.reads.concerns(change.kinds)
        var placements: [Placement] = []
        for placement in change.after?.all ?? [] {
            let isNewHere = rule.readsGroup && change.before?.placement(inGroup: placement.group) == nil
            let isIncluded: Bool
            if mustAsk || isNewHere {
                isIncluded = accepts(placement)
            } else {
                isIncluded = rule.readsGroup ? own?.placement(inGroup: placement.group) != nil : own != nil
            }
            guard isIncluded else { continue }
            // A row that comes has its touches from the parent; one that is here has had its own, wherever it moves. So has one
            // that the parent took out and puts back without a touch in between, as a manual view does that moves it.
            let touches =
                (own?.touches(inGroup: placement.group) ?? kept)?.after(change.kinds, in: editor.draft)
                ?? placement.touches
            placements.append(placement.copy(record: placement.record, group: placement.group, touches: touches))
        }
        if let own, placements.isEmpty {
            // The parent may put it back as it was: a manual view that moves it, or a view with another filter or query.
            if let before = change.before, change.after == nil, change.kinds.isEmpty {
                departed.note(own, parents: before.placement.touches, in: editor.draft)
            }
            editor.takeOut(change.row, own, kinds: change.kinds)
        } else if !placements.isEmpty {
            editor.put(change.row, from: own, to: placements, kinds: change.kinds)
        }
    }
}
