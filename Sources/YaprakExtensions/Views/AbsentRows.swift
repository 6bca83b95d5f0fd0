/// What a root keeps of rows that it does not show. One reference, and none where there is nothing to keep, as in nearly all.
struct AbsentRows: Sendable {
    private final class Kept: Sendable {
        let departed: DepartedTouches
        let hidden: HiddenRows

        init(_ departed: DepartedTouches, _ hidden: HiddenRows) {
            self.departed = departed
            self.hidden = hidden
        }
    }

    private var kept: Kept?

    init() {}

    init(_ departed: DepartedTouches, _ hidden: HiddenRows) { keep(departed, hidden) }

    var departed: DepartedTouches {
        get { kept?.departed ?? DepartedTouches() }
        set { keep(newValue, hidden) }
    }
    var hidden: HiddenRows {
        get { kept?.hidden ?? HiddenRows() }
        set { keep(departed, newValue) }
    }

    private mutating func keep(_ departed: DepartedTouches, _ hidden: HiddenRows) {
        kept = departed.isEmpty && hidden.isEmpty ? nil : Kept(departed, hidden)
    }
}
