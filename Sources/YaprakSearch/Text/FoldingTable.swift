import YaprakLocks

/// What each Unicode scalar is folded to, in pages of 256 that are computed when a text first has one of them.
///
/// One table for each combination of settings, shared by all indexes and never freed: a scanner keeps plain pointers to
/// the pages it has met.
final class FoldingTable: Sendable {
    /// Stands between words.
    static let separator: UInt32 = 0
    /// Leaves no trace.
    static let dropped: UInt32 = 1 << 28
    /// Of a script without spaces between words; the scalar is in the low bits.
    static let wide: UInt32 = 1 << 29
    /// Several scalars; ask for them by ``expansion(of:)``.
    static let several: UInt32 = 1 << 30
    /// A mark that stays: the term has to be normalised.
    static let mark: UInt32 = 1 << 27
    /// A capital I that the marks behind it may make another letter; see ``FoldingRules/dependsOnMarks(_:)``.
    static let capitalI: UInt32 = 1 << 26
    static let scalarMask: UInt32 = (1 << 21) - 1

    /// Pages that there are.
    static let pageCount = 0x110000 >> 8

    /// The folded bytes of ASCII; 0 for what stands between words.
    let ascii: ASCIITable
    /// Whether letters and digits are all of ASCII that stands in words, and each letter becomes the small one.
    let hasPlainASCII: Bool
    let rules: FoldingRules
    private let made = Mutex(Made())

    /// Pages and expansions by number and by scalar.
    private struct Made: @unchecked Sendable {
        var pages: [Int: UnsafePointer<UInt32>] = [:]
        var expansions: [UInt32: [UInt8]] = [:]
    }

    struct ASCIITable: @unchecked Sendable {
        let bytes: UnsafePointer<UInt8>
    }

    private init(_ rules: FoldingRules) {
        self.rules = rules
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 128)
        for value in 0..<128 as Range<UInt8> {
            // Of the letters, only the Turkic I has a folded form that is not ASCII. The scanner knows it.
            let folded = rules.fold(UInt32(value)) ?? []
            bytes[Int(value)] = folded.count == 1 && folded[0].value < 128 ? UInt8(folded[0].value) : 0
        }
        ascii = ASCIITable(bytes: UnsafePointer(bytes))
        hasPlainASCII = (0..<128 as Range<UInt8>).allSatisfy { value in
            let scalar = Unicode.Scalar(value)
            let isInWords = ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
            let small = ("A"..."Z").contains(scalar) ? value | 0x20 : value
            return bytes[Int(value)] == (isInWords ? small : 0)
        }
    }

    private static let tables: [WordTokenizer: FoldingTable] = {
        var tables: [WordTokenizer: FoldingTable] = [:]
        for locale in [FoldingLocale.root, .turkish] {
            for folds in [true, false] {
                tables[WordTokenizer(locale: locale, foldsDiacritics: folds)] = FoldingTable(
                    FoldingRules(isTurkic: locale.isTurkic, foldsDiacritics: folds))
            }
        }
        return tables
    }()

    /// The table of a tokenizer's settings.
    static func table(for tokenizer: WordTokenizer) -> FoldingTable {
        // Both Turkic languages have the same rules.
        tables[
            WordTokenizer(
                locale: tokenizer.locale.isTurkic ? .turkish : .root, foldsDiacritics: tokenizer.foldsDiacritics)]!
    }

    /// The page of the scalars from `number << 8` on.
    func page(_ number: Int) -> UnsafePointer<UInt32> {
        if let page = made.withLock({ $0.pages[number].map(SharedPage.init) }) { return page.entries }
        let page = UnsafeMutablePointer<UInt32>.allocate(capacity: 256)
        var expansions: [UInt32: [UInt8]] = [:]
        for low in 0..<256 as Range<UInt32> {
            let scalar = UInt32(number) << 8 | low
            page[Int(low)] = entry(of: scalar, &expansions)
        }
        let new = SharedPage(entries: UnsafePointer(page))
        let found = expansions
        let kept = made.withLock { made in
            if let other = made.pages[number] { return SharedPage(entries: other) }
            made.pages[number] = new.entries
            made.expansions.merge(found) { first, _ in first }
            return new
        }
        if kept.entries != new.entries { page.deallocate() }
        return kept.entries
    }

    private struct SharedPage: @unchecked Sendable {
        let entries: UnsafePointer<UInt32>
    }

    /// The folded UTF-8 of a scalar whose entry says ``several``.
    func expansion(of scalar: UInt32) -> [UInt8] { made.withLock { $0.expansions[scalar] } ?? [] }

    private func entry(of scalar: UInt32, _ expansions: inout [UInt32: [UInt8]]) -> UInt32 {
        guard let folded = rules.fold(scalar) else { return Self.separator }
        guard let first = folded.first else { return Self.dropped }
        let keepsMarks = folded.contains { FoldingRules.isMark($0) }
        var flags = keepsMarks ? Self.mark : 0
        if first == "i" || first == "\u{131}", rules.dependsOnMarks(scalar) { flags |= Self.capitalI }
        if folded.count == 1 {
            if FoldingRules.isWide(first.value) { return Self.wide | first.value }
            return first.value | flags
        }
        expansions[scalar] = Array(String(String.UnicodeScalarView(folded)).utf8)
        return Self.several | flags
    }
}
