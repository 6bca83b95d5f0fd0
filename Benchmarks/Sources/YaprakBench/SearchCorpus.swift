import Foundation
import Yaprak

/// A document of the search measures: its texts.
struct SearchDocument: Codable, Sendable {
    var texts: [String]
    var latitude = Double.nan
    var longitude = Double.nan
    var group = ""
}

extension RecordCollection where Object == SearchDocument, Metadata == NoMetadata {
    static var documents: Self { Self("documents") }
}

/// Texts to search in.
struct SearchCorpus {
    let name: String
    let columns: [String]
    var keys: [String] = []
    var documents: [SearchDocument] = []
    /// The terms of each column, separated by spaces: what FTS5 is given, so that both have the same terms.
    var folded: [[String]] = []
    /// Whether documents are long.
    let isProse: Bool

    /// The cities of the world: names and other names.
    static func cities() throws -> SearchCorpus {
        struct City: Decodable {
            var id: String
            var name: String
            var alternateNames: [String]?
            var country: String
            var latitude: Double
            var longitude: Double
        }
        var corpus = SearchCorpus(name: "cities", columns: ["name", "others"], isProse: false)
        let decoder = JSONDecoder()
        for line in Fixture.lines(of: "cities.ndjson") {
            let city = try decoder.decode(City.self, from: Data(line))
            corpus.add(
                city.id,
                SearchDocument(
                    texts: [city.name, (city.alternateNames ?? []).joined(separator: " , ")], latitude: city.latitude,
                    longitude: city.longitude, group: city.country))
        }
        return corpus.isEmpty ? corpus : corpus.splitting()
    }

    /// The packages of Debian: name, section, description, as apt has them; empty where there is no apt.
    static func packages() -> SearchCorpus {
        var corpus = SearchCorpus(name: "packages", columns: ["name", "section", "text"], isProse: false)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/apt-cache")
        process.arguments = ["dumpavail"]
        let pipe = Pipe()
        process.standardOutput = pipe
        guard (try? process.run()) != nil else { return corpus }
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        var (name, section, text) = ("", "", "")
        var seen: Set<String> = []
        for line in String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("Package: ") { name = String(line.dropFirst(9)) }
            if line.hasPrefix("Section: ") { section = String(line.dropFirst(9)) }
            if line.hasPrefix("Description: ") { text = String(line.dropFirst(13)) }
            if line.hasPrefix("Description-en: ") { text = String(line.dropFirst(16)) }
            guard line.isEmpty, !name.isEmpty else { continue }
            if seen.insert(name).inserted { corpus.add(name, SearchDocument(texts: [name, section, text])) }
            (name, section, text) = ("", "", "")
        }
        return corpus.splitting()
    }

    /// Paragraphs made of the sentences of the packages: about 750 bytes each.
    static func prose(of packages: SearchCorpus) -> SearchCorpus {
        var corpus = SearchCorpus(name: "prose", columns: ["text"], isProse: true)
        var random = SplitMix64(11)
        let texts = packages.documents.map { $0.texts[2] }
        guard !texts.isEmpty else { return corpus }
        for number in 0..<20_000 {
            let text = (0..<16).map { _ in texts[Int(random.next() % UInt64(texts.count))] }.joined(separator: ". ")
            corpus.add("p\(number)", SearchDocument(texts: [text]))
        }
        return corpus.splitting()
    }

    private init(name: String, columns: [String], isProse: Bool) {
        self.name = name
        self.columns = columns
        self.isProse = isProse
    }

    var isEmpty: Bool { documents.isEmpty }

    private mutating func add(_ key: String, _ document: SearchDocument) {
        keys.append(key)
        documents.append(document)
    }

    private func splitting() -> SearchCorpus {
        var copy = self
        // In the order of keys, which is that of the numbers that documents get.
        let order = keys.indices.sorted { keys[$0].utf8.lexicographicallyPrecedes(keys[$1].utf8) }
        copy.keys = order.map { keys[$0] }
        copy.documents = order.map { documents[$0] }
        copy.folded = copy.documents.map { document in document.texts.map(Self.folded) }
        return copy
    }

    static func folded(_ text: String) -> String {
        WordTokenizer().tokens(in: text, for: .document).map(\.term).joined(separator: " ")
    }

    func index(_ name: String = "text") -> FullTextIndex<SearchDocument, NoMetadata> {
        FullTextIndex(
            name, of: .documents,
            columns: columns.enumerated().map { number, column in
                SearchColumn(column) { $0.object.texts[number] }
            })
    }

    func database() async throws -> Yaprak.Database {
        let database = Database.inMemory()
        try await database.write { transaction in
            for (key, document) in zip(keys, documents) { transaction[.documents][key] = document }
        }
        return database
    }
}

/// Queries drawn from a corpus: terms in many documents, in few, pairs of neighbours, beginnings.
struct SearchQueries {
    var common: [String] = []
    var rare: [String] = []
    var pairs: [(String, String)] = []
    var prefixes: [String] = []

    init(_ corpus: SearchCorpus) {
        var random = SplitMix64(42)
        func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
        var counts: [Substring: Int] = [:]
        let split = corpus.folded.map { $0.map { $0.split(separator: " ") } }
        for document in split { for term in Set(document.joined()) { counts[term, default: 0] += 1 } }
        var drawn: [Substring] = []
        var seen: Set<Substring> = []
        while drawn.count < 400 {
            let terms = Array(split[below(split.count)].joined())
            guard !terms.isEmpty else { continue }
            let term = terms[below(terms.count)]
            if seen.insert(term).inserted { drawn.append(term) }
        }
        drawn.sort { counts[$0]! > counts[$1]! }
        common = drawn.prefix(60).map(String.init)
        rare = drawn.suffix(340).shuffled(using: &random).prefix(60).map(String.init)
        while pairs.count < 100 {
            let terms = split[below(split.count)].last!
            guard terms.count >= 2 else { continue }
            let at = below(terms.count - 1)
            // Terms of Chinese overlap in a text, and would be split in another way in a query.
            let isPlain = [terms[at], terms[at + 1]].allSatisfy { $0.utf8.allSatisfy { $0 < 128 } }
            if isPlain, terms[at] != terms[at + 1] { pairs.append((String(terms[at]), String(terms[at + 1]))) }
        }
        while prefixes.count < 100 {
            let terms = Array(split[below(split.count)].joined())
            guard !terms.isEmpty else { continue }
            let term = terms[below(terms.count)]
            if term.utf8.allSatisfy({ $0 < 128 }) { prefixes.append(String(term.prefix(1 + below(4)))) }
        }
    }
}
