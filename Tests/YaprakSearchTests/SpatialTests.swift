import Foundation
import TestSupport
import Testing
import Yaprak
import YaprakTrees

@testable import YaprakSearch

struct Spot: Codable, Sendable {
    var place: GeoCoordinate?
}

extension RecordCollection where Object == Spot, Metadata == NoMetadata {
    static var spots: Self { Self("spots") }
}

/// Places, held against a look at every record.
@Suite(.bounded) struct SpatialTests {
    static let index = SpatialIndex<Spot, NoMetadata>("place", of: .spots, at: \.place)

    // One in four was not: the way from a chord to metres and back ends a bit away.
    @Test func `A record is within its own distance, and its own longitude beyond 180`() async throws {
        let database = Database.inMemory()
        try await database.register(Self.index)
        try await database.write { transaction in
            for longitude in 1..<180 {
                transaction[.spots]["s\(longitude)"] = Spot(
                    place: GeoCoordinate(latitude: Double(longitude % 7) / 3, longitude: Double(longitude) * 0.99))
            }
            transaction[.spots]["edge"] = Spot(place: GeoCoordinate(latitude: 1, longitude: -170.1))
        }
        let here = GeoCoordinate(latitude: 0, longitude: 0)
        let reader = database.snapshot[Self.index]
        for hit in reader.nearest(180, to: here) {
            let hits = reader.hits(within: hit.distance, of: here)
            #expect(hits.contains { $0.key == hit.key }, "\(hit.key)")
            #expect(hits.allSatisfy { $0.distance <= hit.distance })
        }
        // 189.9 − 360 is −170.1, exactly.
        let box = GeoBox(south: 0.5, west: 189.9, north: 2, east: 189.9)
        #expect(reader.keys(in: box) == ["edge"])
        #expect(box.contains(GeoCoordinate(latitude: 1, longitude: -170.1)))
        #expect(reader.nearest(1, to: GeoCoordinate(latitude: 1, longitude: 189.9))[0].distance == 0)
        let pairs: [(Double, Double)] = [
            (180, -180), (-180, -180), (540, -180), (-540, -180), (360, 0), (-360, 0), (-190, 170),
        ]
        for (longitude, same) in pairs {
            let found = GeoCoordinate.wrapped(longitude)
            #expect(found == same && (found != 0 || found.sign == .plus), "\(longitude)")
        }
    }

    // MARK: The plainest search

    /// Steps of a quarter of a degree have no rounding.
    static func quarter(_ random: inout SplitMix64, _ range: ClosedRange<Int>) -> Double {
        Double(range.lowerBound * 4 + random.below((range.upperBound - range.lowerBound) * 4 + 1)) / 4
    }

    static func place(_ random: inout SplitMix64) -> GeoCoordinate? {
        switch random.below(100) {
        case 0..<3: nil
        case 3: GeoCoordinate(latitude: .nan, longitude: 1)
        case 4: GeoCoordinate(latitude: 91, longitude: .infinity)
        case 5..<10: GeoCoordinate(latitude: random.chance(50) ? 90 : -90, longitude: quarter(&random, -200...200))
        case 10..<30:
            GeoCoordinate(
                latitude: quarter(&random, -3...3),
                longitude: 180 * (random.chance(50) ? 1 : -1) + quarter(&random, -3...3))
        case 30..<50: GeoCoordinate(latitude: 41, longitude: 29)
        case 50..<80: GeoCoordinate(latitude: quarter(&random, 40...42), longitude: quarter(&random, 27...31))
        default: GeoCoordinate(latitude: quarter(&random, -90...90), longitude: quarter(&random, -540...540))
        }
    }

    static func isIn(_ place: GeoCoordinate, _ box: GeoBox) -> Bool {
        guard place.latitude >= box.south, place.latitude <= box.north else { return false }
        if abs(place.latitude) == 90 { return true }
        func turn(_ degrees: Double) -> Double {
            let rest = degrees.truncatingRemainder(dividingBy: 360)
            return rest < 0 ? rest + 360 : rest
        }
        let width = box.east >= box.west ? box.east - box.west : turn(box.east - box.west)
        return width >= 360 || turn(place.longitude - box.west) <= width
    }

