package import YaprakModel

/// Whose files a directory may hold: the database's own, and up to a commit those of the databases it was forked from.
///
///     shop.yaprak   ├── 1 … 4711 ──┼── 4712 … 9000          every file says: shop
///                                  │
///     fork.yaprak   ├── 1 … 4711 ──┴── 4712 … 5000          shared files say: shop, its own say: fork, before 4711 shop
///
/// The header of the newest segment is the authority; every file the fork writes repeats the list.
package struct Lineage: Hashable, Sendable {
    /// A database whose history is the beginning of this one's.
    package struct Ancestor: Hashable, Sendable {
        package let id: DatabaseID
        /// Its files count if they begin at or before this commit; what they hold behind it is not part of this history.
        package let through: UInt64
    }

    /// The database itself.
    package let id: DatabaseID
    /// Where it was forked from, and where that was; the nearest first.
    package var ancestors: [Ancestor] = []
    /// Commits were lost in a repair that stepped over them. Every file that is written later says so, too.
    package var isSalvaged = false

    /// The lineage of a fork that shares everything up to a commit.
    func fork(at number: UInt64, id: DatabaseID) -> Lineage {
        let older = ancestors.map { Ancestor(id: $0.id, through: min($0.through, number)) }
        return Lineage(
            id: id, ancestors: [Ancestor(id: self.id, through: number)] + older, isSalvaged: isSalvaged)
    }
}
