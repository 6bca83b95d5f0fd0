/// The empty commit in place of one that a repair could not read.
package enum SalvageMark {
    /// The origin of that commit.
    package static let origin = "yaprak repair: lost"
}
