package import YaprakModel

/// The databases whose files a directory may hold: the database itself, and, up to a commit, those it was forked from.
///
///     shop.yaprak   ├── 1 … 4711 ──┼── 4712 … 9000          every file says: shop
///                                  │
///     fork.yaprak   ├── 1 … 4711 ──┴── 4712 … 5000          shared files say: shop, its own say: fork, before 4711 shop
///
/// The header of the newest segment is the authority; every file the fork writes repeats the list.
package struct Lineage: Hashable, Sendable {
    /// A database whose history this one shares up to a commit.
    package struct Ancestor: Hashable, Sendable {
        package let id: DatabaseID
        /// Its files belong here if they begin at or before this commit. What they hold after it is not part of this history.
        package let through: UInt64
    }

    /// The database itself.
    package let id: DatabaseID
    /// The databases it was forked from, directly or not; the nearest first.
    package var ancestors: [Ancestor] = []
    /// A repair skipped lost commits. Every file that is written later records this, too.
    package var isSalvaged = false

    /// The lineage of a fork that shares everything up to a commit.
    func fork(at number: UInt64, id: DatabaseID) -> Lineage {
        let older = ancestors.map { Ancestor(id: $0.id, through: min($0.through, number)) }
        return Lineage(
            id: id, ancestors: [Ancestor(id: self.id, through: number)] + older, isSalvaged: isSalvaged)
    }
}
