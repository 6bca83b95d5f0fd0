#if canImport(SwiftUI)
    public import SwiftUI
    internal import YaprakCore
    public import YaprakExtensions

    /// The rows of a view of the database, live in a view of SwiftUI.
    ///
    ///     struct Inbox: SwiftUI.View {
    ///         @LiveList(ViewMappings(inbox)) private var sections
    ///
    ///         var body: some SwiftUI.View {
    ///             List {
    ///                 ForEach(sections) { section in
    ///                     Section(section.name) { ForEach(section, id: \.key) { Text($0.object.subject) } }
    ///                 }
    ///             }
    ///         }
    ///     }
    ///
    ///     Inbox().database(database)
    ///
    /// The database is that of the environment; without one there are no sections. All that is shown at a time belongs to
    /// one snapshot. SwiftUI is notified when something in the list differs, and not when something else does.
    ///
    /// The mappings are read once. Where they depend on properties of the view, `id` says on which: with another `id` the
    /// list begins again with the mappings as they are then.
    ///
    /// As in ``ListModel``, `id: \.key` is enough only where no section shows a key twice; else take ``ListItemID``.
    ///
    /// - Complexity: as ``ListModel/show(_:)`` for each commit.
    /// - Note: Type-checked against stubs of SwiftUI; not run on Apple's systems so far.
    @MainActor @propertyWrapper
    public struct LiveList<Ordered: OrderedView>: DynamicProperty {
        @Environment(\.database) private var database
        @State private var followed = FollowedModel<ListModel<Ordered>>()
        private let mappings: ViewMappings<Ordered>
        private let id: AnyHashable?

        /// The list of some mappings, which are read once.
        public init(_ mappings: ViewMappings<Ordered>) {
            self.mappings = mappings
            id = nil
        }

        /// The list of some mappings, which are read when `id` changes.
        public init(_ mappings: ViewMappings<Ordered>, id: some Hashable) {
            self.mappings = mappings
            self.id = AnyHashable(id)
        }

        /// What the list shows: nothing while the environment has no database, or the database has not had this view yet. Where
        /// it has it no more, the rows stay as they were.
        public var wrappedValue: [ListSection<Ordered>] { followed.model?.sections ?? [] }

        /// The list itself, such as in `$sections.model?.extend(…)` and `$sections.error`.
        public var projectedValue: LiveList<Ordered> { self }

        /// The model under the list.
        public var model: ListModel<Ordered>? { followed.model }

        /// Why the list shows nothing or is not kept up to date: ``DatabaseError`` with the code `extensionNotRegistered`
        /// while the database does not have the view. The list begins, or goes on with the same model, when it is registered.
        public var error: (any Error)? { followed.error }

        /// SwiftUI calls it before it asks for the body.
        nonisolated public mutating func update() {
            let list = self
            MainActor.assumeIsolated { list.adopt() }
        }

        private func adopt() { followed.show(mappings, in: database, id: id) }
    }
#endif
