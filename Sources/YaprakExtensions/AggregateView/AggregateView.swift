public import YaprakCore
package import YaprakTrees

/// A view of the groups of another view: a row for each, made of its first and last record, its count, and sums.
///
///     let threads = AggregateView(
///         "threads", of: messagesByChat, sums: [{ $0.object.isRead ? 0 : 1 }],
///         row: { chat in
///             Thread(text: chat.last.object.text, date: chat.last.object.date, messages: chat.count,
///                 unread: Int(chat.totals[0]))
///         },
///         sortedBy: { $0.object.date }, order: .descending)
///     try await database.register(messagesByChat)
///     try await database.register(threads)
///
///     for thread in database.snapshot[threads]["all"] { print(thread.key, thread.object.text, thread.object.unread) }
///
/// A row's key is the name of the group that it stands for, its object what the closure made of it: nothing has to be kept
/// up to date in a record of its own. It follows its parent in the same commit, and a list shows it like any other view; a
/// row changes when what the closure returns is no longer equal to what it was.
///
/// The parent may be any view, a filtered one too, and may have many children. It must be registered first, and takes its
/// children with it when it is unregistered. Recomputed at each launch, by one walk over the parent.
///
/// - Complexity: a change of the parent's rows costs a call of each sum for each row, before and after, and one call of the
///   closures and O(log *n*) for each group. Resorting the parent, or removing all of its records, computes all rows again.
public struct AggregateView<Parent: OrderedView, Summary: Codable & Sendable & Equatable>: OrderedView {
    /// What a row is read as: a record that is in no collection, under the name of a group.
    public typealias Element = Record<Summary, NoMetadata>

    /// The name under which it is registered.
    public let name: String
    /// Says which code makes the rows; see ``DatabaseExtension/versionTag``.
    public let versionTag: String
    /// The view whose groups are summed up.
    public let parent: Parent
    private let sums: [@Sendable (Parent.Element) -> Int]
    private let summary: @Sendable (AggregatedGroup<Parent.Element>) -> Summary
    private let place: @Sendable (RecordBox, CollectionName, Touches, [Int128]) -> Placement
    private let configuration: ViewConfiguration

    /// A view of the groups of `parent`.
    ///
    /// - Parameters:
    ///   - name: unique among the extensions of a database.
    ///   - versionTag: says which code makes the rows.
    ///   - parent: the view whose groups are summed up.
    ///   - sums: what is added up over the rows of a group. Each must return the same for the same record.
    ///   - summary: makes a row of a group.
    ///   - group: in which of its own groups a row stands; "all" unless it says otherwise.
    ///   - value: what rows of a group are sorted by; rows with equal values stand in the order of their keys.
    ///   - order: whether small or large values come first.
    public init<Value: Comparable & Sendable>(
        _ name: String, versionTag: String = "", of parent: Parent,
        sums: [@Sendable (_ row: Parent.Element) -> Int] = [],
        row summary: @escaping @Sendable (_ group: AggregatedGroup<Parent.Element>) -> Summary,
        groupedBy group: @escaping @Sendable (_ row: Record<Summary, NoMetadata>) -> String = { _ in "all" },
        sortedBy value: @escaping @Sendable (_ row: Record<Summary, NoMetadata>) -> Value,
        order: ViewOrder = .ascending
    ) {
        self.name = name
        self.versionTag = versionTag
        self.parent = parent
        self.sums = sums
        self.summary = summary
        let kind = SortValueKind<Value>()
        place = { box, collection, touches, totals in
            let row = Element(box: box, in: collection)
            let key = kind.prepare(value(row))
            return AggregatePlacement<_, Summary>(
                box, group: group(row).normalizedKey, touches: touches, sortKey: key, hint: kind.hint?(key) ?? 0,
                totals: totals)
        }
        configuration = AggregateConfiguration<Summary>(
            versionTag: versionTag, of: [CollectionTypes(RecordCollection<Summary, NoMetadata>(name))],
            order: KeyedOrder(kind, isDescending: order == .descending))
    }

    /// The parent.
    public var dependencies: [String] { [parent.name] }
    /// None: it reads its parent alone.
    public var collectionNames: [String]? { [] }

    /// Makes the rows of the groups that have changed.
    public func update(
        _ root: inout ViewRoot, for changes: NetChanges, in context: ExtensionContext
    ) throws -> ViewChanges? {
        // A new root is built over the parent as it is now, and is up to date.
        guard !context.isRegistering else { return nil }
        let changes = context.changes(of: parent)
        if changes.isEmpty { return nil }
        let state = try context.after.reader(of: parent).state
        let editor = ViewEditor(root, draft: context.draft)
        if changes.contains(where: { $0.reordering != nil || !$0.clearedCollections.isEmpty }) {
            var names = Set(state.groupNames)
            root.places[0].forEach { names.insert($0.keyString) }
            for name in names.sorted() { setRow(of: name, in: state, totals(of: name, in: state), editor) }
        } else {
            for (name, differences) in differences(changes, state).sorted(by: { $0.key < $1.key }) {
                let before = editor.place(of: RowID(collection: 0, key: name))?.placement
                let totals = zip(before?.summed.totals ?? zeros, differences).map(+)
                setRow(of: name, in: state, totals, editor)
            }
        }
        return editor.finish(&root)
    }
}

