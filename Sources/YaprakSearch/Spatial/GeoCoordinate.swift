import Foundation

/// A place on the Earth, in degrees.
///
///     GeoCoordinate(latitude: 41.01, longitude: 28.95)
public struct GeoCoordinate: Sendable, Hashable, Codable {
    /// Degrees north of the equator, −90 to 90.
    public var latitude: Double
    /// Degrees east of Greenwich; 190 and −170 are the same.
    public var longitude: Double

    /// A place. Nothing is checked: an index leaves out what is no place (``isValid``).
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Whether it is a place: two numbers, of which the latitude is within −90…90.
    public var isValid: Bool { latitude >= -90 && latitude <= 90 && longitude.isFinite }

    /// The mean radius of the Earth in metres (IUGG).
    public static let earthRadius = 6_371_008.8

    /// The great-circle distance in metres, on a sphere: up to 0.6 % off the ellipsoid's. NaN if either is no place.
    public func distance(to other: GeoCoordinate) -> Double {
        guard isValid, other.isValid else { return .nan }
        return UnitVector(normalized).squaredChord(to: UnitVector(other.normalized)).arcLength
    }

    /// The same place with a longitude of −180 up to, but not including, 180; 0 at the poles, which lie on every meridian.
    var normalized: GeoCoordinate {
        if abs(latitude) == 90 { return GeoCoordinate(latitude: latitude, longitude: 0) }
        return GeoCoordinate(latitude: latitude, longitude: Self.wrapped(longitude))
    }

    /// A longitude in −180..<180.
    static func wrapped(_ longitude: Double) -> Double {
        if longitude >= -180 && longitude < 180 { return longitude }
        // This remainder is exact, −180 to 180; 0 takes the place of −0.
        let rest = longitude.remainder(dividingBy: 360)
        return (rest < 180 ? rest : -180) + 0
    }
}

/// A place as a point on the unit sphere: distances are compared without trigonometry, and no meridian is special.
struct UnitVector {
    let x: Double
    let y: Double
    let z: Double

    init(_ place: GeoCoordinate) {
        let latitude = place.latitude * .pi / 180
        let longitude = place.longitude * .pi / 180
        x = cos(latitude) * cos(longitude)
        y = cos(latitude) * sin(longitude)
        z = sin(latitude)
    }

    @inline(__always)
    func squaredChord(to other: UnitVector) -> Double {
        let (a, b, c) = (x - other.x, y - other.y, z - other.z)
        return a * a + b * b + c * c
    }
}

extension Double {
    /// The arc over a chord of the unit sphere, of which this is the square, in metres on the Earth.
    var arcLength: Double { 2 * GeoCoordinate.earthRadius * asin(min(1, squareRoot() / 2)) }

    /// The square of the chord of the unit sphere under an arc of so many metres on the Earth; infinity from half of the
    /// circumference on, which nothing is beyond. The way back gives the arc up to the last bits.
    var squaredChordOfArc: Double {
        // The square of a chord to the other side of the Earth may be computed as a little more than 4.
        if self >= .pi * GeoCoordinate.earthRadius { return .infinity }
        let half = sin(min(.pi / 2, self / GeoCoordinate.earthRadius / 2))
        return 4 * half * half
    }
}
