import YaprakCBOR
public import YaprakCore
public import YaprakExtensions
package import YaprakTrees

/// A view of what a query finds, in the groups and order of another view or its own. The query is part of the database.
///
///     let found = SearchResultsView("found", of: inbox, in: text)
///     try await database.register(found)               // after inbox and text
///
///     let byYear = SearchResultsView("byYear", in: text, groupedBy: { String($0.year) }, sortedBy: \.title)
///
///     try await database.write { transaction in
///         try transaction.setQuery(of: found, to: .words("spice harvest"))
///     }
///     for row in database.snapshot[found]["2026"] { print(row.object.title) }
///
/// Follows its parent, or the records, in the same commit: a row comes and goes as its text does. The query is set in a
/// write and logged like a record, so it is the same for every reader, in every fork, and after a launch. For a search that
/// belongs to one list, and needs no write, see ``ViewMappings/setSearch(_:in:order:)``.
///
/// - Complexity: as the parent's for each of its changes, and a look at the text of each record that changed. Setting a query
///   costs O(rows of the parent). With a grouping of its own it holds what is found and no more, and setting a query costs
///   O(*k* log *n*) for the *k* records found before and after. At a launch it is made again.
public struct SearchResultsView<Parent: OrderedView, Object: Codable & Sendable, Metadata: Codable & Sendable>:
    OrderedView
{
    /// What a row is read as: what it is in the parent.
    public typealias Element = Parent.Element
    /// What is logged.
    public typealias Operation = SearchStep

    /// The name under which it is registered.
    public let name: String
    /// The view whose rows are searched; with a grouping of its own the grouping, as a view that is not registered.
    public let parent: Parent
    /// What groups and sorts the records, if no parent does.
    private let own: SelectedRows<Element>?
    /// The index that is asked.
    public let index: FullTextIndex<Object, Metadata>
    /// Empty: what it shows is said by its query.
    public var versionTag: String { "" }

    /// A view of the rows of `parent` that a query finds: none until one is set.
    ///
    /// - Parameters:
    ///   - name: the name under which it is registered.
    ///   - parent: a view with rows of the index's collection. Rows of others are not found.
    ///   - index: a full-text index.
    public init(_ name: String, of parent: Parent, in index: FullTextIndex<Object, Metadata>) {
        self.name = name
        self.parent = parent
        self.index = index
        own = nil
    }

    /// The parent, if there is one, and the index.
    public var dependencies: [String] { own == nil ? [parent.name, index.name] : [index.name] }
    /// That of the index, if it has a grouping of its own. Otherwise none: it reads its parent and the index.
    public var collectionNames: [String]? { own == nil ? [] : [index.collection.name] }

    /// The query in a snapshot; one without any word until one is set.
    /// - Throws: `extensionNotRegistered` if the snapshot does not have the view.
    public func query(in snapshot: Snapshot) throws -> SearchQuery {
        Self.parsed(try snapshot.reader(of: self).state.root.configuration.versionTag)
    }

    /// What was written by ``SearchQuery/description``.
    private static func parsed(_ text: String) -> SearchQuery { (try? SearchQuery(logged: text)) ?? .all(of: []) }
}

extension SearchResultsView: ExplainableView {
    package func absence(of row: RowID, in snapshot: Snapshot) -> ViewExplanation.Answer {
        if let own {
            let query = Self.parsed(snapshot[self].state.root.configuration.versionTag)
            let isFound = (try? snapshot.reader(of: index))?.contains(row.key, matching: query) ?? false
            return .notGrouped(by: .init(viewName: name, reads: isFound ? own.groupingReads : "words"))
        }
        let answer = parent.answer(about: row, in: snapshot)
        guard case .placed = answer else { return answer }
        return .rejected(by: .init(viewName: name, reads: "words"), parentName: parent.name)
    }
}

/// A query that was set, as it is logged.
public struct SearchStep: Codable, Sendable, Hashable {
    /// The query in the query language.
    public let query: String
}

extension SearchResultsView: TreeBackedPrimaryExtension {
    package struct Seed: Sendable {}
    package func makeSeed() -> Seed { Seed() }
    package func gather(_ changes: NetChanges, into seed: inout Seed) {}
    package func trees(of root: ViewRoot) -> [TreeRoot] { root.trees }
    package func versionTag(of root: ViewRoot) -> String { versionTag }

    package func build(_ seed: Seed, in context: ExtensionContext) throws -> ViewRoot {
        try root(for: "", in: context)
    }

    /// The query. The rows follow from it.
    public func encode(_ root: ViewRoot) throws -> [UInt8]? {
        try CBOREncoder().encode(SearchStep(query: root.configuration.versionTag))
    }

    package func decode(_ bytes: [UInt8], in context: ExtensionContext) throws -> ViewRoot {
        try replay(bytes, tagged: versionTag, [], in: context).root
    }

    package func replay(
        _ bytes: [UInt8]?, tagged tag: String, _ steps: [SearchStep], in context: ExtensionContext
    ) throws -> (root: ViewRoot, operations: [SearchStep]) {
        let stored = try bytes.map { try CBORDecoder().decode(SearchStep.self, from: $0) }
        return (try root(for: (steps.last ?? stored)?.query ?? "", in: context), [])
    }

    private func root(for query: String, in context: ExtensionContext) throws -> ViewRoot {
        if let own {
            return own.root(
                of: try keys(query, in: context.after), in: context.after, tag: query, later: containing(query),
                draft: context.draft)
        }
        let parent = try context.after.reader(of: parent).state.root
        return FilteredRows.root(
            of: parent, tag: query, now: try finding(query, in: context.after, over: parent),
            later: matching(query, over: parent),
            draft: context.draft)
    }

