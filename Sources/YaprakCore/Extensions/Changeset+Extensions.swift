extension Changeset {
    /// What the commit changed in an extension: one element for each time the extension caught up within the commit,
    /// which is once unless the transaction read it before it ended. Empty if it was not registered or had no changes.
    /// O(number of extensions that had changes).
    ///
    /// - Note: Also empty if the changeset was read back from the log (``isFromLog``), whatever the commit changed: as
    ///   ``Database/changesets()`` delivers it to a consumer that fell too far behind, and ``Database/changesets(after:)``.
    ///   ``ExtensionHost/changes(of:)`` never leaves changes out.
    public func changes<Extension: DatabaseExtension>(of extension: Extension) -> [Extension.Changes] {
        (contents.extensionChanges ?? [])
            .filter { $0.name == `extension`.name }
            .compactMap { $0.changes as? Extension.Changes }
    }
}
