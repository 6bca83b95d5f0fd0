package import YaprakCore
package import YaprakLists

extension FollowedModel {
    /// Shows the rows of a query of the database, as ``adopt(_:id:make:follow:)``. Its closures keep nothing but the query.
    package func show<Object, Metadata>(
        _ query: RecordQuery<Object, Metadata>, in database: Database?, id: AnyHashable?
    ) where Model == QueryModel<Object, Metadata> {
        adopt(database, id: id, make: { QueryModel(query, in: $0) }, follow: { await $0.follow() })
    }
}
