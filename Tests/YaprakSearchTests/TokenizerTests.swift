import Foundation
import TestSupport
import Testing
import Yaprak
import YaprakCore

@testable import YaprakSearch

/// What texts are split into, and what is one letter.
@Suite(.bounded) struct TokenizerTests {
    func terms(_ text: String, _ tokenizer: WordTokenizer = WordTokenizer(), _ purpose: TokenPurpose = .document)
        -> [String]
    {
        tokenizer.tokens(in: text, for: purpose).map(\.term)
    }

    @Test(arguments: [
        ("Hello, World!", ["hello", "world"]),
        ("naïve—café's C++ 3.14", ["naive", "cafe", "s", "c", "3", "14"]),
        ("Straße STRASSE ẞ", ["strasse", "strasse", "ss"]),
        ("Σίσυφος ΣΊΣΥΦΟΣ", ["σισυφοσ", "σισυφοσ"]),
        ("Łódź Ørsted Æon ﬁn Þór", ["lodz", "orsted", "aeon", "fin", "thor"]),
        ("e\u{301}te\u{301} \u{e9}t\u{e9}", ["ete", "ete"]),
        ("Ａｂｃ１２", ["abc12"]),
        ("हिन्दी", ["हिन्दी"]),
        ("foo\u{200b}bar \u{e01}\u{200b}\u{e02}", ["foo", "bar", "\u{e01}", "\u{e02}"]),
        ("soft\u{ad}hyphen می\u{200c}خواهم", ["softhyphen", "میخواهم"]),
        ("שָׁלוֹם مُحَمَّد", ["שלום", "محمد"]),
        ("🎉👩‍👩‍👧 ok", ["ok"]),
        ("", []), (" \n\t", []), ("\u{301}\u{301}", []),
        ("snake_case a.b", ["snake", "case", "a", "b"]),
    ])
    func `Words are folded`(text: String, expected: [String]) { #expect(terms(text) == expected) }

    @Test func `The Turkic i has a dot or none, by the locale alone`() {
        let text = "İstanbul ISPARTA ılık Iğdır I\u{307}zmir izmir"
        #expect(terms(text) == ["istanbul", "isparta", "ilik", "igdir", "izmir", "izmir"])
        for locale in [FoldingLocale.turkish, .azerbaijani, FoldingLocale(identifier: "tr-TR")] {
            let tokenizer = WordTokenizer(locale: locale)
            #expect(terms(text, tokenizer) == ["istanbul", "ısparta", "ılık", "ıgdır", "izmir", "izmir"])
        }
        #expect(FoldingLocale(identifier: "de_CH") == .root)
        #expect(WordTokenizer(locale: .turkish).identifier != WordTokenizer().identifier)
    }

    @Test func `A Turkic I with a mark is the capital of an i with that mark, in one piece or two`() {
        for folds in [true, false] {
            let tokenizer = WordTokenizer(locale: .turkish, foldsDiacritics: folds)
            for text in ["RESM\u{CE}", "RESMI\u{302}", "resm\u{EE}", "resmi\u{302}", "RESM\u{FF29}\u{302}"] {
                #expect(terms(text, tokenizer) == [folds ? "resmi" : "resmî"], "\(text)")
                #expect(terms(text, tokenizer, .query) == [folds ? "resmi" : "resmî"], "\(text)")
            }
            for text in ["I\u{307}", "\u{130}", "i", "\u{FF29}\u{307}"] {
                #expect(terms(text, tokenizer) == ["i"], "\(text)")
            }
            for text in ["I", "ı", "\u{FF29}"] { #expect(terms(text, tokenizer) == ["ı"], "\(text)") }
            // A dot above, behind a mark below or before it.
            for text in ["I\u{323}\u{307}", "I\u{307}\u{323}", "\u{1ECA}\u{307}", "\u{130}\u{323}"] {
                #expect(terms(text, tokenizer) == [folds ? "i" : "ị"], "\(text)")
            }
        }
        #expect(WordTokenizer(locale: .turkish).identifier.hasPrefix("words/6 tr "))
    }

    @Test(arguments: (0..<UInt64(Soak.volume(4, soak: 100))).map { $0 })
    func `Canonical equivalents of Latin letters are one term, whatever the locale`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let letters: [UInt32] = [
            0x49, 0x69, 0x130, 0x131, 0xCE, 0xEE, 0xCF, 0x12A, 0x12E, 0x12F, 0x1ECA, 0x1ECB, 0x1E2C, 0x1E2E, 0xFF29,
            0x49, 0x53, 0x15E, 0x47, 0x11F, 0x41, 0xE2, 0x20,
        ]
        let marks: [UInt32] = [0x300, 0x301, 0x302, 0x304, 0x307, 0x307, 0x308, 0x323, 0x327, 0x328, 0x330]
        let tokenizers = [FoldingLocale.root, .turkish].flatMap { locale in
            [true, false].map { WordTokenizer(locale: locale, foldsDiacritics: $0) }
        }
        for _ in 0..<400 {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<1 + random.below(4) {
                scalars.append(Unicode.Scalar(letters[random.below(letters.count)])!)
                for _ in 0..<random.below(4) { scalars.append(Unicode.Scalar(marks[random.below(marks.count)])!) }
            }
            let text = String(scalars)
            let values = scalars.map { String($0.value, radix: 16) }.joined(separator: " ")
            for tokenizer in tokenizers {
                let expected = terms(text.precomposedStringWithCanonicalMapping, tokenizer).map { Array($0.utf8) }
                for form in [text, text.decomposedStringWithCanonicalMapping] {
                    #expect(
                        terms(form, tokenizer).map { Array($0.utf8) } == expected,
                        "seed \(seed): \(values) of \(tokenizer.identifier)")
                }
            }
        }
    }

