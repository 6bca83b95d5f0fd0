/// An extension that reports no changes, ever.
package protocol SilentExtension: DatabaseExtension where Changes == Never {
    /// As `update(_:for:in:)`.
    func follow(_ root: inout Root, _ changes: NetChanges, in context: ExtensionContext) throws
}
