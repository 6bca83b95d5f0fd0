import Synchronization

/// The least that the change of a sort key can do until who follows the list has the row change, to compare P9 with: the record's
/// way is copied in a bare tree, the row is put elsewhere in a sorted array of blocks, the new array is published under a lock,
/// and the follower compares the blocks that it shows with those it had.
///
/// There is one group, no row but that one changes, no window moves, no reader is counted. The bare tree allows one writer.
final class BareList: Sendable {
    /// A row and what it is sorted by.
    final class Row: Sendable {
        let rank: Double
        let record: Boxed

        init(_ record: Boxed) { (rank, self.record) = (record.item.rank, record) }

        func isBefore(_ other: Row) -> Bool { (rank, record.key) < (other.rank, other.record.key) }
    }

    final class Block: Sendable {
        let rows: [Row]
        init(_ rows: [Row]) { self.rows = rows }
    }

    /// What a snapshot has of a group.
    final class Group: Sendable {
        let blocks: [Block]
        init(_ blocks: [Block]) { self.blocks = blocks }
    }

    enum Change {
        case update(Int, key: String, group: String)
        case move(from: Int, to: Int, key: String, group: String)
    }

    private let tree: BareTree
    private let published: Mutex<Group>
    private static let width = 32

    /// - Parameter rows: all records.
    init(_ rows: [Boxed], group: String) {
        tree = BareTree(rows)
        let sorted = rows.filter { $0.item.group == group }.map { Row($0) }.sorted { $0.isBefore($1) }
        let blocks = stride(from: 0, to: sorted.count, by: Self.width).map {
            Block(Array(sorted[$0..<min($0 + Self.width, sorted.count)]))
        }
        published = Mutex(Group(blocks))
    }

    var newest: Group { published.withLock { $0 } }

    /// Gives a row that is in the group another rank.
    @inline(never)
    func update(_ row: Row, _ item: Item) -> Row {
        tree.update(row.record.key, item)
        let next = Row(Boxed(key: row.record.key, item: item))
        var blocks = newest.blocks
        let source = Self.block(of: row, in: blocks)
        var rows = blocks[source].rows
        rows.remove(at: Self.place(of: row, in: rows))
        blocks[source] = Block(rows)
        let target = Self.block(of: next, in: blocks)
        rows = blocks[target].rows
        rows.insert(next, at: Self.place(of: next, in: rows))
        blocks[target] = Block(rows)
        let group = Group(blocks)
        let old = published.withLock { published in
            defer { published = group }
            return published
        }
        withExtendedLifetime(old) {}
        return next
    }

    /// The last block that does not begin behind a row, or the first.
    private static func block(of row: Row, in blocks: [Block]) -> Int {
        var (low, high) = (0, blocks.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if let first = blocks[middle].rows.first, !row.isBefore(first) { low = middle } else { high = middle }
        }
        return low
    }

    /// How many rows come before one.
    private static func place(of row: Row, in rows: [Row]) -> Int {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].isBefore(row) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// What changed among the first rows of a group.
    @inline(never)
    static func changes(from old: Group, to new: Group, shown: Int, group: String) -> [Change] {
        var gone: [(place: Int, row: Row)] = [], come: [(place: Int, row: Row)] = []
        var start = (0, 0)
        for (before, after) in zip(old.blocks, new.blocks) where start.0 < shown || start.1 < shown {
            if before !== after {
                var (i, j) = (0, 0)
                while i < before.rows.count || j < after.rows.count {
                    if i < before.rows.count, j < after.rows.count, before.rows[i] === after.rows[j] {
                        (i, j) = (i + 1, j + 1)
                    } else if j == after.rows.count || i < before.rows.count && before.rows[i].isBefore(after.rows[j]) {
                        gone.append((start.0 + i, before.rows[i]))
                        i += 1
                    } else {
                        come.append((start.1 + j, after.rows[j]))
                        j += 1
                    }
                }
            }
            start = (start.0 + before.rows.count, start.1 + after.rows.count)
        }
        return gone.compactMap { place, row in
            guard let other = come.first(where: { $0.row.record.key == row.record.key }) else { return nil }
            let key = row.record.key
            return other.place == place
                ? .update(place, key: key, group: group) : .move(from: place, to: other.place, key: key, group: group)
        }
    }
}
