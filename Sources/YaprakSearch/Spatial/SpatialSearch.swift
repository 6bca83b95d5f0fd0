import YaprakTrees

/// Finds places in one root. Used while the snapshot is alive.
struct SpatialSearch {
    let pages: TreeRoot

    /// So few pages are looked at without dividing the box.
    private static let pagesScanned = 6

    // MARK: Boxes

    /// Calls `body` once with each page that may have places in a box.
    @inline(__always)
    func forEachPage(in box: GeoBox.Part, _ body: (SpatialPage) -> Void) {
        let low = ZOrder.code(box.south, box.west)
        let high = ZOrder.code(box.north, box.east)
        // Pages before this one were looked at.
        var done = 0
        // Boxes that are left, with the pages that may have them; the next one last.
        var rest: [(low: UInt64, high: UInt64, pages: Range<Int>)] = []
        let first = max(0, pageCount(before: low) - 1)
        rest.append((low, high, first..<max(first, pageCount(before: high, orAt: true))))
        while let part = rest.popLast() {
            let start = max(done, part.pages.lowerBound)
            guard start < part.pages.upperBound else { continue }
            if part.pages.upperBound - start <= Self.pagesScanned || part.low == part.high {
                var cursor = TreeCursor(pages, at: start)
                for _ in start..<part.pages.upperBound {
                    cursor.next().unsafelyUnwrapped._withUnsafeGuaranteedRef { row in
                        let page = unsafeDowncast(row, to: SpatialPage.self)
                        if page.touches(box) { body(page) }
                    }
                }
                done = part.pages.upperBound
                continue
            }
            let (litMax, bigMin) = ZOrder.halves(of: part.low, part.high)
            let end = min(part.pages.upperBound, pageCount(before: litMax, orAt: true))
            let begin = max(part.pages.lowerBound, pageCount(before: bigMin) - 1)
            rest.append((bigMin, part.high, max(0, begin)..<max(0, begin, part.pages.upperBound)))
            rest.append((part.low, litMax, part.pages.lowerBound..<max(part.pages.lowerBound, end)))
        }
    }

    /// How many pages begin before a code, or also at it.
    private func pageCount(before code: UInt64, orAt: Bool = false) -> Int {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ZOrder.digits + 1) { buffer in
            ZOrder.write(code, to: buffer.baseAddress.unsafelyUnwrapped)
            // Greater than every byte of a key.
            buffer[ZOrder.digits] = 0xFF
            return pages.lowerBound(UnsafeBufferPointer(rebasing: buffer.prefix(ZOrder.digits + (orAt ? 1 : 0))))
        }
    }

    /// Calls `body` with each record in a box, in no order, once.
    @inline(__always)
    func forEachRow(in box: GeoBox, _ body: (SpatialPage, Int) -> Void) {
        let parts = box.parts
        for (number, part) in parts.enumerated() {
            forEachPage(in: part) { page in
                let count = page.count
                // Parts overlap at −180 and at the poles only.
                if number == 0, page.isWithin(part) {
                    for index in 0..<count { body(page, index) }
                    return
                }
                for index in 0..<count where page.isInside(index, part) {
                    let isNew = number == 0 || !parts[..<number].contains { page.isInside(index, $0) }
                    if isNew { body(page, index) }
                }
            }
        }
    }

    // MARK: Circles

    /// A record, and the square of the chord to it.
    struct Neighbour {
        var row: SpatialRow
        var squaredChord: Double

        func comesBefore(_ other: Neighbour) -> Bool {
            squaredChord != other.squaredChord
                ? squaredChord < other.squaredChord : row.key.comesBefore(other.row.key)
        }
    }

    /// The records within a distance, nearest first.
    func rows(within squaredChord: Double, of center: GeoCoordinate) -> [Neighbour] {
        var found: [Neighbour] = []
        let vector = UnitVector(center)
        forEachPage(around: center, squaredChord) { page, part in
            for index in 0..<page.count where page.isInside(index, part) {
                let chord = page.squaredChord(index, to: vector)
                if chord <= squaredChord { found.append(Neighbour(row: page.row(index), squaredChord: chord)) }
            }
        }
        return found.sorted { $0.comesBefore($1) }
    }

    @inline(__always)
    private func forEachPage(
        around center: GeoCoordinate, _ squaredChord: Double, _ body: (SpatialPage, GeoBox.Part) -> Void
    ) {
        let arc = squaredChord.arcLength / GeoCoordinate.earthRadius
        for part in GeoBox.parts(around: center, arc: arc) { forEachPage(in: part) { body($0, part) } }
    }

    /// The nearest records, nearest first; of those at one distance the smaller key first.
    ///
    /// The pages around the center on the curve give a distance; then every page within it is looked at.
    func nearest(_ count: Int, to center: GeoCoordinate) -> [Neighbour] {
        guard count > 0, !pages.isEmpty else { return [] }
        let vector = UnitVector(center)
        var best = NearestPlaces(count)
        let at = pageCount(before: ZOrder.code(center.latitude, center.longitude))
        let need = max(1, (count + SpatialPage.countTarget - 1) / SpatialPage.countTarget)
        let start = max(0, at - 1 - need)
        let end = min(pages.count, at + need)
        var cursor = TreeCursor(pages, at: start)
        for _ in start..<end {
            cursor.next().unsafelyUnwrapped._withUnsafeGuaranteedRef { row in
                let page = unsafeDowncast(row, to: SpatialPage.self)
                for index in 0..<page.count { best.offer(page, index, page.squaredChord(index, to: vector)) }
            }
        }
        let first = best.finish()
        if start == 0 && end == pages.count { return first }
        let bound = best.bound
        best = NearestPlaces(count)
        best.bound = bound
        forEachPage(around: center, min(4, bound)) { page, part in
            for index in 0..<page.count where page.isInside(index, part) {
                best.offer(page, index, page.squaredChord(index, to: vector))
            }
        }
        return best.finish()
    }
}

/// The nearest of the places that are offered.
private struct NearestPlaces {
    private let count: Int
    private var found: [SpatialSearch.Neighbour] = []
    /// Nothing farther away is among them.
    var bound = Double.infinity

    /// So many are kept in order; of more, twice as many are gathered and sorted from time to time.
    private static let keptInOrderMax = 128

    init(_ count: Int) {
        self.count = count
        found.reserveCapacity(min(count, Self.keptInOrderMax) + 1)
    }

    @inline(__always)
    mutating func offer(_ page: SpatialPage, _ index: Int, _ squaredChord: Double) {
        if squaredChord <= bound { insert(page.row(index), squaredChord) }
    }

    private mutating func insert(_ row: SpatialRow, _ squaredChord: Double) {
        let item = SpatialSearch.Neighbour(row: row, squaredChord: squaredChord)
        guard count <= Self.keptInOrderMax else {
            found.append(item)
            if found.count >= 2 * count { sort() }
            return
        }
        var index = found.count
        while index > 0, item.comesBefore(found[index - 1]) { index -= 1 }
        if index == count { return }
        found.insert(item, at: index)
        if found.count > count { found.removeLast() }
        if found.count == count { bound = min(bound, found[count - 1].squaredChord) }
    }

    private mutating func sort() {
        found.sort { $0.comesBefore($1) }
        if found.count > count { found.removeLast(found.count - count) }
        if found.count == count { bound = min(bound, found[count - 1].squaredChord) }
    }

    /// Nearest first.
    mutating func finish() -> [SpatialSearch.Neighbour] {
        if count > Self.keptInOrderMax { sort() }
        return found
    }
}
