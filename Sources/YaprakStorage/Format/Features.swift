/// The bits of the features in a file header.
enum Features {
    /// Incompatible: files of other databases belong here, as the list of ancestors says.
    static let forked: UInt64 = 1
    /// Incompatible: a checkpoint has more sections than readers before this feature take.
    static let manySections: UInt64 = 2
    static let knownIncompatible = forked | manySections
    /// Compatible: commits are missing, which a repair has put empty ones in place of.
    static let salvaged: UInt64 = 1
}
