/// A tree of one version that is safe to keep, copy and send: a root and a pin.
///
///     let books = FrozenTree(root, in: version)
///     for row in books[50..<100] { … }
package struct FrozenTree: Sendable {
    package let root: TreeRoot
    package let version: TreeVersion

    /// - Parameter root: a tree as it was when `version` was sealed or frozen.
    package init(_ root: TreeRoot, in version: TreeVersion) {
        self.root = root
        self.version = version
    }

    /// The row with this key. O(log n).
    package subscript(key: String) -> TreeRow? { root.lookup(key) }
}

extension FrozenTree: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { root.count }
    package subscript(position: Int) -> TreeRow { root.row(at: position) }

    /// Iterates leaf by leaf, instead of finding each row by its position.
    package struct Iterator: IteratorProtocol {
        private var cursor: TreeCursor
        private let version: TreeVersion

        init(_ tree: FrozenTree) {
            cursor = TreeCursor(tree.root, at: 0)
            version = tree.version
        }

        package mutating func next() -> TreeRow? {
            withExtendedLifetime(version) { cursor.next()?.takeUnretainedValue() }
        }
    }

    package func makeIterator() -> Iterator { Iterator(self) }
}
