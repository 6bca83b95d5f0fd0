package import YaprakCore

/// Which parts of a row have to be read again.
///
///     if change.aspects.contains(.object) { reload() } else { redrawDate() }
public struct RowAspects: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// Aspects with those bits. O(1).
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The object was set.
    public static let object = Self(rawValue: 1)
    /// The metadata was set.
    public static let metadata = Self(rawValue: 2)
    /// The record was touched: marked as changed without being written.
    public static let touch = Self(rawValue: 4)
    /// A neighbour that the drawing of the row depends on is another one, or changed.
    public static let dependency = Self(rawValue: 8)

    package init(_ kinds: ChangeKinds) {
        self = []
        if !kinds.isDisjoint(with: [.objectChanged, .inserted, .removed]) { insert(.object) }
        if !kinds.isDisjoint(with: [.metadataChanged, .inserted, .removed]) { insert(.metadata) }
        if !kinds.isDisjoint(with: [.objectTouched, .metadataTouched]) { insert(.touch) }
    }
}
