package import YaprakCore

extension ChangeKinds {
    private static let names: [(kind: ChangeKinds, word: String)] = [
        (.inserted, "inserted"), (.removed, "removed"), (.objectChanged, "objectChanged"),
        (.metadataChanged, "metadataChanged"), (.objectTouched, "objectTouched"), (.metadataTouched, "metadataTouched"),
    ]

    /// The kinds of these names; others are skipped.
    package init(words: [String]) {
        self = Self.names.reduce(into: []) { if words.contains($1.word) { $0.formUnion($1.kind) } }
    }

    /// The names of the kinds.
    package var words: [String] { Self.names.filter { contains($0.kind) }.map(\.word) }
}
