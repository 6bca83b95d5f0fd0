import YaprakTrees

/// A record that has a place, under its key.
final class SpatialRow: KeyedRow, @unchecked Sendable {
    // Written once; that is the whole of the @unchecked.
    let place: GeoCoordinate
    let code: UInt64

    init(key: String, place: GeoCoordinate) {
        self.place = place
        code = ZOrder.code(place.latitude, place.longitude)
        super.init(key: key)
    }

    /// In the order of the curve; of one code by key.
    func comesBefore(_ other: SpatialRow) -> Bool {
        code != other.code ? code < other.code : key.comesBefore(other.key)
    }
}

/// Some neighbours on the curve, side by side: a row of the tree of pages.
///
/// Its key is a code and a record's key, not greater than those of its first place, and greater than those of the last place
/// of the page before. The first page's key is empty.
final class SpatialPage: KeyedRow, @unchecked Sendable {
    // Written once; that is the whole of the @unchecked.
    /// The number of places.
    let count: Int
    /// The rows, each with a reference. Not an array: looking at a row of one retains both.
    private let references: UnsafeMutablePointer<SpatialRow>
    /// Latitude, longitude, and the three parts of the unit vector of each.
    let numbers: UnsafePointer<Double>
    private(set) var south = 90.0
    private(set) var north = -90.0
    private(set) var west = 180.0
    private(set) var east = -180.0

    /// Places when many pages are made; beyond the greatest number a page is split, below the least it is joined.
    static let countTarget = 32
    static let countMax = 64
    static let countMin = 8
    static let stride = 5

    init(key: String, _ rows: some Collection<SpatialRow>) {
        count = rows.count
        references = .allocate(capacity: max(1, rows.count))
        let numbers = UnsafeMutablePointer<Double>.allocate(capacity: max(1, Self.stride * rows.count))
        for (index, row) in rows.enumerated() {
            (references + index).initialize(to: row)
            let vector = UnitVector(row.place)
            let target = numbers + Self.stride * index
            target[0] = row.place.latitude
            target[1] = row.place.longitude
            target[2] = vector.x
            target[3] = vector.y
            target[4] = vector.z
            south = min(south, row.place.latitude)
            north = max(north, row.place.latitude)
            west = min(west, row.place.longitude)
            east = max(east, row.place.longitude)
        }
        self.numbers = UnsafePointer(numbers)
        super.init(key: key)
    }

    deinit {
        references.deinitialize(count: count)
        references.deallocate()
        numbers.deallocate()
    }

    /// All rows, for a page that follows this one. O(their number).
    var rows: ContiguousArray<SpatialRow> {
        ContiguousArray(UnsafeBufferPointer(start: references, count: count))
    }

    func row(_ index: Int) -> SpatialRow { references[index] }

    /// Whether every place of the page is in a box.
    @inline(__always)
    func isWithin(_ box: GeoBox.Part) -> Bool {
        south >= box.south && north <= box.north && west >= box.west && east <= box.east
    }

    /// Calls `body` with the row at an index, without reference counting.
    @inline(__always)
    func withRow(_ index: Int, _ body: (SpatialRow) -> Void) {
        UnsafeRawPointer(references + index).load(as: Unmanaged<SpatialRow>.self)._withUnsafeGuaranteedRef(body)
    }

    @inline(__always)
    func touches(_ box: GeoBox.Part) -> Bool {
        !(south > box.north || north < box.south || west > box.east || east < box.west)
    }

    @inline(__always)
    func isInside(_ index: Int, _ box: GeoBox.Part) -> Bool {
        box.contains(numbers[Self.stride &* index], numbers[Self.stride &* index &+ 1])
    }

    @inline(__always)
    func squaredChord(_ index: Int, to vector: UnitVector) -> Double {
        let at = numbers + Self.stride &* index
        let (a, b, c) = (at[2] - vector.x, at[3] - vector.y, at[4] - vector.z)
        return a * a + b * b + c * c
    }
}
