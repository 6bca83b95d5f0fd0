/// The language by whose rules letters are folded.
///
/// Only the Turkic languages differ: their alphabet has a dotted and a dotless i, so that `I` is the capital of `ı` and `İ`
/// that of `i`. Everywhere else all four are one letter. An `I` with another mark is the capital of `i` with that
/// mark (`Î`, `î`), in one piece or decomposed. Never taken from the environment: an index must not depend on the machine it is
/// read on.
///
///     WordTokenizer(locale: .turkish)
public struct FoldingLocale: Sendable, Hashable {
    /// The language's code: `tr`, `az`, or `root`.
    public let identifier: String

    /// Rules of no single language.
    public static let root = FoldingLocale("root")
    /// `I` is the capital of `ı`, `İ` that of `i`.
    public static let turkish = FoldingLocale("tr")
    /// As Turkish.
    public static let azerbaijani = FoldingLocale("az")

    private init(_ identifier: String) { self.identifier = identifier }

    /// The rules of a locale by its identifier, such as `tr-TR` or `de_CH`: the root's unless the language has its own.
    public init(identifier: String) {
        let language = identifier.prefix { $0 != "-" && $0 != "_" }.lowercased()
        self = ["tr", "az"].contains(language) ? FoldingLocale(language) : .root
    }

    var isTurkic: Bool { self != .root }
}
