/// An extension that can say of changes, without a look at its root, that they leave it as it is.
///
/// Then nothing of it is copied, and its part of the next snapshot is that of the snapshot before.
package protocol SelectiveExtension: DatabaseExtension {
    /// Whether it ever says so. O(1).
    var isSelective: Bool { get }
    /// Whether `update` would leave every root as it is. Asked only where nothing that it depends on changed.
    func isLeftAlone(by changes: NetChanges) -> Bool
}
