package import YaprakCore
package import YaprakExtensions

extension FollowedModel {
    /// Shows a list of the database, as ``adopt(_:id:make:follow:)``.
    ///
    /// The closures that the task keeps are made here, where there is no property wrapper that they could keep: it has this
    /// object, and the task would never end.
    package func show<View: OrderedView>(
        _ mappings: ViewMappings<View>, in database: Database?, id: AnyHashable?
    ) where Model == ListModel<View> {
        adopt(database, id: id, make: { try ListModel(mappings, in: $0) }, follow: { try await $0.follow() })
    }
}
