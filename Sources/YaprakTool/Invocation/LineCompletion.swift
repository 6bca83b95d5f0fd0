/// What the Tab key does to a line.
struct LineCompletion: Equatable {
    /// The completion of the text before the cursor; `nil` if there is none.
    typealias Source = (String) -> LineCompletion?

    /// How many Unicode scalars before the cursor go.
    var removedCount = 0
    /// What takes their place.
    var inserted = ""
    /// What to show under the line, if there is a choice. No control characters are in it.
    var choices: [String] = []
}