    /// Follows what the parent, or a record, did.
    public func update(_ root: inout ViewRoot, for changes: NetChanges, in context: ExtensionContext) -> ViewChanges? {
        // A new root is built over the parent as it is now, and is up to date.
        guard !context.isRegistering else { return nil }
        if let own { return own.follow(changes, &root, draft: context.draft) }
        return FilteredRows.follow(context.changes(of: parent), &root, draft: context.draft)
    }

    /// Not called: steps need a draft.
    public func apply(_ operation: SearchStep, to root: inout ViewRoot) throws -> ViewChanges? {
        throw StoredFullText.SchemaMismatch()
    }

    package func apply(
        _ operation: SearchStep, to root: inout ViewRoot, in context: ExtensionContext
    ) throws -> ViewChanges? {
        if let own {
            return own.select(
                try keys(operation.query, in: context.before), in: context.before, from: &root, tag: operation.query,
                later: containing(operation.query), draft: context.draft)
        }
        let parent = try context.before.reader(of: parent).state.root
        return FilteredRows.refilter(
            &root, over: parent, tag: operation.query,
            now: try finding(operation.query, in: context.before, over: parent),
            later: matching(operation.query, over: parent), draft: context.draft)
    }

    /// Decides by the index about all rows at once.
    private func finding(
        _ query: String, in snapshot: Snapshot, over parent: ViewRoot
    ) throws -> FilteredRows.Rule {
        guard parent.configuration.rowsAreRecords else { return Self.nothing }
        let reader = try snapshot.reader(of: index)
        let found = try reader.documents(matching: Self.parsed(query)) { false }
        let collection = index.collection.name
        return { placement, name in
            guard name == collection, let number = reader.number(ofKey: placement.key) else {
                return false
            }
            return found.contains(number)
        }
    }

    /// Decides by the text of a row that changed.
    private func matching(_ query: String, over parent: ViewRoot) -> FilteredRows.Rule {
        guard parent.configuration.rowsAreRecords else { return Self.nothing }
        let (contains, collection) = (containing(query), index.collection.name)
        return { placement, name in name == collection && contains(placement.record) }
    }

    /// The rule of a view whose rows are no records, and may be under the name of the index's collection.
    private static var nothing: FilteredRows.Rule { { _, _ in false } }

    /// Decides by the text of a record.
    private func containing(_ query: String) -> SelectedRows<Element>.Rule {
        let (parsed, index) = (Self.parsed(query), index)
        return { record in
            let scan = SearchScan(parsed, columns: index.columnNames, tokenizer: index.tokenizer)
            return scan.matches(index.columnTexts(of: record))
        }
    }

    /// The keys of what a query finds, ascending.
    private func keys(_ query: String, in snapshot: Snapshot) throws -> [String] {
        try snapshot.reader(of: index).keys(matching: Self.parsed(query))
    }
}

extension SearchResultsView where Parent == AutoView<Record<Object, Metadata>> {
    /// A view of the records that a query finds, with any ``Grouping`` and ``Sorting``: none until a query is set.
    ///
    ///     SearchResultsView("byFolder", in: text, groupedBy: .byMetadata { $0?.folder }, sortedBy: .byObject { $0.date })
    ///
    /// Register it after the index. Both closures run for records that are found, when any part of them changes.
    /// - Parameters:
    ///   - name: the name under which it is registered.
    ///   - index: a full-text index.
    ///   - grouping: says which group a record belongs to.
    ///   - sorting: says in which order rows stand in their group.
    ///   - order: whether small or large values come first.
    public init<Value>(
        _ name: String, in index: FullTextIndex<Object, Metadata>, groupedBy grouping: Grouping<Object, Metadata>,
        sortedBy sorting: Sorting<Object, Metadata, Value>, order: ViewOrder = .ascending
    ) {
        self.name = name
        self.index = index
        parent = AutoView(name, of: index.collection, groupedBy: grouping, sortedBy: sorting, order: order)
        own = SelectedRows(parent)
    }

    /// A view of the records that a query finds, grouped and sorted by properties of the object: none until a query is set.
    ///
    ///     SearchResultsView("byYear", in: text, groupedBy: { String($0.year) }, sortedBy: \.title)
    ///
    /// Key paths or closures. A `nil` group leaves the record out.
    public init<Value: Comparable & Sendable>(
        _ name: String, in index: FullTextIndex<Object, Metadata>,
        groupedBy group: @escaping @Sendable (Object) -> String?, sortedBy value: @escaping @Sendable (Object) -> Value,
        order: ViewOrder = .ascending
    ) {
        self.init(name, in: index, groupedBy: .byObject(group), sortedBy: .byObject(value), order: order)
    }
}

extension WriteTransaction {
    /// Shows what another query finds, from now on.
    ///
    ///     try transaction.setQuery(of: found, to: .typing("dun me"))
    ///
    /// Only rows for which the answer differs come and go. Views derived from this one follow in the same commit. Setting the
    /// same query again does nothing.
    /// - Throws: ``SearchQueryError`` if the query is too long or too deep to be logged, or has too many words that may be
    ///   misspelt (``SearchQuery/byteCountMax``, ``SearchQuery/depthMax``, ``SearchQuery/fuzzyCountMax``);
    ///   `extensionNotRegistered`; `extensionFailed` if an extension can't follow what the transaction did.
    /// - Complexity: O(rows of the parent).
    public mutating func setQuery<Parent, Object, Metadata>(
        of view: SearchResultsView<Parent, Object, Metadata>, to query: SearchQuery
    ) throws {
        let text = query.description
        if try reader(of: view).state.root.configuration.versionTag == text { return }
        _ = try SearchQuery(parsing: text)
        try perform(SearchStep(query: text), on: view)
    }
}
