/// The version of Unicode that the standard library's tables have. It folds by them, so an index must be rebuilt when they
/// change.
enum UnicodeVersion {
    /// The version of the newest character that the tables know among those of which each version brought some.
    static let current: String = {
        // Pictographs come with each major version, ideographs with 15.1.
        var newest = (major: 0, minor: 0)
        for value in Array(0x1FA70...0x1FAFF as ClosedRange<UInt32>) + [0x2EBF0] {
            guard let age = Unicode.Scalar(value)?.properties.age, age > newest else { continue }
            newest = age
        }
        return "\(newest.major).\(newest.minor)"
    }()
}