// MARK: - Sums

extension AggregateView {
    private var zeros: [Int128] { Array(repeating: 0, count: sums.count) }

    private func values(_ placement: Placement, _ collections: [CollectionName]) -> [Int128] {
        let row = Parent.Element(ViewRecord(placement, collections))
        return sums.map { Int128($0(row)) }
    }

    /// By how much the sums of the groups differ that any of the changes concerns.
    private func differences(_ changes: [ViewChanges], _ state: ViewState) -> [String: [Int128]] {
        var found: [String: [Int128]] = [:]
        let collections = state.root.configuration.rowCollections
        func add(_ placement: Placement, _ sign: Int128) {
            if sums.isEmpty {
                found[placement.group] = []
                return
            }
            for (index, value) in values(placement, collections).enumerated() {
                found[placement.group, default: zeros][index] += sign * value
            }
        }
        for change in changes {
            for row in change.rows {
                for placement in row.before?.all ?? [] { add(placement, -1) }
                for placement in row.after?.all ?? [] { add(placement, 1) }
            }
        }
        return found
    }

    /// The sums of a group, from its rows.
    private func totals(of name: String, in state: ViewState) -> [Int128] {
        if sums.isEmpty { return [] }
        let collections = state.root.configuration.rowCollections
        var totals = zeros
        withExtendedLifetime(state.snapshot) {
            state.rows(ofGroup: name).forEach { row in
                for (index, value) in values(unsafeDowncast(row, to: Placement.self), collections).enumerated() {
                    totals[index] += value
                }
            }
        }
        return totals
    }
}

// MARK: - Rows

extension AggregateView {
    /// Brings the row of a group up to date.
    private func setRow(of name: String, in state: ViewState, _ totals: [Int128], _ editor: ViewEditor) {
        let row = RowID(collection: 0, key: name)
        let before = editor.place(of: row)
        if state.count(ofGroup: name) == 0 {
            if let before { editor.takeOut(row, before, kinds: .removed) }
            return
        }
        let summary = summary(AggregatedGroup(rows: ViewGroup(state, named: name), totals: totals))
        if let old = before?.placement, Element(box: old.record).object == summary {
            // Nothing that is shown has changed. The sums are kept beside the record.
            let summed = old.summed
            if summed.totals != totals { editor.put(row, from: before, to: summed.copy(totals: totals), kinds: []) }
            return
        }
        let placement = placement(
            of: summary, name, before?.placement.touches ?? Touches(), totals, stamp: editor.draft.stamp)
        editor.put(row, from: before, to: placement, kinds: before == nil ? .inserted : .objectChanged)
    }

    private func placement(
        of summary: Summary, _ name: String, _ touches: Touches, _ totals: [Int128], stamp: UInt64
    ) -> Placement {
        let box = TypedRecord<Summary, NoMetadata>.make(
            key: name, object: summary, metadata: nil, objectStamp: stamp, metadataStamp: 0)
        return place(box, configuration.rowCollections[0], touches, totals)
    }
}

extension AggregateView: TreeBackedExtension {
    /// Nothing is gathered from records.
    package struct Seed: Sendable {}

    package func makeSeed() -> Seed { Seed() }
    package func gather(_ changes: NetChanges, into seed: inout Seed) {}

    package func build(_ seed: Seed, in context: ExtensionContext) throws -> ViewRoot {
        let state = try context.after.reader(of: parent).state
        let rows = ViewSeed(collections: 1)
        for name in state.groupNames {
            let totals = totals(of: name, in: state)
            let summary = summary(AggregatedGroup(rows: ViewGroup(state, named: name), totals: totals))
            rows.add(placement(of: summary, name, Touches(), totals, stamp: context.draft.stamp))
        }
        return ViewRoot(rows, configuration, draft: context.draft)
    }

    package func decode(_ bytes: [UInt8], in context: ExtensionContext) throws -> ViewRoot {
        try build(Seed(), in: context)
    }
    package func trees(of root: ViewRoot) -> [TreeRoot] { root.trees }
    package func versionTag(of root: ViewRoot) -> String { root.configuration.versionTag }
}

extension AggregateView: ExplainableView {
    package func absence(of row: RowID, in snapshot: Snapshot) -> ViewExplanation.Answer {
        .noGroup(inViewNamed: parent.name)
    }
}
