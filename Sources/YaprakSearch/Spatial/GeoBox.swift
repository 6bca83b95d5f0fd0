import Foundation

/// A part of the Earth between two parallels and two meridians, edges included.
///
///     GeoBox(south: 40, west: -10, north: 60, east: 20)
///     GeoBox(south: -20, west: 170, north: 0, east: -170)       // Fiji: across the antimeridian
///
/// From `west` it goes eastward to `east`, across the antimeridian if `east` is less. A pole is in each box whose edge is
/// there, because it lies on every meridian. A box with a number that is none, or whose south is north of its north, is
/// empty.
public struct GeoBox: Sendable, Hashable {
    /// The southern edge in degrees.
    public var south: Double
    /// The western edge in degrees.
    public var west: Double
    /// The northern edge in degrees.
    public var north: Double
    /// The eastern edge in degrees.
    public var east: Double

    /// A box by its edges.
    public init(south: Double, west: Double, north: Double, east: Double) {
        self.south = south
        self.west = west
        self.north = north
        self.east = east
    }

    /// Whether a place is in the box. O(1).
    public func contains(_ place: GeoCoordinate) -> Bool {
        guard place.isValid else { return false }
        let place = place.normalized
        return parts.contains { $0.contains(place.latitude, place.longitude) }
    }

    /// A box that crosses no meridian where numbers jump; longitudes are −180..<180.
    struct Part {
        var south: Double
        var north: Double
        var west: Double
        var east: Double

        @inline(__always)
        func contains(_ latitude: Double, _ longitude: Double) -> Bool {
            latitude >= south && latitude <= north && longitude >= west && longitude <= east
        }
    }

    /// The box in parts that do not overlap, but perhaps at −180 and at the poles.
    var parts: [Part] {
        guard south <= north, west.isFinite, east.isFinite else { return [] }
        let (south, north) = (max(-90, south), min(90, north))
        guard south <= north else { return [] }
        var parts: [Part] = []
        func add(_ west: Double, _ east: Double) {
            parts.append(Part(south: south, north: north, west: west, east: east))
        }
        // Going eastward from one to the other; a full turn or more is everything.
        let width = east >= west ? east - west : east - west + 360
        if width >= 360 {
            add(-180, 180)
        } else {
            let start = GeoCoordinate.wrapped(west)
            let end = start == west && east >= west && east <= 180 ? east : GeoCoordinate.wrapped(east)
            if end >= start {
                add(start, end)
                if end == 180 { add(-180, -180) }
            } else {
                add(start, 180)
                add(-180, end)
            }
        }
        // Poles are stored on one meridian, and are on all.
        for pole in [-90.0, 90] where south <= pole && pole <= north {
            parts.append(Part(south: pole, north: pole, west: 0, east: 0))
        }
        return parts
    }

    /// The smallest boxes around a circle, given as an arc in radians; a little larger, for what rounding does.
    static func parts(around center: GeoCoordinate, arc: Double) -> [Part] {
        let degrees = arc * 180 / .pi * 1.000_000_1 + 1e-7
        let (south, north) = (center.latitude - degrees, center.latitude + degrees)
        guard south > -90, north < 90 else {
            return [Part(south: max(-90, south), north: min(90, north), west: -180, east: 180)]
        }
        let ratio = sin(degrees * .pi / 180) / cos(center.latitude * .pi / 180)
        guard ratio < 1 else { return [Part(south: south, north: north, west: -180, east: 180)] }
        let width = asin(ratio) * 180 / .pi * 1.000_000_1 + 1e-7
        guard width < 180 else { return [Part(south: south, north: north, west: -180, east: 180)] }
        let (west, east) = (center.longitude - width, center.longitude + width)
        if west < -180 {
            return [
                Part(south: south, north: north, west: -180, east: east),
                Part(south: south, north: north, west: west + 360, east: 180),
            ]
        }
        if east >= 180 {
            return [
                Part(south: south, north: north, west: west, east: 180),
                Part(south: south, north: north, west: -180, east: east - 360),
            ]
        }
        return [Part(south: south, north: north, west: west, east: east)]
    }
}
