/// The feature bits of a file header.
enum Features {
    /// Incompatible: files of the databases in the list of ancestors belong to this database, too.
    static let forked: UInt64 = 1
    /// Incompatible: a checkpoint has more sections than readers without this feature accept.
    static let manySections: UInt64 = 2
    static let knownIncompatible = forked | manySections
    /// Compatible: a repair replaced missing commits with empty ones.
    static let salvaged: UInt64 = 1
    /// Compatible, of a segment: a repair could not read the commits between the segment before and this one.
    static let followsHole: UInt64 = 2
}
