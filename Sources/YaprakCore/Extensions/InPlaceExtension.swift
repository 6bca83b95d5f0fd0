/// A derived extension that is brought up to date without its types: an index, a view.
///
/// A write calls `follow` in place of `update(_:for:in:)`, on the root where it is, and gets the changes as what a changeset
/// keeps. Copying the root out and in again, and looking up the types of both, took one part in fifteen of a write with three
/// indexes. Both must do the same. The root is kept as what it is: its type is no protocol.
package protocol InPlaceExtension: DatabaseExtension {
    /// Brings the root up to date, as `update(_:for:in:)` does.
    ///
    /// - Returns: what that returns: `Changes`, or `nil`.
    func follow(_ root: inout Root, _ changes: NetChanges, in context: ExtensionContext) throws -> (any Sendable)?
}
