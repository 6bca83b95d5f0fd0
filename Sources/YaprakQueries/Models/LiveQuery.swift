#if canImport(SwiftUI)
    public import SwiftUI
    internal import YaprakCore
    internal import YaprakLists

    /// The rows of a query, live in a view of SwiftUI.
    ///
    ///     struct Bestsellers: SwiftUI.View {
    ///         @LiveQuery(RecordQuery(.books, where: #Predicate { $0.salesRank < 100 }, sortedBy: RecordSort(\.title)))
    ///         private var books
    ///
    ///         var body: some SwiftUI.View { List(books, id: \.key) { Text($0.object.title) } }
    ///     }
    ///
    ///     Bestsellers().database(database)
    ///
    /// The database is that of the environment; without one there are no rows. All rows belong to one snapshot. SwiftUI is
    /// notified when a row differs, and not when anything else does.
    ///
    /// The query is read once. Where it depends on properties of the view, `id` says on which: with another `id` the rows
    /// are those of the query as it is then.
    ///
    /// - Precondition: the collection holds records of these types.
    /// - Complexity: as ``QueryModel``.
    /// - Note: Type-checked against stubs of SwiftUI; not run on Apple's systems so far.
    @MainActor @propertyWrapper
    public struct LiveQuery<Object: Codable & Sendable, Metadata: Codable & Sendable>: DynamicProperty {
        @Environment(\.database) private var database
        @State private var followed = FollowedModel<QueryModel<Object, Metadata>>()
        private let query: RecordQuery<Object, Metadata>
        private let id: AnyHashable?

        /// The rows of a query, which is read once.
        public init(_ query: RecordQuery<Object, Metadata>) {
            self.query = query
            id = nil
        }

        /// The rows of a query, which is read when `id` changes.
        public init(_ query: RecordQuery<Object, Metadata>, id: some Hashable) {
            self.query = query
            self.id = AnyHashable(id)
        }

        /// The rows: none if the environment has no database.
        public var wrappedValue: QueryRows<Object, Metadata> { followed.model?.rows ?? QueryRows(RowList()) }

        /// The query itself, such as in `$books.model?.changes`.
        public var projectedValue: LiveQuery<Object, Metadata> { self }

        /// The model under the rows.
        public var model: QueryModel<Object, Metadata>? { followed.model }

        /// SwiftUI calls it before it asks for the body.
        nonisolated public mutating func update() {
            let live = self
            MainActor.assumeIsolated { live.adopt() }
        }

        private func adopt() { followed.show(query, in: database, id: id) }
    }
#endif
