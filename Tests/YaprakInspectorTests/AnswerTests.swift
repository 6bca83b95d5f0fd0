#if Inspector
    import Foundation
    import NIOHTTP1
    import SystemPackage
    import TestSupport
    import Testing
    import Yaprak
    import YaprakCBOR
    import YaprakReplay

    @testable import YaprakInspector

    /// What an answer says is so, also where the question is odd.
    @Suite(.bounded) struct AnswerTests {
        @Test func `What is bad from the beginning began with no commit`() async throws {
            let inspected = try await InspectedDatabase(commits: 5)
            let service = try inspected.service()
            let answer = await service.ask("/api/bisection?where=count(items)+%3C+100")
            let found = try CBORValue(json: answer.text)
            #expect(found["firstBad"] == nil && found["probes"]?.array?.count == 0)
            #expect(found["note"] != nil)
            let page = await service.ask("/bisect?where=count(items)+%3C+100").text
            #expect(!page.contains("is the first bad one.") && page.contains("is bad already"))
            try await inspected.database.close()
        }

        @Test func `A filtered collection is turned round, too`() async throws {
            let inspected = try await InspectedDatabase()
            let service = try inspected.service()
            func keys(_ query: String) async throws -> [String?] {
                let answer = await service.ask("/api/records?collection=items&limit=100" + query)
                return try CBORValue(json: answer.text)["records"]?.array?.map { $0["key"]?.text } ?? []
            }
            let all = try await keys("&order=descending")
            #expect(all.count == 12)
            #expect(try await keys("&where=.rank+%3E%3D+0&order=descending") == all)
            #expect(try await keys("&where=.rank+%3E%3D+0") == all.reversed())
            #expect(try await keys("&where=.rank+%3E%3D+0&order=descending&offset=3").first == all[3])
            try await inspected.database.close()
        }

        @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/shm")))
        func `The health of files that are longer together than a number can say is shown`() async throws {
            let path = FilePath("/dev/shm/yaprak-\(UInt64.random(in: .min ... .max)).yaprak")
            defer { try? FileManager.default.removeItem(atPath: path.string) }
            let database = try await Database.open(at: path, collections: .items)
            for number in 1...6 {
                try await database.write { $0[.items]["\(number)"] = Item(name: "x") }
                if number >= 3 { try await database.checkpoint() }
            }
            try await database.close()
            let reader = try ReplayReader(path)
            #expect(try #require(try reader.oldestCommitNumber()) > 3)
            for first in 1...3 {
                let file = path.appending("wal").appending("0000000000000000000\(first)-0000000001.wal").string
                try Data().write(to: URL(fileURLWithPath: file))
                try #require(truncate(file, .max) == 0)
            }
            let log = try #require(FileHealth.parts(of: reader).first)
            let bytes = log.rows.first { $0.name == "bytes of the log" }
            #expect(bytes?.value == Amount.bytes(.max), "\(log.rows)")
        }

        @Test func `What fits is not said to be cut`() {
            let text = String(repeating: "ж", count: 100)
            #expect(Pieces.cut(text, 160) == text && Pieces.cut(text, 100) == text)
            #expect(Pieces.cut(text, 99) == String(repeating: "ж", count: 99) + "…")
            #expect(Pieces.cut("", 0) == "" && Pieces.cut("ab", 1) == "a…")
        }

        /// One letter can have any number of marks: it is one character of any length.
        @Test func `What is cut is short in bytes, too`() {
            let text = "e" + String(repeating: "\u{301}", count: 100_000)
            let cut = Pieces.cut(text, 80)
            #expect(cut.utf8.count <= 8 * 80 + 3 && cut.unicodeScalars.last == "…")
            // Where a scalar ends.
            for most in 1...9 {
                let scalars = Pieces.cut("a" + text, most).unicodeScalars.dropLast()
                #expect(!scalars.isEmpty && "a\(text)".unicodeScalars.starts(with: scalars), "\(most)")
            }
        }

        @Test func `The beginning of a large value is what cutting the whole of it would leave`() {
            let values: [CBORValue] = [
                "text", 17, nil, [], [:], .bytes([1, 2, 3]), .array((0..<10_000).map { .unsigned($0) }),
                .array((0..<200).map { .text("item \($0)") }), .bytes([UInt8](repeating: 7, count: 100_000)),
                .text(String(repeating: "ж", count: 100)), .array([.text(String(repeating: "ж", count: 100)), 1, 2]),
                .array([.text(String(repeating: "ж", count: 10_000)), 1, 2]), .tag(1, .tag(2, [1, 2.5, true])),
                .map((0..<1000).map { .init(.text("key \($0)"), [.unsigned($0), ["a": .unsigned($0)]]) }),
            ]
            for value in values {
                for most in [1, 2, 20, 40, 80, 160, 600] {
                    let whole = Pieces.cut(value.text ?? value.diagnostic(), most)
                    #expect(Pieces.words(value, most) == whole, "\(most)")
                }
            }
            var room = 20
            let beginning = CBORValue.array((0..<10_000).map { .unsigned($0) }).beginning(&room)
            #expect(room < 0 && beginning.array?.count ?? 0 <= 20)
        }

        @Test func `Where a field is, is written as far as it is shown`() {
            let paths: [FieldPath] = [
                FieldPath(["name"]), FieldPath(["stops", .place(2), "name"]), FieldPath([.place(17), .place(3)]),
                FieldPath(["a b", .key(17), ""]), FieldPath(["metadata", "ж", .place(0), "e\u{301}"]),
            ]
            for path in paths {
                for most in [5, 10, 40, 120] where path.steps.count < most {
                    #expect(Pieces.path(path, most, whole: "all") == Pieces.cut(path.description, most), "\(path)")
                }
            }
            #expect(Pieces.path(FieldPath(), 40, whole: "all") == "all")
            let long = Pieces.path(
                FieldPath([.place(1), .key(.text(String(repeating: "é", count: 100_000))), "x"]), 40, whole: "all")
            #expect(long.count == 41 && long.hasPrefix("[1][\"éé") && long.hasSuffix("é…"))
        }

        /// A key that is an array or a map, as other coders have them, was long however short it was.
        @Test func `Who set what is below a key is known unless that is long`() throws {
            let short: [CBORValue] = ["a", 17, [1, 2], [], ["a": [true]], .tag(1, .tag(2, "b")), .bytes([1, 2])]
            let text = CBORValue.text(String(repeating: "é", count: 600))
            let long: [CBORValue] = [
                text, [1, text], ["a": text], .tag(1, text), .array(Array(repeating: "", count: 2000)),
                (0..<100).reduce(CBORValue.unsigned(1)) { inner, _ in [inner] },
            ]
            let object = CBORValue.map((short + long).map { .init($0, ["n": 3]) })
            let record = ReplayRecord(
                RawRecord(key: "a", object: try object.encoded()[...], metadata: nil, version: 1))
            let setters = try FieldSetters(
                [.init(number: 3, nanosecondsSince1970: 0, origin: "", before: nil, after: record)], checking: {})
            for (keys, number) in [(short, 3), (long, nil)] as [([CBORValue], CommitNumber?)] {
                for key in keys {
                    let place = setters.part("n", of: setters.part(.key(key), of: setters.whole))
                    #expect(place.setter?.number == number, "\(key)")
                }
            }
        }

        @Test func `Who set the metadata is another than who set a field of that name`() async throws {
            let directory = TemporaryDirectory()
            let path = FilePath(directory.appending("notes.yaprak"))
            let notes = RecordCollection<[String: [String: Int]], [String: Int]>("notes")
            let database = try await Database.open(at: path, collections: notes)
            // The field, and then the metadata.
            for (field, metadata) in [(1, 9), (1, 10), (2, 10)] {
                try await database.write {
                    $0[notes].set(["metadata": ["a": field]], metadata: ["a": metadata], for: "n")
                }
            }
            try await database.close()
            let service = try TestService(FileHistory(path))
            for (commit, setters) in [(1, ["1", "1"]), (2, ["1", "2"]), (3, ["3", "2"])] {
                let page = await service.ask("/record?collection=notes&key=n&at=\(commit)").text
                let found = page.matches(of: #/set by <a class="commit" href="\/commits\/(\d+)"/#)
                #expect(found.map { String($0.1) } == setters, "\(page)")
            }
        }

        // From the third revision on the key was compared again for each field.
        @Test func `Who set the fields below a long key is asked in a time that grows as both do`() async throws {
            try await expectGrowth("setters below a long key", 500) { count in
                let key = String(repeating: "k", count: 400 * count)
                let records = try (0..<5).map { (number: UInt64) in
                    let items = CBORValue.array(Array(repeating: .unsigned(number), count: 4 * count))
                    let object = try CBORValue.map([.init(.text(key), items)]).encoded()
                    return ReplayRecord(RawRecord(key: "a", object: object[...], metadata: nil, version: 1))
                }
                let revisions = zip(records, records.dropFirst()).map { before, after in
                    Revisions.Revision(number: 3, nanosecondsSince1970: 0, origin: "", before: before, after: after)
                }
                let start = ThreadClock.seconds
                _ = try FieldSetters(revisions, checking: {})
                return .seconds(ThreadClock.seconds - start)
            }
        }

        @Test(arguments: ["2013", "2nd", "$ref", "$key", ".x", "a b", "é", "_a1"])
        func `The head of a column sorts by its field, whatever its name`(field: String) async throws {
            let maps = RecordCollection<[String: Int], NoMetadata>("maps")
            let database = Database.inMemory()
            try await database.write { transaction in
                for (number, rank) in [3, 1, 2].enumerated() {
                    transaction[maps]["k\(number)"] = [field: rank, "z": 0]
                }
            }
            let service = try TestService(LiveHistory(database))
            let sort = PercentCoding.encoded(RecordsQuestion.sort(ofField: field))
            let page = await service.ask("/collection?name=maps")
            #expect(page.text.contains("sort=\(sort)"))
            let answer = await service.ask("/api/records?collection=maps&sort=\(sort)")
            #expect(answer.status == 200, "\(answer)")
            let keys = try CBORValue(json: answer.text)["records"]?.array?.map { $0["key"]?.text }
            #expect(keys == ["k1", "k2", "k0"])
        }

        @Test func `Numbers that only whole numbers tell apart have an order`() {
            #expect(ValueOrder.compare(.unsigned(1 << 60), .unsigned(1 << 60 + 1)) == -1)
            #expect(ValueOrder.compare(.negative(1 << 60), .negative(1 << 60 + 1)) == 1)
            #expect(ValueOrder.compare(.negative(0), .unsigned(0)) == -1)
            #expect(ValueOrder.compare(.unsigned(1 << 53 + 1), .float(0x1p53)) == 1)
        }

        @Test func `A command for a terminal asks for the key that the page has`() async throws {
            let inspected = try await InspectedDatabase(commits: 1)
            try await inspected.database.write { transaction in
                transaction[.items]["-5"] = Item(name: "dash")
                transaction[.items]["a\tb'"] = Item(name: "tab")
            }
            let service = try inspected.service()
            #expect(await service.ask("/record?collection=items&key=-5").text.contains("--at 2 -- items -5"))
            let tab = await service.ask("/record?collection=items&key=a%09b%27").text
            #expect(tab.contains(#"$&#39;a\x09b\&#39;&#39;"#), "\(tab)")
            #expect(Pieces.shellOption("--where", "-1 < .x") == "--where='-1 < .x'")
            try await inspected.database.close()
        }

        @Test func `Browsers leave out the port of HTTP, and no other`() {
            func status(_ port: Int, _ host: String, _ origin: String? = nil) -> Int? {
                var headers: HTTPHeaders = ["Host": host]
                if let origin { headers.add(name: "Origin", value: origin) }
                return Access(port: port, token: "t").answer(to: Request(target: "/?token=t", headers: headers)!)?
                    .status
            }
            #expect(status(80, "127.0.0.1") == 200 && status(80, "localhost:80", "http://localhost:80") == 200)
            #expect(status(80, "localhost", "http://localhost") == 200)
            #expect(status(80, "evil.example") == 421 && status(8080, "127.0.0.1") == 421)
        }

        @Test func `What a follower missed and nobody knows is said to be cut`() async throws {
            let database = Database.inMemory()
            for number in 1...5 { try await database.write { $0[.items]["\(number)"] = Item(name: "n") } }
            // It began at commit 5: what came before is not kept.
            let hub = EventHub(try LiveHistory(database))
            let running = Task { await hub.run() }
            defer { running.cancel() }
            for try await text in hub.events(after: 1, heartbeat: .seconds(60), onEnd: {}) where text.contains("data:")
            {
                #expect(text.contains("\"isCut\":true") && text.contains("\"newest\":5"), "\(text)")
                break
            }
        }

        /// Writes a commit whenever the newest one is looked up.
        private final class BusyHistory: InspectedHistory {
            private let history: LiveHistory
            private let database: Database

            init(_ history: LiveHistory, _ database: Database) {
                self.history = history
                self.database = database
            }

            func entries(in range: ClosedRange<CommitNumber>) async throws -> [CommitIndex.Entry] {
                let entries = try await history.entries(in: range)
                try await database.write { $0[.items]["a"] = Item(name: "a", rank: Int.random(in: 1...1_000_000_000)) }
                return entries
            }

            var title: String { history.title }
            var path: FilePath? { history.path }
            func current() async -> Snapshot? { await history.current() }
            func newest() async throws -> CommitNumber { try await history.newest() }
            func reach() async throws -> ClosedRange<CommitNumber> { try await history.reach() }
            func known() async throws -> ClosedRange<CommitNumber>? { try await history.known() }
            func commitNumber(at position: LogPosition) async throws -> CommitNumber {
                try await history.commitNumber(at: position)
            }
            func activity(
                in range: ClosedRange<CommitNumber>, slicesMax: Int, byTime: Bool
            ) async throws -> [CommitActivity] {
                try await history.activity(in: range, slicesMax: slicesMax, byTime: byTime)
            }
            func step(to number: CommitNumber) async throws -> InspectedStep? { try await history.step(to: number) }
            func snapshot(at number: CommitNumber, withViews: Bool) async throws -> Snapshot {
                try await history.snapshot(at: number, withViews: withViews)
            }
            func snapshots(
                at first: CommitNumber, _ second: CommitNumber
            ) async throws -> (first: Snapshot, second: Snapshot) { try await history.snapshots(at: first, second) }
            func revisions(
                ofKey key: String, in collection: String, until deadline: ContinuousClock.Instant
            ) async throws -> Revisions { try await history.revisions(ofKey: key, in: collection, until: deadline) }
            func tags() async throws -> [LogTag] { try await history.tags() }
            func checkpoints() async throws -> [CommitNumber] { try await history.checkpoints() }
            func stateTag() async throws -> String { try await history.stateTag() }
            func health() async throws -> [HealthPart] { try await history.health() }
            func fork() -> Database? { history.fork() }
            func follow() -> AsyncStream<FollowedState> { history.follow() }
        }

        @Test func `The newest state of a busy program is its own, and has all its views`() async throws {
            let live = AutoView("live", of: .items, groupedBy: \.shelf, sortedBy: \.rank)
            let database = Database.inMemory()
            try await database.register(live)
            try await database.write { $0[.items]["a"] = Item(name: "a") }
            let service = try TestService(BusyHistory(try LiveHistory(database), database))
            for page in [
                "/", "/collections", "/collection?name=items", "/record?collection=items&key=a", "/views",
                "/api/collections",
                "/api/records?collection=items",
            ] {
                #expect(await service.ask(page).status == 200, "\(page)")
            }
            for _ in 0..<3 {
                let view = await service.ask("/view?name=live")
                #expect(view.status == 200 && !view.text.contains("can't be shown"))
            }
        }
    }
#endif
