extension ClosedRange<UInt64> {
    /// The commits of these numbers: `commit 6`, `commits 6 to 8`. With `isGrouped`, for titles, `commits 1 to 31,108`.
    package func commitsText(isGrouped: Bool = false) -> String {
        let text = { (number: UInt64) in isGrouped ? number.grouped : "\(number)" }
        return isOne ? "commit \(text(lowerBound))" : "commits \(text(lowerBound)) to \(text(upperBound))"
    }

    /// The commits with a verb: `commit 6 was`, `commits 6 to 8 were`.
    package func commitsText(_ one: String, _ several: String) -> String {
        "\(commitsText()) \(isOne ? one : several)"
    }

    /// The same at the beginning of a sentence: `Commit 6 was`, `Commits 6 to 8 were`.
    package func commitsSentence(_ one: String, _ several: String) -> String {
        "C\(commitsText(one, several).dropFirst())"
    }

    private var isOne: Bool { lowerBound == upperBound }
}

extension ClosedRange<CommitNumber> {
    /// These commits: `commit 6`, `commits 6 to 8`. With `isGrouped`, for titles, `commits 1 to 31,108`.
    package func commitsText(isGrouped: Bool = false) -> String { numbers.commitsText(isGrouped: isGrouped) }

    /// The commits with a verb: `commit 6 was`, `commits 6 to 8 were`.
    package func commitsText(_ one: String, _ several: String) -> String { numbers.commitsText(one, several) }

    private var numbers: ClosedRange<UInt64> { lowerBound.rawValue...upperBound.rawValue }
}
