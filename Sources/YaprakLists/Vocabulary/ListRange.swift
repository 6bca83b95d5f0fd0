/// Which part of a group a list shows.
///
///     sections.setRange(.fixed(length: 20, from: .beginning), for: "sci-fi")      // the first twenty, always
///     sections.setRange(.flexible(length: 50, from: .end), for: "chat")           // the last fifty, and what comes
///
/// A *fixed* range is LIMIT and OFFSET: however the group changes, it shows `length` rows that begin `offset` rows from
/// its pin. A *flexible* range starts at the same place and then stays with its rows: it grows and shrinks by what comes
/// and goes inside, and moves with them when something changes between it and its pin.
public struct ListRange: Hashable, Sendable {
    /// An end of a group, or of the part that is shown.
    public enum Side: Hashable, Sendable {
        /// The end where the first row is.
        case beginning
        /// The end where the last row is.
        case end

        /// The other one. O(1).
        public var opposite: Side { self == .beginning ? .end : .beginning }
    }

    /// On which side rows that come exactly at the edge of a flexible range belong to it.
    public enum Growth: Hashable, Sendable {
        /// At the side of the pin only.
        case pinSide
        /// At the side away from the pin only.
        case otherSide
        /// At both.
        case bothSides
    }

    /// How many rows are asked for. Fewer are shown while the group has fewer; the number asked for stays.
    public let length: Int
    /// The number of rows between the pin and the range.
    public let offset: Int
    /// The end of the group that `offset` counts from.
    public let pin: Side
    /// How a flexible range behaves; `nil` if it is fixed.
    public let flexibility: Flexibility?

    /// How a flexible range behaves.
    public struct Flexibility: Hashable, Sendable {
        /// As long as the group has this many rows, at least this many are shown.
        public let minLength: Int
        /// At most this many rows are shown.
        public let maxLength: Int
        /// Where rows at an edge belong to the range.
        public let growth: Growth
    }

    /// Always `length` rows, `offset` rows from `pin`; fewer where the group ends.
    ///
    /// - Precondition: neither number is negative. O(1).
    public static func fixed(length: Int, offset: Int = 0, from pin: Side) -> Self {
        Self(length: length, offset: offset, pin: pin, flexibility: nil)
    }

    /// Starts as `length` rows, `offset` rows from `pin`, then stays with its rows.
    ///
    /// After each change, rows beyond `maxLength` leave at the side away from the pin, and a range shorter than
    /// `minLength` takes in rows at the side of the pin first, then at the other. While it is shorter than `length`
    /// because the group ends there, or because all its rows went, it grows on both sides: on a side that `growth` does not
    /// name, only until it has `length` rows. Where none of its rows is left, all that one update brings to their place belong
    /// to it. When no row of the group is left, it begins again at `length` and `offset`, however long it
    /// had grown; what was added by ``ViewMappings/extend(_:by:at:in:)`` is part of `length`.
    ///
    /// An update counts as its removals, then its insertions, however many commits it covers; `minLength` and `maxLength` apply
    /// after both. While the group has never had more than `offset` rows, there is nothing to stay with: the range begins at
    /// `offset` as soon as there are more.
    ///
    ///     .flexible(length: 50, from: .end, maxLength: 300)
    ///
    /// - Precondition: no number is negative, and neither `minLength` nor `length` is above `maxLength`. O(1).
    public static func flexible(
        length: Int, offset: Int = 0, from pin: Side, minLength: Int = 0, maxLength: Int = .max,
        growing growth: Growth = .pinSide
    ) -> Self {
        precondition(minLength >= 0 && minLength <= maxLength, "the least length of a range is at most its greatest")
        precondition(length <= maxLength, "the length of a range is at most its greatest length")
        let flexibility = Flexibility(minLength: minLength, maxLength: maxLength, growth: growth)
        return Self(length: length, offset: offset, pin: pin, flexibility: flexibility)
    }

    /// Whether it stays with its rows. O(1).
    public var isFlexible: Bool { flexibility != nil }

    /// The same range in a list that shows the group in reverse order. O(1).
    public var reversed: Self { Self(length: length, offset: offset, pin: pin.opposite, flexibility: flexibility) }

    init(length: Int, offset: Int, pin: Side, flexibility: Flexibility?) {
        precondition(length >= 0 && offset >= 0, "a range has a length and an offset, not less than 0")
        self.length = length
        self.offset = offset
        self.pin = pin
        self.flexibility = flexibility
    }

    /// Longer by `count` at `side`, in the same orientation; the rows it has now stay.
    ///
    /// - Parameter addedAtPin: how many rows that shows at the side of the pin. The window of a flexible range may have moved
    ///   further from its pin than `offset`.
    func extended(by count: Int, at side: Side, addedAtPin: Int = 0) -> Self {
        let towardsPin = side == pin ? min(count, offset) : 0
        let grown = side == pin ? max(towardsPin, addedAtPin) : count
        let (sum, isBeyond) = length.addingReportingOverflow(grown)
        return Self(
            length: min(isBeyond ? .max : sum, flexibility?.maxLength ?? .max), offset: offset - towardsPin, pin: pin,
            flexibility: flexibility)
    }
}
