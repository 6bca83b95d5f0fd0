/// A derived extension that reports no changes, ever: an index.
///
/// A write calls `follow` in place of `update(_:for:in:)`, which returns an optional of a type that only the extension knows:
/// looking that type up took one part in fifty of a write with three indexes. Both must do the same.
package protocol SilentExtension: DatabaseExtension where Changes == Never {
    /// Brings the root up to date, as `update(_:for:in:)` does.
    func follow(_ root: inout Root, _ changes: NetChanges, in context: ExtensionContext) throws
}
