/// What stands in the place of a commit that a repair could not read.
package enum SalvageMark {
    /// The origin of such a commit.
    package static let origin = "yaprak repair: lost"
}
