/// An extension of which more than its root decides whether it is stored: a text index must not spell out what the coder of
/// its collection hides.
package protocol SnapshotEncoding: DatabaseExtension {
    /// The bytes of `root`, which is part of `snapshot`, for a checkpoint, or `nil` if nothing should be stored.
    /// - Throws: anything; the checkpoint is then written without it.
    func encode(_ root: Root, in snapshot: Snapshot) throws -> [UInt8]?
}

extension Snapshot {
    /// Whether the records of a collection are encoded by a coder of the program's choice: encrypted, perhaps.
    package func hasOwnCoder(inCollectionNamed name: String) -> Bool {
        state.directory.slot(of: name).map { state.directory.bindings[$0].hasOwnCoder } ?? false
    }
}
