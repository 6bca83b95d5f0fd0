import Yaprak

extension ChangeKinds {
    /// `+` inserted, `-` removed, `~` changed, `!` touched.
    var sign: Character {
        if contains(.inserted) { return "+" }
        if contains(.removed) { return "-" }
        return isDisjoint(with: [.objectChanged, .metadataChanged]) ? "!" : "~"
    }
}
