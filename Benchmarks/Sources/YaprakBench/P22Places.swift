import Foundation
import Yaprak

extension Measure {
    /// P22: places in a box and the nearest ones, against SQLite's R*Tree in memory, on the cities of the world.
    static var places: Measure {
        Measure(id: "P22") { settings, report in
            let corpus = try SearchCorpus.cities()
            guard !corpus.isEmpty else { throw UsageError("the cities are not in Fixtures") }
            let index = SpatialIndex("place", of: .documents) {
                GeoCoordinate(latitude: $0.latitude, longitude: $0.longitude)
            }
            let database = try await corpus.database()
            let growth = try await heapGrowth { try await database.register(index) }
            report.hold(
                "P22", "bytes for each place, heap", Double(growth.bytes) / Double(corpus.keys.count), unit: .bytes)
            let peer = RTreePeer(corpus)
            let reader = database.snapshot[index]
            let placesOf = corpus.documents.map { GeoCoordinate(latitude: $0.latitude, longitude: $0.longitude) }
            var random = SplitMix64(9)

            for size in [0.5, 2, 10, 40] {
                var (ours, theirs, differing) = (0.0, 0.0, 0)
                for _ in 0..<300 {
                    let center = placesOf[Int(random.next() % UInt64(placesOf.count))]
                    let box = GeoBox(
                        south: center.latitude - size / 2 + 0.00031, west: center.longitude - size / 2 + 0.00017,
                        north: center.latitude + size / 2, east: center.longitude + size / 2)
                    var (mine, its) = (Double.infinity, Double.infinity)
                    var (count, rows) = (0, 0)
                    for _ in 0..<3 {
                        mine = min(
                            mine,
                            time(1) {
                                count = 0
                                reader.forEach(in: box) { _, place in count += place.latitude > -100 ? 1 : 0 }
                            })
                        its = min(its, time(1) { rows = peer.rows(in: box) })
                    }
                    ours += mine
                    theirs += its
                    // The R*Tree has single precision, and no antimeridian.
                    sink &+= UInt64(rows)
                    if count != placesOf.count(where: box.contains) { differing += 1 }
                }
                report.compare(
                    "P22", "a box of \(Finding.short(size))°", Series(name: "Yaprak", samples: [ours / 300]),
                    Series(name: "R*Tree", samples: [theirs / 300]), .timesFaster(10))
                report.hold("P22", "boxes of \(Finding.short(size))° whose hits differ", Double(differing), atMost: 0)
            }
            for (count, target) in [(1, 5.0), (10, 5), (100, 2)] {
                var (ours, theirs, differing) = (0.0, 0.0, 0)
                var ratios: [Double] = []
                for number in 0..<200 {
                    let base = placesOf[Int(random.next() % UInt64(placesOf.count))]
                    let center =
                        number % 10 == 0
                        ? GeoCoordinate(
                            latitude: .random(in: -80...80, using: &random),
                            longitude: .random(in: -180...180, using: &random))
                        : GeoCoordinate(latitude: base.latitude + 0.1, longitude: base.longitude + 0.1)
                    var (mine, its) = (Double.infinity, Double.infinity)
                    var hits: [Double] = []
                    for _ in 0..<3 {
                        mine = min(mine, time(1) { hits = reader.nearest(count, to: center).map(\.distance) })
                        its = min(its, time(1) { sink &+= UInt64(peer.nearest(count, to: center).count) })
                    }
                    ours += mine
                    theirs += its
                    ratios.append(its / mine)
                    let expected = placesOf.map { $0.distance(to: center) }.sorted().prefix(count)
                    if zip(hits, expected).contains(where: { abs($0 - $1) > 0.01 }) || hits.count != count {
                        differing += 1
                    }
                }
                report.compare(
                    "P22", "the nearest \(count)", Series(name: "Yaprak", samples: [ours / 200]),
                    Series(name: "R*Tree, a growing box", samples: [theirs / 200]), .timesFaster(target))
                ratios.sort()
                report.hold("P22", "the nearest \(count), median of the ratios", ratios[100], unit: .factor)
                report.hold("P22", "the nearest \(count), answers that differ", Double(differing), atMost: 0)
            }
        }
    }
}

/// The cities in an R*Tree.
private final class RTreePeer {
    private let database = SQLiteMemory()
    private let box: SQLiteStatement
    private let coordinates: SQLiteStatement

    init(_ corpus: SearchCorpus) {
        database.execute("CREATE VIRTUAL TABLE r USING rtree(id, s, n, w, e)")
        let insert = database.prepare("INSERT INTO r VALUES(?,?,?,?,?)")
        database.execute("BEGIN")
        for (number, document) in corpus.documents.enumerated() {
            insert.bind(1, number + 1)
            insert.bind(2, document.latitude)
            insert.bind(3, document.latitude)
            insert.bind(4, document.longitude)
            insert.bind(5, document.longitude)
            _ = insert.step()
            insert.reset()
        }
        database.execute("COMMIT")
        box = database.prepare("SELECT id FROM r WHERE s>=? AND n<=? AND w>=? AND e<=?")
        coordinates = database.prepare("SELECT id, s, w FROM r WHERE s>=? AND n<=? AND w>=? AND e<=?")
    }

    private func bind(_ statement: SQLiteStatement, _ south: Double, _ north: Double, _ west: Double, _ east: Double) {
        statement.bind(1, south)
        statement.bind(2, north)
        statement.bind(3, west)
        statement.bind(4, east)
    }

    func rows(in area: GeoBox) -> Int {
        bind(box, area.south, area.north, area.west, area.east)
        var count = 0
        while box.step() {
            sink &+= UInt64(box.int(0))
            count += 1
        }
        box.reset()
        return count
    }

    /// The usual way: a box that grows until it has enough, and exact distances in it.
    func nearest(_ count: Int, to center: GeoCoordinate) -> [Double] {
        var radius = 0.5
        var found: [Double] = []
        while true {
            found.removeAll(keepingCapacity: true)
            let width = min(360, radius / max(0.02, cos(min(89, abs(center.latitude) + radius) * .pi / 180)))
            bind(
                coordinates, center.latitude - radius, center.latitude + radius, center.longitude - width,
                center.longitude + width)
            while coordinates.step() {
                found.append(haversine(center, coordinates.double(1), coordinates.double(2)))
            }
            coordinates.reset()
            found.sort()
            if found.count >= count, found[count - 1] <= radius * .pi / 180 || radius > 180 { return found }
            if radius > 180 { return found }
            radius *= 2
        }
    }

    private func haversine(_ a: GeoCoordinate, _ latitude: Double, _ longitude: Double) -> Double {
        let r = Double.pi / 180
        let x = sin((latitude - a.latitude) * r / 2)
        let y = sin((longitude - a.longitude) * r / 2)
        return 2 * asin(min(1, (x * x + cos(a.latitude * r) * cos(latitude * r) * y * y).squareRoot()))
    }
}
