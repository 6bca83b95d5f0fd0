/// A derived extension that reports no changes, ever: an index.
///
/// A write calls `follow` in place of `update(_:for:in:)`, on the root where it is: copying it out and in again, and looking up
/// the type of the changes that are never reported, took one part in fifteen of a write with three indexes. Both must do
/// the same. The root is kept as what it is: its type is no protocol.
package protocol SilentExtension: DatabaseExtension where Changes == Never {
    /// Brings the root up to date, as `update(_:for:in:)` does.
    func follow(_ root: inout Root, _ changes: NetChanges, in context: ExtensionContext) throws
}
