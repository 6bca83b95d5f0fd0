public import YaprakCore

extension Snapshot {
    /// The records of the collection called `name`, without the program's types; none if there is no such collection.
    ///
    ///     for name in snapshot.collectionNames {
    ///         for record in snapshot.untyped(name) { print(name, record.key, record.object) }
    ///     }
    ///
    /// Works whether a type is bound to the collection or not: records of a type are encoded as they are read. A value that
    /// has no encoding, which only a database without a file can hold, reads as `undefined`. Records that were set aside are
    /// not among those of a bound collection.
    /// - Complexity: O(1).
    public func untyped(_ name: String) -> UntypedRecords { UntypedRecords(rawCollection(name)) }
}