    // They were decomposed by Foundation alone, which does not know them.
    @Test(arguments: [true, false])
    func `Canonical equivalents of letters that came after Unicode 13 are one term`(foldsDiacritics: Bool) {
        let tokenizer = WordTokenizer(foldsDiacritics: foldsDiacritics)
        for (whole, parts) in OwnComposition.decompositions {
            let (one, two) = ("a\(whole)b \(whole)", "a\(String(String.UnicodeScalarView(parts)))b ")
            let other = two + String(String.UnicodeScalarView(parts))
            #expect(terms(one, tokenizer) == terms(other, tokenizer), "\(String(whole.value, radix: 16))")
            #expect(terms(one, tokenizer).map { Array($0.utf8) } == terms(other, tokenizer).map { Array($0.utf8) })
        }
    }

    @Test func `With accents, NFC and NFD are still one term`() {
        let tokenizer = WordTokenizer(foldsDiacritics: false)
        #expect(terms("RÉSUMÉ re\u{301}sume\u{301} resume", tokenizer) == ["résumé", "résumé", "resume"])
        // Marks in either sequence.
        #expect(terms("a\u{323}\u{302}", tokenizer) == terms("a\u{302}\u{323}", tokenizer))
        #expect(terms("ﬃ ŉ Ǆ", tokenizer) == terms("FFI \u{2bc}n ǆ", tokenizer))
    }

    @Test func `Chinese, Japanese and Korean are pairs, and one character at the end`() {
        #expect(terms("東京都 and 京") == ["東京", "京都", "都", "and", "京"])
        // In a query the last character has no term, and its position.
        #expect(terms("東京都 and", WordTokenizer(), .query) == ["東京", "京都", "", "and"])
        #expect(terms("and 東京都", WordTokenizer(), .query) == ["and", "東京", "京都", ""])
        let query = WordTokenizer().tokens(in: "東", for: .query)
        #expect(query.map(\.term) == ["東"] && query[0].isPrefix)
        // Decomposed syllables and kana are those of one piece.
        #expect(terms("\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}") == terms("한국"))
        #expect(terms("か\u{3099}は\u{309a}") == terms("がぱ"))
        // A compatibility ideograph is the other one.
        #expect(terms("\u{f900}") == terms("\u{8c48}"))
    }

