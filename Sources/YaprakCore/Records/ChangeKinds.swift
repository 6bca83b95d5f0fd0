/// What happened to one record between two moments.
///
///     if change.kinds.contains(.objectChanged) { redraw(change.key) }
///
/// Kinds of several writes to one record within a commit, or of several commits taken as one, add up to their net effect:
/// a record that was inserted and then changed was inserted; one that was inserted and removed is not in the set at all;
/// one that was removed and inserted again was changed, object and metadata both.
public struct ChangeKinds: OptionSet, Hashable, Sendable {
    /// The bits, as they stand in the log.
    public let rawValue: UInt8
    /// Kinds with those bits. O(1).
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The record was not there before.
    public static let inserted = Self(rawValue: 1)
    /// The record is not there any more.
    public static let removed = Self(rawValue: 2)
    /// The object was set.
    public static let objectChanged = Self(rawValue: 4)
    /// The metadata was set, or reset to none.
    public static let metadataChanged = Self(rawValue: 8)
    /// The object was touched: said to have changed, though it was not written.
    public static let objectTouched = Self(rawValue: 16)
    /// The metadata was touched.
    public static let metadataTouched = Self(rawValue: 32)

    /// Whether somebody who shows the object should look again: it was inserted, removed, set or touched.
    public var concernsObject: Bool { !isDisjoint(with: [.inserted, .removed, .objectChanged, .objectTouched]) }
    /// Whether somebody who shows the metadata should look again.
    public var concernsMetadata: Bool { !isDisjoint(with: [.inserted, .removed, .metadataChanged, .metadataTouched]) }

    /// All kinds of changes that leave the record in place.
    static let updates: Self = [.objectChanged, .metadataChanged, .objectTouched, .metadataTouched]
}
