#if Snowball
    import CSnowball
    import YaprakLocks
    import YaprakModel

    /// Words reduced to their stems, so that "searching" finds "searches": the rules of Snowball for a language.
    ///
    ///     let index = FullTextIndex("messages.text", of: .messages, \.body, tokenizer: try StemmingTokenizer("english"))
    ///
    /// There with the package trait `Snowball`, which links libstemmer (Debian: libstemmer-dev; Homebrew: snowball). Words are
    /// those of ``WordTokenizer``; with `foldsDiacritics`, accents are dropped behind the rules, which need them. A prefix of a
    /// query (`runn*`) is compared with stems, so search as one types in an index without them.
    ///
    /// The stems of a language may differ between releases of libstemmer, which has no version to ask for: give the index another
    /// version tag when it is replaced.
    ///
    /// Rules: Snowball, <https://snowballstem.org>.
    /// - Complexity: O(bytes).
    public struct StemmingTokenizer: SearchTokenizer {
        /// The name of the language.
        public let language: String
        /// What splits text into words.
        public let words: WordTokenizer
        /// Whether stems are the same with and without accents.
        public let foldsDiacritics: Bool
        private let stemmers: StemmerPool

        /// The languages that the installed library has rules for, ascending: "danish", "english", …
        public static var languages: [String] {
            var names: [String] = []
            var next = sb_stemmer_list()
            while let name = next?.pointee {
                names.append(String(cString: name))
                next = next?.advanced(by: 1)
            }
            return names.sorted()
        }

        /// A tokenizer by the rules of a language.
        ///
        /// - Parameters:
        ///   - language: one of ``languages``.
        ///   - locale: by which letters are folded; that of the language, where folding depends on it, unless given.
        ///   - foldsDiacritics: whether stems are the same with and without accents.
        /// - Throws: ``DatabaseError`` `invalidQuery` if the installed library has no rules for the language.
        public init(_ language: String, locale: FoldingLocale? = nil, foldsDiacritics: Bool = true) throws {
            guard let stemmers = StemmerPool(language) else {
                throw DatabaseError(
                    .invalidQuery,
                    """
                    libstemmer has no rules for the language "\(language)". It has \
                    \(Self.languages.joined(separator: ", ")).
                    """)
            }
            self.language = language
            self.foldsDiacritics = foldsDiacritics
            self.stemmers = stemmers
            words = WordTokenizer(
                locale: locale ?? (language == "turkish" ? .turkish : .root), foldsDiacritics: false)
        }

        /// The language and the settings of the words.
        public var identifier: String {
            "stems/1 \(language)\(foldsDiacritics ? "" : " accents") \(words.identifier)"
        }

        /// The stems of a text. O(bytes).
        public func tokens(in text: String, for purpose: TokenPurpose) -> [SearchToken] {
            var tokens = words.tokens(in: text, for: purpose)
            let folding = WordTokenizer(locale: words.locale)
            stemmers.withStemmer { stemmer in
                for index in tokens.indices where !tokens[index].isPrefix && !tokens[index].term.isEmpty {
                    let stem = stemmer.stem(of: tokens[index].term)
                    tokens[index].term =
                        foldsDiacritics ? folding.tokens(in: stem, for: .document).first?.term ?? stem : stem
                }
            }
            return tokens
        }
    }

    /// The stemmers of one language that nobody uses: each serves one thread at a time.
    private final class StemmerPool: Sendable {
        private let language: String
        private let free: Mutex<[Stemmer]>

        /// `nil` if the library does not have the language.
        init?(_ language: String) {
            guard let first = Stemmer(language) else { return nil }
            self.language = language
            free = Mutex([first])
        }

        func withStemmer(_ body: (Stemmer) -> Void) {
            let known = free.withLock { $0.popLast() }
            // The library made one before; without memory for another the words stay as they are.
            guard let stemmer = known ?? Stemmer(language) else { return }
            body(stemmer)
            free.withLock { $0.append(stemmer) }
        }
    }

    /// An object of the library.
    private final class Stemmer: @unchecked Sendable {
        // Who has taken it out of the pool has it alone; that is the whole of the @unchecked.
        private let stemmer: OpaquePointer

        init?(_ language: String) {
            guard let stemmer = sb_stemmer_new(language, "UTF_8") else { return nil }
            self.stemmer = stemmer
        }

        deinit { sb_stemmer_delete(stemmer) }

        func stem(of word: String) -> String {
            var word = word
            return word.withUTF8 { bytes in
                guard let start = bytes.baseAddress, bytes.count <= Int(Int32.max),
                    let stem = sb_stemmer_stem(stemmer, start, Int32(bytes.count))
                else { return String(decoding: bytes, as: UTF8.self) }
                let count = Int(sb_stemmer_length(stemmer))
                return String(decoding: UnsafeBufferPointer(start: stem, count: count), as: UTF8.self)
            }
        }
    }
#endif