    /// The haversine formula.
    static func distance(_ a: GeoCoordinate, _ b: GeoCoordinate) -> Double {
        let r = Double.pi / 180
        let x = sin((a.latitude - b.latitude) * r / 2)
        let y = sin((a.longitude - b.longitude) * r / 2)
        let h = x * x + cos(a.latitude * r) * cos(b.latitude * r) * y * y
        return 2 * GeoCoordinate.earthRadius * asin(min(1, h.squareRoot()))
    }

    static func check(_ snapshot: Snapshot, _ random: inout SplitMix64, _ place: String) throws {
        let reader = snapshot[index]
        let places = snapshot[.spots].compactMap { record in
            record.object.place.flatMap { $0.isValid ? (key: record.key, place: $0) : nil }
        }
        try #require(reader.count == places.count, "\(place)")
        for _ in 0..<6 {
            let (south, west) = (quarter(&random, -95...90), quarter(&random, -200...200))
            let box = GeoBox(
                south: south, west: west, north: random.chance(10) ? 90 : south + quarter(&random, -2...60),
                east: random.chance(50) ? west + quarter(&random, 0...90) : quarter(&random, -180...180))
            let expected = places.filter { isIn($0.place, box) }.map(\.key)
            try #require(reader.keys(in: box) == expected, "\(place): \(box)")
            try #require(reader.count(in: box) == expected.count, "\(place): \(box)")
            for (_, spot) in places { try #require(box.contains(spot) == isIn(spot, box), "\(place): \(box), \(spot)") }

            var center =
                random.chance(40)
                ? self.place(&random) ?? GeoCoordinate(latitude: 0, longitude: 0)
                : GeoCoordinate(
                    latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
            if random.chance(20), !places.isEmpty {
                // On the other side of the Earth.
                let spot = places[random.below(places.count)].place
                center = GeoCoordinate(latitude: -spot.latitude, longitude: spot.longitude - 180)
            }
            guard center.isValid else {
                try #require(reader.nearest(3, to: center).isEmpty && reader.hits(within: 1e9, of: center).isEmpty)
                try #require(Array(reader.byDistance(from: center)).isEmpty)
                continue
            }
            let all = places.map { (key: $0.key, distance: distance($0.place, center)) }.sorted {
                ($0.distance, $0.key) < ($1.distance, $1.key)
            }
            for count in [0, 1, 10, 200, Int.max / 2, Int.max] {
                let found = reader.nearest(count, to: center)
                try #require(found.count == min(count, all.count), "\(place): \(count) of \(center)")
                for (hit, expected) in zip(found, all) {
                    // On the other side of the Earth the last bit of a chord is 20 cm.
                    let tolerance = expected.distance < 20_000_000 ? 0.5 : 2
                    try #require(
                        abs(hit.distance - expected.distance) < tolerance, "\(place): \(count) of \(center)")
                }
                for (a, b) in zip(found, found.dropFirst()) {
                    try #require(
                        a.distance < b.distance || a.distance == b.distance && a.key < b.key
                            || a.distance - b.distance < 1e-3, "\(place)")
                }
            }
            let metres = Double.random(in: 0...(random.chance(50) ? 300_000 : 21_000_000), using: &random)
            let near = Set(reader.hits(within: metres, of: center).map(\.key))
            for (key, distance) in all where abs(distance - metres) > 1 {
                try #require(
                    near.contains(key) == (distance < metres), "\(place): \(key) within \(metres) of \(center)")
            }
            for everywhere in [Double.infinity, .pi * GeoCoordinate.earthRadius] {
                let found = reader.hits(within: everywhere, of: center).map(\.key).sorted()
                try #require(found == places.map(\.key).sorted(), "\(place): \(everywhere) of \(center)")
            }
            let lazily = Array(reader.byDistance(from: center).prefix(70))
            try #require(
                lazily.map(\.key) == reader.nearest(70, to: center).map(\.key), "\(place): lazily from \(center)")
        }
        for tree in reader.root.trees {
            let violation = tree.firstViolation()
            try #require(violation == nil, "\(place)")
        }
    }

    static func write(_ random: inout SplitMix64, to database: Database) async throws {
        struct Undone: Error {}
        let before = random
        do {
            random = try await database.write { transaction in
                var random = before
                for _ in 0..<(random.chance(10) ? 200 : 1 + random.below(5)) {
                    let key = "s\(random.below(400))"
                    switch random.below(40) {
                    case 0..<26: transaction[.spots][key] = Spot(place: place(&random))
                    case 26..<39: transaction[.spots].remove(key)
                    default: if random.chance(20) { transaction[.spots].removeAll() }
                    }
                }
                if random.chance(10) { throw Undone() }
                return random
            }
        } catch is Undone {
            _ = random.next()
        }
    }

    @Test(arguments: (0..<UInt64(Soak.volume(3, soak: 60))).map { $0 })
    func `Boxes, circles and neighbours equal a look at every record, at every commit`(seed: UInt64) async throws {
        let database = Database.inMemory()
        var random = SplitMix64(seed: seed)
        try await database.register(Self.index)
        var kept: [Snapshot] = []
        for step in 0..<30 {
            try await Self.write(&random, to: database)
            if step % 3 == 0 { try Self.check(database.snapshot, &random, "seed \(seed), step \(step)") }
            if step % 10 == 0 { kept.append(database.snapshot) }
        }
        let fork = database.fork()
        try await database.unregister("place")
        try await database.register(Self.index)
        try Self.check(database.snapshot, &random, "seed \(seed), again")
        try await Self.write(&random, to: fork)
        try Self.check(fork.snapshot, &random, "seed \(seed), fork")
        try await database.restore(kept[1])
        try Self.check(database.snapshot, &random, "seed \(seed), restored")
        for snapshot in kept { try Self.check(snapshot, &random, "seed \(seed), kept") }
    }

    @Test func `Boxes across the antimeridian, at the poles, and of numbers that are none`() async throws {
        let database = Database.inMemory()
        try await database.register(Self.index)
        try await database.write { transaction in
            for (key, latitude, longitude) in [
                ("east", 1.0, 179.0), ("west", 1, -179), ("line", 1, 180), ("line2", 1, -180), ("turns", 1, 541),
                ("pole", 90, 77), ("south", -90, -3), ("zero", 0, 0),
            ] {
                transaction[.spots][key] = Spot(place: GeoCoordinate(latitude: latitude, longitude: longitude))
            }
        }
        let reader = database.snapshot[Self.index]
        func keys(_ south: Double, _ west: Double, _ north: Double, _ east: Double) -> [String] {
            reader.keys(in: GeoBox(south: south, west: west, north: north, east: east))
        }
        #expect(keys(0, 178, 2, -178) == ["east", "line", "line2", "turns", "west"])
        #expect(keys(0, 178, 2, 182) == ["east", "line", "line2", "turns", "west"])
        #expect(keys(0, 178, 2, 180) == ["east", "line", "line2"])
        #expect(keys(0, -180, 2, -178) == ["line", "line2", "turns", "west"])
        #expect(keys(0, 180, 2, 180) == ["line", "line2"])
        #expect(keys(80, 1, 90, 2) == ["pole"])
        #expect(keys(-90, 0, 90, 360).count == 8)
        #expect(keys(-90, -180, 90, 180).count == 8)
        #expect(keys(2, 0, 1, 10) == [] && keys(.nan, 0, 1, 1) == [] && keys(0, .infinity, 1, 1) == [])
        #expect(keys(-.infinity, -180, .infinity, 180).count == 8)
        #expect(reader.place(forKey: "turns") == GeoCoordinate(latitude: 1, longitude: -179))
        #expect(reader.nearest(2, to: GeoCoordinate(latitude: 89, longitude: -100)).map(\.key)[0] == "pole")
        #expect(
            reader.nearest(2, to: GeoCoordinate(latitude: 1, longitude: -180)).map(\.key) == ["line", "line2"])
        #expect(reader.hits(within: 0, of: GeoCoordinate(latitude: 0, longitude: 0)).map(\.key) == ["zero"])
        #expect(reader.hits(within: -1, of: GeoCoordinate(latitude: 0, longitude: 0)).isEmpty)
        #expect(reader.hits(within: .infinity, of: GeoCoordinate(latitude: 0, longitude: 0)).count == 8)
        #expect(
            GeoCoordinate(latitude: 0, longitude: 0).distance(to: GeoCoordinate(latitude: .nan, longitude: 0)).isNaN)
    }

    /// The distance of the longitude 1e308 to itself was half of the Earth's circumference.
    @Test(arguments: [180, -180, 540, 1e17, -1e17, 1e308, -1.5e308])
    func `A distance is that of the same longitude within a turn`(longitude: Double) {
        let place = GeoCoordinate(latitude: 12, longitude: longitude)
        let turned = GeoCoordinate(latitude: 12, longitude: longitude.remainder(dividingBy: 360))
        let other = GeoCoordinate(latitude: -30, longitude: 77)
        #expect(place.distance(to: place) == 0 && place.distance(to: turned) == 0)
        #expect(abs(place.distance(to: other) - turned.distance(to: other)) < 0.001)
        #expect(abs(other.distance(to: place) - other.distance(to: turned)) < 0.001)
    }

    @Test func `Every record is among the nearest if more are asked for than there are`() async throws {
        let database = Database.inMemory()
        try await database.register(Self.index)
        let center = GeoCoordinate(latitude: 41, longitude: 29)
        #expect(database.snapshot[Self.index].nearest(.max, to: center).isEmpty)
        try await database.write { transaction in
            for number in 0..<300 {
                transaction[.spots]["s\(number)"] = Spot(
                    place: GeoCoordinate(latitude: Double(number % 90), longitude: Double(number)))
            }
        }
        let reader = database.snapshot[Self.index]
        let all = reader.nearest(300, to: center).map(\.key)
        #expect(all.count == 300)
        for count in [301, Int.max / 2, Int.max / 2 + 1, Int.max - 1, Int.max] {
            #expect(reader.nearest(count, to: center).map(\.key) == all, "\(count)")
        }
    }

    @Test func `What is on the other side of the Earth is within half of its circumference`() async throws {
        let database = Database.inMemory()
        try await database.register(Self.index)
        try await database.write { transaction in
            for latitude in -90...90 {
                transaction[.spots]["s\(latitude)"] = Spot(
                    place: GeoCoordinate(latitude: Double(latitude), longitude: 143))
            }
        }
        let reader = database.snapshot[Self.index]
        for latitude in -90...90 {
            let center = GeoCoordinate(latitude: Double(-latitude), longitude: -37)
            for metres in [Double.infinity, 1e9, .pi * GeoCoordinate.earthRadius] {
                let hits = reader.hits(within: metres, of: center)
                #expect(hits.count == 181, "\(metres) of \(center)")
                #expect(hits.contains { $0.key == "s\(latitude)" }, "\(metres) of \(center)")
            }
        }
    }

    @Test func `A thousand records at one place are all found`() async throws {
        let database = Database.inMemory()
        try await database.register(Self.index)
        for round in 0..<4 {
            try await database.write { transaction in
                for number in 0..<250 {
                    transaction[.spots]["s\(round)-\(number)"] = Spot(place: GeoCoordinate(latitude: 5, longitude: 5))
                }
            }
        }
        let reader = database.snapshot[Self.index]
        #expect(reader.count(in: GeoBox(south: 5, west: 5, north: 5, east: 5)) == 1000)
        #expect(
            reader.nearest(1000, to: GeoCoordinate(latitude: 6, longitude: 6)).map(\.key)
                == database.snapshot[.spots].map(\.key))
        #expect(Array(reader.byDistance(from: GeoCoordinate(latitude: 6, longitude: 6))).count == 1000)
    }

    @Test func `A record that moves changes two pages and one key`() async throws {
        let database = Database.inMemory()
        try await database.write { transaction in
            var random = SplitMix64(seed: 3)
            for number in 0..<5000 {
                transaction[.spots]["s\(number)"] = Spot(
                    place: GeoCoordinate(
                        latitude: Double(random.below(170)) - 85, longitude: Double(random.below(360)) - 180))
            }
        }
        try await database.register(Self.index)
        let before = database.snapshot
        try await database.write { $0[.spots]["s77"]!.place = GeoCoordinate(latitude: 12.5, longitude: 12.5) }
        let after = database.snapshot
        var count = 0
        withExtendedLifetime((before, after)) {
            for (a, b) in zip(before[Self.index].root.trees, after[Self.index].root.trees) {
                TreeRoot.difference(from: a, to: b) { step in if case .removed = step {} else { count += 1 } }
            }
        }
        #expect(count <= 3)
    }
}
