import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakSimulator
import YaprakStorage
import YaprakTrees

@testable import YaprakCore
@testable import YaprakSearch

/// What of an index is in the files, and what a launch makes of it.
@Suite(.bounded) struct FullTextFilesTests {
    /// Hides the bytes of records, in the way of a child.
    struct Mirror: RecordCoder {
        let name = "mirror"
        func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] { try CBOREncoder().encode(value).map { ~$0 } }
        func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
            try CBORDecoder().decode(type, from: bytes.map { ~$0 })
        }
    }

    static func open(_ disk: MemoryFileSystem, hidden: Bool = false) async throws -> Database {
        let collection = hidden ? RecordCollection.mails.configured { $0.coder = Mirror() } : .mails
        return try await Database.open(
            at: "/db", options: DatabaseOptions(), bindings: [TypedBinding(collection)], fileSystem: disk)
    }

    static func fill(_ database: Database) async throws {
        try await database.write { transaction in
            for number in 0..<50 {
                transaction[.mails]["m\(number)"] = Mail(title: "secret \(number)", body: "of the spice")
            }
        }
    }

    @Test func `Nothing is stored of a collection with a coder of its own, unless it is asked for`() async throws {
        let kinds: [(SearchPersistence, hidden: Bool, ExtensionHost.Origin)] = [
            (.automatic, false, .adopted), (.automatic, true, .populated), (.checkpoints, true, .adopted),
            (.rebuilt, false, .populated),
        ]
        for (persistence, hidden, origin) in kinds {
            let disk = MemoryFileSystem()
            let index = MailIndex("text", of: .mails, \.title, \.body, persistence: persistence)
            var database = try await Self.open(disk, hidden: hidden)
            try await Self.fill(database)
            try await database.register(index)
            try await database.checkpoint()
            try await database.close()
            database = try await Self.open(disk, hidden: hidden)
            let host = try await database.register(index)
            #expect(await host.origin == origin, "\(persistence), hidden: \(hidden)")
            #expect(database.snapshot[index].count(matching: .word("secret")) == 50)
            try await database.close()
        }
    }

    @Test func `A coder that comes later hides what was stored before`() async throws {
        let disk = MemoryFileSystem()
        let index = MailIndex("text", of: .mails, \.title)
        let database = try await Database.open(at: "/db", options: DatabaseOptions(), bindings: [], fileSystem: disk)
        try await database.register(index)
        try await database.bind(RecordCollection.mails.configured { $0.coder = Mirror() })
        try await Self.fill(database)
        try await database.checkpoint()
        #expect(database.snapshot[index].count(matching: .word("secret")) == 50)
        let item = database.snapshot.state.entry(ofExtension: "text")!
        #expect(try item.registration.encode(item.root, in: database.snapshot.state) == nil)
        try await database.close()
    }

    @Test func `An index is made again when its tag, its columns or its tokenizer differ`() async throws {
        let disk = MemoryFileSystem()
        var database = try await Self.open(disk)
        try await Self.fill(database)
        try await database.register(MailIndex("text", of: .mails, \.title, \.body))
        try await database.checkpoint()
        try await database.close()
        let others: [(MailIndex, ExtensionHost.Origin)] = [
            (MailIndex("text", of: .mails, \.title, \.body), .adopted),
            (MailIndex("text", versionTag: "2", of: .mails, \.title, \.body), .populated),
            (MailIndex("text", of: .mails, \.body, \.title), .populated),
            (MailIndex("text", of: .mails, \.title, \.body, tokenizer: WordTokenizer(locale: .turkish)), .populated),
        ]
        for (index, origin) in others {
            database = try await Self.open(disk)
            let host = try await database.register(index)
            #expect(await host.origin == origin, "\(index.versionTag)")
            try await database.close()
        }
        let tag = MailIndex("text", versionTag: "7", of: .mails, \.title).versionTag
        #expect(tag.hasPrefix("7|\"title\"|words/5 root unicode/"))
    }

    /// It was taken for the index of these records, whose keys are the same, and had the words of the others.
    @Test func `An index is made again for another collection, also of records with the same keys`() async throws {
        let disk = MemoryFileSystem()
        let drafts = RecordCollection<Mail, NoMetadata>("drafts")
        func open() async throws -> Database {
            try await Database.open(
                at: "/db", options: DatabaseOptions(),
                bindings: [TypedBinding(RecordCollection.mails), TypedBinding(drafts)], fileSystem: disk)
        }
        var database = try await open()
        try await database.write { transaction in
            for number in 0..<10 {
                transaction[.mails]["m\(number)"] = Mail(title: "alpha \(number)")
                transaction[drafts]["m\(number)"] = Mail(title: "beta \(number)")
            }
        }
        try await database.register(MailIndex("text", of: .mails, \.title))
        try await database.checkpoint()
        try await database.close()
        let index = MailIndex("text", of: drafts, \.title)
        for origin in [ExtensionHost.Origin.populated, .adopted] {
            database = try await open()
            let host = try await database.register(index)
            #expect(await host.origin == origin)
            let reader = database.snapshot[index]
            #expect(reader.count(matching: .word("beta")) == 10 && reader.top(20, for: .word("beta")).count == 10)
            #expect(reader.count(matching: .word("alpha")) == 0)
            // A commit has one checkpoint.
            try await database.write { $0[drafts]["other"] = Mail(title: "gamma") }
            try await database.checkpoint()
            try await database.close()
        }
    }

    @Test func `Stored bytes that are damaged make an index again and never trap`() async throws {
        let database = Database.inMemory()
        let index = MailIndex("text", of: .mails, \.title, \.body)
        try await database.register(index)
        var mail = RandomMail(seed: 5)
        for _ in 0..<40 { try await mail.write(to: database) }
        let snapshot = database.snapshot
        let keys = snapshot[.mails].map(\.key)
        let whole = StoredFullText(snapshot[index].root, ofCollectionNamed: "mails")
        let timeline = Timeline(arena: Arena()) { _ in }
        var boxes: [RecordBox] = []
        snapshot.tree(of: CollectionTypes(.mails)).forEach { boxes.append(unsafeDowncast($0, to: RecordBox.self)) }
        let (before, after) = (boxes[0], boxes[1])
        let columns = [
            ColumnText { $0 === before ? "dune of the spice" : "" },
            ColumnText { $0 === after ? "spice the worm" : nil },
        ]
        let editor = FullTextEditor(columns, WordTokenizer())
        let tools = SearchTools(
            columnNames: ["a", "b"], weights: nil, types: CollectionTypes(.mails), tokenizer: WordTokenizer())
        let terms = Set(snapshot[.mails].flatMap { "\($0.object.title) \($0.object.body)".split(separator: " ") })
            .sorted().prefix(3).map(String.init)
        let queries: [SearchQuery] = [
            .typing("s"), .word(terms[0]), .all(of: terms.map { .word($0) }), .any(of: terms.map { .word($0) }),
            .phrase("\(terms[0]) \(terms[1])"), .near(terms[0], terms[1], within: 3),
            SearchQuery.word(terms[0]).excluding(.word(terms[1])),
            // Of more than eight equal words, the places are bits.
            .phrase(Array(repeating: "the", count: 9).joined(separator: " ")),
        ]
        func attempt(_ stored: StoredFullText) -> FullTextRoot? {
            let draft = timeline.beginDraft()
            defer { draft.abort(roots: []) }
            guard let bytes = try? stored.encoded(), let decoded = try? StoredFullText(decoding: bytes),
                let root = try? decoded.root(ofCollectionNamed: "mails", keys: keys, columnCount: 2, draft: draft)
            else { return nil }
            // What is accepted can be read and edited.
            for query in queries {
                let search = FullTextSearch(query, root, tools, SearchKit(WordTokenizer()))
                _ = search.matches().count
                _ = search.top(5)
            }
            var edited = root
            editor.follow(keys[0], before: before, after: after, in: &edited, draft)
            editor.finish(&edited, draft)
            #expect(editor.table.count == 0, "nothing is kept for the next use")
            return edited
        }
        #expect(attempt(whole) != nil)
        var random = SplitMix64(seed: 9)
        var refused = 0
        for _ in 0..<Soak.volume(250, soak: 50_000) {
            var stored = whole
            func damage(_ bytes: inout [UInt8]) {
                guard !bytes.isEmpty else { return }
                switch random.below(4) {
                case 0: bytes[random.below(bytes.count)] ^= UInt8(1 << random.below(8))
                case 1: bytes[random.below(bytes.count)] = UInt8(random.below(256))
                case 2: bytes.removeLast(1 + random.below(min(8, bytes.count)))
                default: bytes.insert(UInt8(random.below(256)), at: random.below(bytes.count))
                }
            }
            switch random.below(10) {
            case 0: damage(&stored.numbers)
            case 1: damage(&stored.lengths)
            case 2: damage(&stored.pageSizes)
            case 3: stored.capacity = [0, 1, -1, .max, 1 << 31, stored.capacity + 1][random.below(6)]
            case 4, 5: Self.exchangePlaces(in: &stored, &random)
            default: damage(&stored.pages)
            }
            if attempt(stored) == nil { refused += 1 }
        }
        #expect(refused > 0)
        timeline.close(roots: [])
    }

    /// Exchanges some places of a page; its runs are whole all the same.
    private static func exchangePlaces(in stored: inout StoredFullText, _ random: inout SplitMix64) {
        let sizes = stride(from: 0, to: stored.pageSizes.count, by: 4).map { at in
            (0..<4).reduce(0) { $0 | Int(stored.pageSizes[at + $1]) << (8 * $1) }
        }
        let chosen = random.below(sizes.count)
        let start = sizes[..<chosen].reduce(0, +)
        let page = Array(stored.pages[start..<start + sizes[chosen]])
        let (builder, output) = (RunBuilder(), ByteBuffer())
        let term = UnsafeMutablePointer<UInt8>.allocate(capacity: WordScanner.termBytesMax + 16)
        let numbers = UnsafeMutablePointer<UInt32>.allocate(capacity: 2 * PostingRun.documentsMax)
        defer {
            term.deallocate()
            numbers.deallocate()
        }
        page.withUnsafeBufferPointer { page in
            var walker = RunWalker(page.baseAddress!, page.count, term: term)
            while walker.next() {
                let run = walker.run
                let occurrences = numbers + PostingRun.documentsMax
                run.decode(numbers, occurrences)
                var reader = ByteReader(run.positions)
                builder.removeAll()
                for index in 0..<run.count {
                    builder.begin(numbers[index], occurrences: occurrences[index])
                    for _ in 0..<occurrences[index] {
                        let difference = reader.number()
                        let others: [UInt32] = [0, 1_000, .max - 5, .max - 999]
                        builder.append(position: random.chance(10) ? others[random.below(4)] : difference)
                    }
                }
                builder.write(run.term, run.termCount, shared: walker.shared, to: output)
            }
        }
        stored.pages.replaceSubrange(
            start..<start + page.count, with: UnsafeBufferPointer(start: output.start, count: output.count))
        for byte in 0..<4 { stored.pageSizes[4 * chosen + byte] = UInt8(output.count >> (8 * byte) & 0xFF) }
    }

    /// They were taken, and what took the last place for the greatest ended the process.
    @Test func `A page whose places do not ascend is refused`() throws {
        func check(_ differences: [[UInt32]]) throws {
            let (builder, page) = (RunBuilder(), ByteBuffer())
            for (document, differences) in differences.enumerated() {
                builder.begin(UInt32(document), occurrences: UInt32(differences.count))
                for difference in differences { builder.append(position: difference) }
            }
            Array("all".utf8).withUnsafeBufferPointer { builder.write($0.baseAddress!, 3, shared: 0, to: page) }
            var check = PageCheck()
            let bytes = UnsafeBufferPointer(start: UnsafePointer(page.start), count: page.count)
            _ = try check.check(bytes, Array(repeating: 1, count: differences.count))
        }
        try check([[0, 7]])
        try check([[1_000, 1], [0], [PostingRun.placeMax]])
        let wrong: [[UInt32]] = [[1_000, .max - 999], [5, 0], [PostingRun.placeMax + 1], [1, PostingRun.placeMax]]
        for differences in wrong {
            for all in [[differences], [[3], differences], [differences, [3]]] {
                #expect(throws: PageCheck.Invalid.self, "\(all)") { try check(all) }
            }
        }
    }

    @Test func `A page whose terms leave out less than they share is refused`() throws {
        func check(_ second: [UInt8]) throws {
            let page = [0, 2, UInt8(ascii: "a"), UInt8(ascii: "b"), 1, 0, 1, 0] + second + [1, 0, 1, 1]
            var check = PageCheck()
            _ = try page.withUnsafeBufferPointer { try check.check($0, [2]) }
        }
        try check([1, 1, UInt8(ascii: "c")])
        #expect(throws: PageCheck.Invalid.self) { try check([0, 2, UInt8(ascii: "a"), UInt8(ascii: "c")]) }
    }

    @Test func `Bytes that are no index at all make it again`() async throws {
        for bytes in [[], [0xff], [0xa0], try CBOREncoder().encode(["form": 2]), try CBOREncoder().encode("x")] {
            #expect(throws: (any Error).self) { try StoredFullText(decoding: bytes) }
        }
    }

    @Test func `The history has the index of every commit`() async throws {
        let database = Database.inMemory()
        let index = MailIndex("text", of: .mails, \.title, \.body)
        try await database.register(index)
        var snapshots: [Snapshot] = []
        for number in 0..<20 {
            try await database.write { $0[.mails]["m\(number % 7)"] = Mail(title: "w\(number)", body: "all") }
            snapshots.append(database.snapshot)
        }
        for (number, snapshot) in snapshots.enumerated() {
            #expect(snapshot[index].keys(matching: .word("w\(number)")) == ["m\(number % 7)"])
            #expect(snapshot[index].count(matching: .word("all")) == min(7, number + 1))
        }
    }
}
