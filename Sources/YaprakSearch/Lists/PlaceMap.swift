import YaprakCore
import YaprakExtensions
import YaprakLists
import YaprakLocks
import YaprakTrees

/// Where the documents of an index stand in a view: made once for a state of both, then a search is a walk over its hits.
final class PlaceMap: Sendable {
    /// The names of the view's groups, and where each begins if all rows are counted through.
    private let groups: [(name: String, start: Int)]
    private let rowCount: Int
    /// The place of each document, counted through all groups; ``nowhere`` if the view does not have it.
    private let places: [UInt32]
    /// Further places of documents that stand in several groups.
    private let others: [UInt32: [UInt32]]

    private static let nowhere = UInt32.max

    /// - Complexity: O(rows of the view · log *n*).
    init(_ state: ViewState, _ root: FullTextRoot, collection: String) {
        var places = [UInt32](repeating: Self.nowhere, count: root.capacity)
        var others: [UInt32: [UInt32]] = [:]
        var groups: [(name: String, start: Int)] = []
        var count = 0
        let number = state.root.configuration.collectionNames.firstIndex(of: collection)
        withExtendedLifetime(state.snapshot) {
            for name in state.groupNames {
                groups.append((name, count))
                state.rows(ofGroup: name).forEach { row in
                    let placement = unsafeDowncast(row, to: Placement.self)
                    if placement.collection == number, let document = root.number(ofKey: placement.key) {
                        if places[Int(document)] == Self.nowhere {
                            places[Int(document)] = UInt32(count)
                        } else {
                            others[document, default: []].append(UInt32(count))
                        }
                    }
                    count += 1
                }
            }
        }
        self.groups = groups
        self.places = places
        self.others = others
        rowCount = count
    }

    /// The rows of a set of documents, as the view has them. O(documents + rows / 64).
    func positions(of documents: DocumentSet) -> RowPositions {
        var words = [UInt64](repeating: 0, count: (rowCount + 63) / 64)
        documents.forEach { document in
            forEachPlace(of: document) { words[Int($0 >> 6)] |= 1 << UInt64($0 & 63) }
        }
        var found: [(name: String, positions: [UInt32])] = []
        var group = 0
        var end = 0
        for index in words.indices {
            var word = words[index]
            while word != 0 {
                let place = index << 6 | word.trailingZeroBitCount
                word &= word &- 1
                if place >= end || found.isEmpty {
                    while group + 1 < groups.count, groups[group + 1].start <= place { group += 1 }
                    end = group + 1 < groups.count ? groups[group + 1].start : rowCount
                    found.append((groups[group].name, []))
                }
                found[found.count - 1].positions.append(UInt32(place - groups[group].start))
            }
        }
        return RowPositions(found, isInViewOrder: true)
    }

    /// The rows of documents in a sequence of their own, group by group. O(documents).
    func positions(ranked documents: [UInt32]) -> RowPositions {
        var found = groups.map { (name: $0.name, positions: [UInt32]()) }
        for document in documents {
            forEachPlace(of: document) { place in
                let group = group(of: Int(place))
                found[group].positions.append(place - UInt32(groups[group].start))
            }
        }
        return RowPositions(found.filter { !$0.positions.isEmpty }, isInViewOrder: false)
    }

    @inline(__always)
    private func forEachPlace(of document: UInt32, _ body: (UInt32) -> Void) {
        let place = places[Int(document)]
        guard place != Self.nowhere else { return }
        body(place)
        if !others.isEmpty { for place in others[document] ?? [] { body(place) } }
    }

    private func group(of place: Int) -> Int {
        var low = 0
        var high = groups.count
        while low + 1 < high {
            let middle = (low + high) / 2
            if groups[middle].start <= place { low = middle } else { high = middle }
        }
        return low
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

    func map(_ state: ViewState, _ root: FullTextRoot, collection: String) -> PlaceMap {
        if let entry = latest.withLock({ $0 }), entry.view == state.root.identity, entry.index == root.identity {
            return entry.map
        }
        let map = PlaceMap(state, root, collection: collection)
        latest.withLock { $0 = Entry(view: state.root.identity, index: root.identity, map: map) }
        return map
    }
}
