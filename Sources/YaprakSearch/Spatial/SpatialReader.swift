public import YaprakCore
import YaprakTrees

/// A spatial index in one snapshot: what finds.
///
///     let reader = database.snapshot[places]
///     reader.records(in: GeoBox(south: 40, west: 28, north: 42, east: 30))
///     reader.hits(within: 10_000, of: here)
public struct SpatialReader<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sendable {
    /// The index.
    public let index: SpatialIndex<Object, Metadata>
    /// The snapshot it is part of.
    public let snapshot: Snapshot
    package let root: SpatialRoot

    init(index: SpatialIndex<Object, Metadata>, root: SpatialRoot, snapshot: Snapshot) {
        self.index = index
        self.root = root
        self.snapshot = snapshot
    }

    /// The number of records that have a place. O(1).
    public var count: Int { root.keys.count }

    /// The place of a record as it is indexed, with a longitude of −180..<180; `nil` if it has none. O(log *n*).
    public func place(forKey key: String) -> GeoCoordinate? {
        withExtendedLifetime(snapshot) {
            root.keys.lookup(key.normalizedKey).map { unsafeDowncast($0, to: SpatialRow.self).place }
        }
    }

    private var search: SpatialSearch { SpatialSearch(pages: root.pages) }

    // MARK: In a box

    /// The keys of all records in a box, ascending.
    /// - Complexity: O(pages that touch the box · log *n* + hits · log): about 6 ns for a hit, and sorting.
    public func keys(in box: GeoBox) -> [String] {
        var keys: [String] = []
        withExtendedLifetime(snapshot) {
            search.forEachRow(in: box) { page, index in page.withRow(index) { keys.append($0.key) } }
        }
        return keys.sorted { $0.comesBefore($1) }
    }

    /// The records in a box, in ascending order of their keys. Costs as ``keys(in:)``, and a look-up for each.
    public func records(in box: GeoBox) -> [Record<Object, Metadata>] {
        let records = snapshot[index.collection]
        return keys(in: box).compactMap { records.row(for: $0) }
    }

    /// How many records are in a box.
    /// - Complexity: O(pages that touch the box · log *n*).
    public func count(in box: GeoBox) -> Int {
        var count = 0
        withExtendedLifetime(snapshot) { search.forEachRow(in: box) { _, _ in count &+= 1 } }
        return count
    }

    /// Calls `body` with the key and the place of each record in a box, in no order. The fastest way to read many.
    public func forEach(in box: GeoBox, _ body: (_ key: String, _ place: GeoCoordinate) -> Void) {
        withExtendedLifetime(snapshot) {
            search.forEachRow(in: box) { page, index in page.withRow(index) { body($0.key, $0.place) } }
        }
    }

    // MARK: By distance

    /// The records within so many metres of a place, nearest first; of those at one distance the smaller key first. None if
    /// it is no place. All that have a place from half of the Earth's circumference on, and within infinity.
    /// - Complexity: O(pages that touch the circle · log *n* + hits · log).
    public func hits(within metres: Double, of center: GeoCoordinate) -> [SpatialHit<Object, Metadata>] {
        guard center.isValid, metres >= 0 else { return [] }
        return withExtendedLifetime(snapshot) {
            // A little more, of which the distances decide: a record is within its own.
            search.rows(within: metres.squaredChordOfArc * (1 + 1e-14), of: center.normalized)
                .filter { $0.squaredChord.arcLength <= metres }.compactMap(hit)
        }
    }

    /// The nearest records, nearest first; of those at one distance the smaller key first. None if it is no place.
    ///
    ///     reader.nearest(5, to: here).first?.record.object.name
    ///
    /// All records that have a place if `count` is not less than their number.
    /// - Complexity: O(log *n* + *k* log *k*) where places are spread evenly.
    public func nearest(_ count: Int, to center: GeoCoordinate) -> [SpatialHit<Object, Metadata>] {
        precondition(count >= 0, "a number of hits is not less than 0")
        guard center.isValid else { return [] }
        // Not more than there are: the search computes with it.
        let count = min(count, self.count)
        return withExtendedLifetime(snapshot) { search.nearest(count, to: center.normalized).compactMap(hit) }
    }

    /// All records in the order of their distance, found as they are asked for.
    ///
    ///     let open = reader.byDistance(from: here).lazy.filter { $0.record.object.isOpen }.prefix(3)
    ///
    /// - Complexity: O(1) to make. The first *k* cost about two times as much as ``nearest(_:to:)``.
    public func byDistance(from center: GeoCoordinate) -> SpatialNeighbours<Object, Metadata> {
        SpatialNeighbours(reader: self, center: center)
    }

    private func hit(_ neighbour: SpatialSearch.Neighbour) -> SpatialHit<Object, Metadata>? {
        snapshot[index.collection].row(for: neighbour.row.key).map {
            SpatialHit(record: $0, place: neighbour.row.place, distance: neighbour.squaredChord.arcLength)
        }
    }

    /// The records in a ring, nearest first: those beyond `inner`, up to and including `outer`. Both are squares of chords. The
    /// ring before had all records at `inner`.
    fileprivate func ring(
        afterSquaredChord inner: Double, upTo outer: Double, of center: GeoCoordinate
    ) -> [SpatialHit<Object, Metadata>] {
        withExtendedLifetime(snapshot) {
            search.rows(within: outer, of: center).drop { $0.squaredChord <= inner }.compactMap(hit)
        }
    }

    /// The square of the chord to the farthest of the nearest.
    fileprivate func squaredChord(ofNearest count: Int, to center: GeoCoordinate) -> Double? {
        withExtendedLifetime(snapshot) { search.nearest(count, to: center).last?.squaredChord }
    }
}

/// A record, and how far away it is.
public struct SpatialHit<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sendable, Identifiable {
    /// The record.
    public let record: Record<Object, Metadata>
    /// Where it is, with a longitude of −180..<180.
    public let place: GeoCoordinate
    /// The great-circle distance in metres.
    public let distance: Double

    /// The record's key.
    public var key: String { record.key }
    /// The record's key.
    public var id: String { record.key }
}

/// The records of a snapshot in the order of their distance from a place, found as they are asked for.
public struct SpatialNeighbours<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sequence, Sendable {
    let reader: SpatialReader<Object, Metadata>
    let center: GeoCoordinate

    /// An iterator at the nearest record. O(1).
    public func makeIterator() -> Iterator { Iterator(reader: reader, center: center) }

    /// Finds rings around the place, each with about as many records as all before.
    public struct Iterator: IteratorProtocol, Sendable {
        private let reader: SpatialReader<Object, Metadata>
        private let center: GeoCoordinate
        private var found: ArraySlice<SpatialHit<Object, Metadata>> = []
        /// How many records are within ``inner``, a square of a chord: all of them were found.
        private var count = 0
        private var inner = -1.0

        private static var first: Int { 16 }

        init(reader: SpatialReader<Object, Metadata>, center: GeoCoordinate) {
            self.reader = reader
            self.center = center.normalized
        }

        /// The next record.
        public mutating func next() -> SpatialHit<Object, Metadata>? {
            if found.isEmpty { findMore() }
            return found.popFirst()
        }

        private mutating func findMore() {
            guard center.isValid, count < reader.count else { return }
            let wanted = Swift.min(Swift.max(Self.first, 2 * count), reader.count)
            guard let outer = reader.squaredChord(ofNearest: wanted, to: center) else { return }
            found = reader.ring(afterSquaredChord: inner, upTo: outer, of: center)[...]
            count += found.count
            inner = outer
        }
    }
}
