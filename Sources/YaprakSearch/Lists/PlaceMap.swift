import YaprakCore
import YaprakExtensions
import YaprakLists
import YaprakLocks
import YaprakTrees

/// Where the documents of an index stand in a view: made once for a state of both, then a search is a walk over its hits.
final class PlaceMap: Sendable {
    private let table: RowTable
    /// The place of each document in the table; ``nowhere`` if the view does not have it.
    private let places: [UInt32]
    /// Further places of documents that stand in several groups.
    private let others: [UInt32: [UInt32]]

    private static let nowhere = UInt32.max

    /// - Complexity: O(rows of the view · log *n*).
    init(_ state: ViewState, _ root: FullTextRoot, collection: String) {
        var places = [UInt32](repeating: Self.nowhere, count: root.capacity)
        var others: [UInt32: [UInt32]] = [:]
        // Rows of an aggregate are under its own name, which a collection may have, too.
        let configuration = state.root.configuration
        let number = configuration.rowsAreRecords ? configuration.collectionNames.firstIndex(of: collection) : nil
        table = RowTable(state) { placement, place in
            guard placement.collection == number, let document = root.number(ofKey: placement.key) else { return }
            if places[Int(document)] == Self.nowhere {
                places[Int(document)] = UInt32(place)
            } else {
                others[document, default: []].append(UInt32(place))
            }
        }
        self.places = places
        self.others = others
    }

    /// The rows of a set of documents, as the view has them. O(documents + rows / 64 + groups).
    func positions(of documents: DocumentSet) -> RowPositions {
        var bits = RowBits(count: table.count)
        bits.withWords { words in
            documents.forEach { document in
                forEachPlace(of: document) { words[Int($0 >> 6)] |= 1 << UInt64($0 & 63) }
            }
        }
        var (numbers, ends): ([Int], [Int]) = ([], [])
        var positions: [UInt32] = []
        positions.reserveCapacity(bits.count)
        var group = 0
        var (start, end) = (0, 0)
        for (index, word) in bits.words.enumerated() {
            var word = word
            while word != 0 {
                let place = index << 6 | word.trailingZeroBitCount
                word &= word &- 1
                if place >= end {
                    if !positions.isEmpty { ends.append(positions.count) }
                    while table.starts[group + 1] <= place { group += 1 }
                    (start, end) = (table.starts[group], table.starts[group + 1])
                    numbers.append(group)
                }
                positions.append(UInt32(truncatingIfNeeded: place &- start))
            }
        }
        if !positions.isEmpty { ends.append(positions.count) }
        return RowPositions(table, groups: numbers, ends: ends, positions: positions, bits: bits)
    }

    /// The rows of documents in a sequence of their own, group by group. O(documents · log *groups* + groups).
    func positions(ranked documents: [UInt32]) -> RowPositions {
        var found = table.groupNames.map { _ in [UInt32]() }
        for document in documents {
            forEachPlace(of: document) { place in
                let group = group(of: Int(place))
                found[group].append(place - UInt32(table.starts[group]))
            }
        }
        let numbers = found.indices.filter { !found[$0].isEmpty }
        var count = 0
        let ends = numbers.map { number in
            count += found[number].count
            return count
        }
        return RowPositions(
            table, groups: numbers, ends: ends, positions: Array(found.joined()), bits: nil)
    }

    @inline(__always)
    private func forEachPlace(of document: UInt32, _ body: (UInt32) -> Void) {
        let place = places[Int(document)]
        guard place != Self.nowhere else { return }
        body(place)
        if !others.isEmpty { for place in others[document] ?? [] { body(place) } }
    }

    private func group(of place: Int) -> Int {
        prefixCount(table.groupNames.count) { table.starts[$0 + 1] <= place }
    }
}

/// The last map that was made, for the next search in the same states.
final class PlaceMapCache: Sendable {
    private struct Entry: Sendable {
        let view: ViewIdentity
        let index: UInt64
        let map: PlaceMap
    }

    private let latest = Mutex<Entry?>(nil)

    /// Keeps nothing: nobody searches any more.
    func removeAll() {
        let former = latest.withLock { entry in
            defer { entry = nil }
            return entry
        }
        // Released here, not under the lock.
        withExtendedLifetime(former) {}
    }

    func map(_ state: ViewState, _ root: FullTextRoot, collection: String) -> PlaceMap {
        if let entry = latest.withLock({ $0 }), entry.view == state.root.identity, entry.index == root.identity {
            return entry.map
        }
        let map = PlaceMap(state, root, collection: collection)
        let former = latest.withLock { entry in
            defer { entry = Entry(view: state.root.identity, index: root.identity, map: map) }
            return entry
        }
        withExtendedLifetime(former) {}
        return map
    }
}