    @Test func `A token is where the text has it`() {
        let text = "Ünï东京 fu\u{308}r 👍 cafe\u{301}!"
        for token in WordTokenizer().tokens(in: text, for: .document) {
            #expect(terms(String(text[token.range])).first == token.term, "\(token)")
        }
        #expect(
            WordTokenizer().tokens(in: text, for: .document).map { String(text[$0.range]) }
                == ["Ünï", "东京", "京", "fu\u{308}r", "cafe\u{301}"])
    }

    @Test func `Of a very long word the first bytes count, and only whole scalars`() {
        #expect(terms(String(repeating: "a", count: 10_000)) == [String(repeating: "a", count: 240)])
        let long = terms("x" + String(repeating: "ж", count: 1000))
        #expect(long.count == 1 && long[0].utf8.count == 239 && !long[0].unicodeScalars.contains("\u{fffd}"))
        // A letter that does not fit ends the word, whatever it is folded to; the next word has it.
        let first = String(repeating: "a", count: 239)
        for (letter, folded, tokenizer) in [
            ("Д", "д", WordTokenizer()), ("ŉ", "\u{2bc}n", WordTokenizer()),
            ("I", "ı", WordTokenizer(locale: .turkish)),
        ] {
            #expect(terms("\(first)\(letter)b \(letter)b", tokenizer) == [first, "\(folded)b"])
            #expect(terms("\(first)\(letter)b \(letter)b", tokenizer, .query) == [first, "\(folded)b"])
        }
        let marks = "e" + String(repeating: "\u{301}", count: 5000)
        #expect(terms(marks) == ["e"])
        #expect(terms(marks, WordTokenizer(foldsDiacritics: false)).count == 1)
    }

    @Test(arguments: (0..<UInt64(Soak.volume(4, soak: 100))).map { $0 })
    func `Random scalars never trap, and canonical equivalents are one`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let special: [UInt32] = [
            0x49, 0x307, 0x130, 0x3099, 0x309A, 0x1100, 0x1161, 0x11A8, 0x200D, 0x4E00, 0xDF, 0x345, 0x20,
        ]
        for _ in 0..<400 {
            var text = String.UnicodeScalarView()
            for _ in 0..<random.below(12) {
                let value =
                    random.chance(40)
                    ? special[random.below(special.count)] : UInt32(random.below(random.chance(50) ? 0x3100 : 0x110000))
                if let scalar = Unicode.Scalar(value) { text.append(scalar) }
            }
            let string = String(text)
            for tokenizer in [WordTokenizer(), WordTokenizer(locale: .turkish), WordTokenizer(foldsDiacritics: false)] {
                let tokens = tokenizer.tokens(in: string, for: .document)
                for token in tokens {
                    #expect(!token.term.isEmpty && token.term.utf8.count <= 240 && !token.term.utf8.contains(0))
                }
                #expect(tokens.map(\.range.lowerBound) == tokens.map(\.range.lowerBound).sorted(), "seed \(seed)")
                _ = tokenizer.tokens(in: string, for: .query)
            }
        }
    }

    @Test(arguments: (0..<UInt64(Soak.volume(4, soak: 100))).map { $0 })
    func `Two texts are what differs of them and what they have in common`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let special: [UInt32] = [
            0x49, 0x307, 0x130, 0x3099, 0x309A, 0x1100, 0x1161, 0x11A8, 0x200D, 0x4E00, 0x6771, 0xDF, 0x345, 0x27, 0x2E,
            0x33,
            0x61, 0x62, 0x2C, 0x0A,
        ]
        func part() -> String {
            var text = String.UnicodeScalarView()
            for _ in 0..<random.below(9) {
                let value = random.chance(30) ? 0x20 : special[random.below(special.count)]
                if let scalar = Unicode.Scalar(value) { text.append(scalar) }
            }
            return String(text)
        }
        struct Placed: Hashable {
            var term: [UInt8]
            var position: Int
        }
        var leftOut = 0
        for tokenizer in [WordTokenizer(), WordTokenizer(locale: .turkish), WordTokenizer(foldsDiacritics: false)] {
            let splitter = TextSplitter(tokenizer)
            for _ in 0..<300 {
                let (start, end) = (part(), part())
                let (old, new) = (start + part() + end, start + (random.chance(20) ? "" : part()) + end)
                func all(_ text: String) -> Set<Placed> {
                    var all: Set<Placed> = []
                    splitter.split(text, for: .document) {
                        all.insert(Placed(term: Array($0.term), position: $0.position))
                    }
                    return all
                }
                var found: [Bool: [Placed]] = [false: [], true: []]
                let parts = splitter.splitDifference(of: old, new) { token, isNew in
                    found[isNew]?.append(Placed(term: Array(token.term), position: token.position))
                }
                let (oldAll, newAll) = (all(old), all(new))
                let (oldFound, newFound) = (found[false] ?? [], found[true] ?? [])
                let place = "seed \(seed): \(old.debugDescription), \(new.debugDescription)"
                for (text, all, found) in [(old, oldAll, oldFound), (new, newAll, newFound)] {
                    var placed: [Placed] = []
                    let start = splitter.split(parts, of: text, for: .all) {
                        placed.append(Placed(term: Array($0.term), position: $0.position))
                    }
                    placed += found.map { Placed(term: $0.term, position: start + $0.position) }
                    #expect(placed.count == all.count && Set(placed) == all, "\(place)")
                }
                leftOut += oldAll.count - oldFound.count
            }
        }
        #expect(leftOut > 300)
    }

    @Test func `A text that is looked through for some terms has all of them, and is counted whole`() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix64(seed: seed)
        // What stands beside letters and digits in ASCII, spaces, both sorts of I, and what is not ASCII.
        let special: [UInt32] = [
            0x2F, 0x30, 0x39, 0x3A, 0x40, 0x41, 0x5A, 0x5B, 0x60, 0x61, 0x7A, 0x7B, 0x00, 0x10, 0x19, 0x1A, 0x5F, 0x7F,
            0x27, 0x49, 0x69, 0x20, 0x0A, 0x09, 0x130, 0x131, 0xDF, 0xE9, 0x301, 0x4E2D, 0x6587, 0x3042, 0x1F600,
        ]
        func text() -> String {
            var text = String.UnicodeScalarView()
            let hasOthers = random.chance(50)
            for _ in 0..<random.below(60) {
                let value = random.chance(20) ? 0x20 : special[random.below(hasOthers ? special.count : 24)]
                if let scalar = Unicode.Scalar(value) { text.append(scalar) }
            }
            if random.chance(5) { text.append(contentsOf: String(repeating: "long", count: 80).unicodeScalars) }
            return String(text)
        }
        struct Placed: Hashable {
            var term: [UInt8]
            var position: Int
        }
        var (found, leftOut) = (0, 0)
        for tokenizer in [WordTokenizer(), WordTokenizer(locale: .turkish), WordTokenizer(foldsDiacritics: false)] {
            let splitter = TextSplitter(tokenizer)
            for _ in 0..<1000 {
                let text = text()
                var all: [Placed] = []
                let count = splitter.split(text, for: .document) {
                    all.append(Placed(term: Array($0.term), position: $0.position))
                }
                var wanted = TermBeginnings()
                let first = Set((0..<random.below(3)).compactMap { _ in all.randomElement(using: &random)?.term.first })
                for byte in first { wanted.insert(byte) }
                var some: [Placed] = []
                let counted = splitter.split(TextSplitter.CommonParts(start: text.utf8.count), of: text, for: wanted) {
                    some.append(Placed(term: Array($0.term), position: $0.position))
                }
                let place = "seed \(seed): \(text.debugDescription)"
                #expect(counted == count, "\(place)")
                #expect(Set(some).count == some.count && Set(some).isSubset(of: all), "\(place)")
                #expect(Set(all.filter { first.contains($0.term[0]) }).isSubset(of: some), "\(place)")
                (found, leftOut) = (found + some.count, leftOut + all.count - some.count)
            }
        }
        #expect(found > 3000 && leftOut > 3000)
    }

    /// What a tokenizer of one's own makes of ours.
    struct Wrapped: SearchTokenizer {
        let identifier = "wrapped/1"
        func tokens(in text: String, for purpose: TokenPurpose) -> [SearchToken] {
            WordTokenizer().tokens(in: text, for: purpose)
        }
    }

    @Test(arguments: [WordTokenizer() as any SearchTokenizer, Wrapped()])
    func `No word stands between a run of Chinese and its neighbour`(tokenizer: any SearchTokenizer) async throws {
        let index = MailIndex("text", of: .mails, \.title, tokenizer: tokenizer)
        let database = Database.inMemory()
        try await database.register(index)
        try await database.write { transaction in
            transaction[.mails]["a"] = Mail(title: "東京 tower")
            transaction[.mails]["b"] = Mail(title: "tower 東京")
            transaction[.mails]["c"] = Mail(title: "東京 big tower")
            transaction[.mails]["d"] = Mail(title: "東京都 tower")
        }
        let reader = database.snapshot[index]
        #expect(reader.keys(matching: .near("東京", "tower", within: 0)) == ["a", "b"])
        #expect(reader.keys(matching: .near("東京", "tower", within: 1)) == ["a", "b", "c", "d"])
        #expect(reader.keys(matching: .near("東京都", "tower", within: 0)) == ["d"])
        #expect(reader.keys(matching: .phrase("東京 tower")) == ["a"])
        // What is shown is the run, not the character behind it.
        let record = try #require(database.snapshot[.mails].row(for: "d"))
        for query in [SearchQuery.word("東京"), .near("東京", "tower", within: 1)] {
            let first = reader.highlights(in: "title", of: record, for: query).first
            #expect(first.map { String(record.object.title[$0]) } == "東京", "\(query)")
        }
    }

    struct Commas: SearchTokenizer {
        let identifier = "commas/1"
        func tokens(in text: String, for purpose: TokenPurpose) -> [SearchToken] {
            text.split(separator: ",", omittingEmptySubsequences: false).map {
                SearchToken(String($0), at: $0.startIndex..<$0.endIndex)
            }
        }
    }

    /// Says what is wrong in every way.
    struct Confused: SearchTokenizer {
        let identifier = "confused/1"
        func tokens(in text: String, for purpose: TokenPurpose) -> [SearchToken] {
            let other = "another and longer string 🎉"
            return [
                SearchToken("", at: text.startIndex..<text.endIndex),
                SearchToken("a\0b", at: text.startIndex..<text.endIndex),
                SearchToken(String(repeating: "é", count: 500), at: other.endIndex..<other.endIndex),
                SearchToken("x", at: other.startIndex..<other.endIndex),
            ]
        }
    }

    @Test func `A tokenizer of one's own is asked, and what it says can't do harm`() async throws {
        let commas = MailIndex("commas", of: .mails, \.title, tokenizer: Commas())
        let confused = MailIndex("confused", of: .mails, \.title, tokenizer: Confused())
        let database = Database.inMemory()
        try await database.register(commas)
        try await database.register(confused)
        try await database.write { $0[.mails]["a"] = Mail(title: "red wine,White,,o") }
        #expect(database.snapshot[commas].keys(matching: .phrase("red wine")) == ["a"])
        #expect(database.snapshot[commas].keys(matching: .word("white")) == [])
        #expect(database.snapshot[confused].keys(matching: .word("anything")) == ["a"])
        let record = try #require(database.snapshot[.mails].row(for: "a"))
        _ = database.snapshot[confused].snippet(of: record, for: .word("x"))
        _ = database.snapshot[confused].highlights(in: "title", of: record, for: .word("x"))
        try await database.write { $0[.mails]["a"] = nil }
        #expect(database.snapshot[confused].count == 0)
    }
}
