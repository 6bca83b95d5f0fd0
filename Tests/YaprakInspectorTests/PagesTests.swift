#if Inspector
    import Foundation
    import SystemPackage
    import TestSupport
    import Testing
    import Yaprak
    import YaprakCBOR
    import YaprakLocks
    import YaprakReplay

    @testable import YaprakInspector

    /// Every page and every answer, whatever is stored and whatever is asked.
    @Suite(.bounded) struct PagesTests {
        static let pages = [
            "/", "/?by=time", "/?from=3&to=9", "/?at=4", "/collections", "/collection?name=items",
            "/collection?name=items&where=.rank+%3E+5&sort=rank&order=descending",
            "/record?collection=items&key=key%201",
            "/record?collection=items&key=key%201&at=3", "/views", "/view?name=shelves",
            "/view?name=shelves&group=a&at=7",
            "/view?name=shelves&explain=key%201&of=items", "/commits/5", "/commits/@", "/commits/5/without",
            "/commits/9/without?conflicts=undo", "/compare?from=2&to=9",
            "/bisect",
            "/bisect?where=count(items)+%3E+7", "/health",
        ]

        @Test func `Each page is a whole page with one main part, and says its commit`() async throws {
            let inspected = try await InspectedDatabase()
            let service = try inspected.service()
            for page in Self.pages {
                let answer = await service.ask(page)
                #expect(answer.status == 200, "\(page): \(answer.text)")
                #expect(answer.text.hasPrefix("<!doctype html>"), "\(page)")
                #expect(answer.text.components(separatedBy: "<main ").count == 2, "\(page)")
                #expect(answer.text.components(separatedBy: "<h1").count == 2, "\(page)")
                // The policy allows none of these.
                for refused in ["style=", " onclick", "javascript:", "<script>", "http://", "https://"] {
                    #expect(!answer.text.contains(refused), "\(page) has \(refused)")
                }
            }
            try await inspected.database.close()
        }

        @Test func `A record whose key has a NUL and ends of lines has a page, and the forms on it lead back to it`()
            async throws
        {
            let inspected = try await InspectedDatabase(commits: 2)
            let key = "a\0b\r\nc\n"
            try await inspected.database.write { $0[.items][key] = Item(name: "odd one") }
            let service = try inspected.service()
            let encoded = PercentCoding.encoded(key)
            let page = await service.ask(Address.record(key, in: "items", at: nil).text)
            #expect(page.status == 200 && page.text.contains("odd one"))
            // What the browser makes of this field.
            #expect(page.text.contains(#"name="key%" value="\#(encoded)""#))
            let sent = await service.ask("/record?collection=items&key%25=\(PercentCoding.encoded(encoded))&at=3")
            #expect(sent.status == 200 && sent.text.contains("odd one"))
            let asked = await service.ask("/api/record?collection=items&key=\(encoded)")
            #expect(asked.status == 200 && asked.text.contains("odd one"))
            let list = await service.ask("/collection?name=items")
            #expect(list.text.contains("key=\(encoded)"))
            try await inspected.database.close()
        }

        @Test func `Commits of the first and of the last moment there is have pages like others`() async throws {
            let folder = TemporaryDirectory()
            for times in [[Int64.max, .max], [.min, .min], [.min, .max], [.max, .min]] {
                let path = FilePath(folder.appending("\(times)")), clock = Mutex(times[0])
                var options = DatabaseOptions()
                options.clock = { clock.withLock { $0 } }
                let database = try await Database.open(at: path, options: options, collections: .items)
                try await database.write { $0[.items]["a"] = Item(name: "a") }
                let held = database.snapshot
                clock.withLock { $0 = times[1] }
                for number in 0..<3 { try await database.write { $0[.items]["\(number)"] = Item(name: "b") } }
                for service in [try TestService(FileHistory(path)), try TestService(LiveHistory(database))] {
                    for page in [
                        "/", "/?by=time", "/?by=time&from=1&to=1", "/health", "/commits/1", "/api/activity?by=time",
                    ] {
                        #expect(await service.ask(page).status == 200, "\(times) \(page)")
                    }
                }
                withExtendedLifetime(held) {}
                try await database.close()
            }
        }

        @Test func `A state, a view and a bisection are those of the library`() async throws {
            let inspected = try await InspectedDatabase()
            let service = try inspected.service()
            let reader = try ReplayReader(inspected.path)
            for number in [1, 5, 12, 20] as [CommitNumber] {
                let snapshot = try reader.snapshot(at: number)
                let records = try CBORValue(
                    json: await service.ask("/api/records?collection=items&at=\(number)&limit=100").text)
                #expect(records["count"] == .integer(Int64(snapshot.untyped("items").count)))
                #expect(records["records"] == .array(snapshot.untyped("items").map(\.json)))
                let groups = try CBORValue(json: await service.ask("/api/view?name=shelves&at=\(number)").text)
                let view = try reader.view("shelves", at: number)
                #expect(groups["groups"]?.array?.compactMap { $0["group"]?.text } == view.groupNames)
                for group in groups["groups"]?.array ?? [] {
                    let keys = group["rows"]?.array?.compactMap { $0["key"]?.text }
                    #expect(keys == view[group["group"]?.text ?? ""].map(\.key))
                }
            }
            // The first commit after which there are more than seven items.
            let first = try (1...20).map { CommitNumber(UInt64($0)) }.first {
                try reader.snapshot(at: $0).untyped("items").count > 7
            }
            let found = try CBORValue(json: await service.ask("/api/bisection?where=count(items)+%3E+7").text)
            #expect(found["firstBad"] == first.map { .unsigned($0.rawValue) })
            let page = await service.ask("/bisect?where=count(items)+%3E+7").text
            #expect(page.contains("is the first bad one") && page.contains("export-test"))
            try await inspected.database.close()
        }

        @Test func `What if without a commit: its records are what they were, and those changed since are conflicts`()
            async throws
        {
            let inspected = try await InspectedDatabase()
            try await inspected.database.write { $0[.items].removeAll() }
            try await inspected.database.write { $0[.items]["key 3"] = Item(name: "again") }
            let service = try inspected.service()
            let reader = try ReplayReader(inspected.path)
            let newest = try reader.snapshot()
            func names(_ changes: CBORValue?) -> [String?] { changes?.array?.map { $0["key"]?.text } ?? [] }
            for number in 1...22 as ClosedRange<UInt64> {
                let commit = CommitNumber(number)
                let revert = try reader.revert(of: commit...commit, in: newest)
                let kept = try CBORValue(json: await service.ask("/api/without?commit=\(number)").text)
                #expect(names(kept["changes"]) == revert.changes.filter { !$0.isConflict }.map(\.key))
                #expect(names(kept["conflicts"]) == revert.conflicts.map(\.key))
                #expect(kept["conflictCount"] == .integer(Int64(revert.conflicts.count)))
                let undone = try CBORValue(
                    json: await service.ask("/api/without?commit=\(number)&conflicts=undo").text)
                #expect(names(undone["changes"]) == revert.changes.map(\.key))
                for (change, found) in zip(revert.changes, undone["changes"]?.array ?? []) {
                    #expect(found["before"] == change.now?.object && found["after"] == change.then?.object)
                }
            }
            let page = await service.ask("/commits/21/without").text
            #expect(page.contains("What if without commit 21?") && page.contains("1 of its records was changed since"))
            #expect(page.contains("items <b>1 → 12</b>"))
            #expect(await service.ask("/commits/0/without").status == 404)
            #expect(await service.ask("/commits/99/without").status == 404)
            #expect(inspected.database.commitNumber == 22)
            try await inspected.database.close()
        }

        @Test func `What is stored is shown as text, however it is meant`() async throws {
            let inspected = try await InspectedDatabase(commits: 1)
            let attack = "<script>alert(1)</script><img src=x onerror=alert(1)>\u{202e}\u{1b}[2J\"'>"
            try await inspected.database.write(origin: attack) { transaction in
                transaction[.items][attack] = Item(name: attack, shelf: attack, parts: [attack])
                transaction.setInfo([attack: attack])
            }
            let service = try inspected.service()
            let key = PercentCoding.encoded(attack)
            for page in Self.pages + [
                "/record?collection=items&key=\(key)", "/record?collection=\(key)&key=\(key)",
                "/collection?name=\(key)",
                "/collection?name=items&where=\(key)", "/view?name=\(key)", "/view?name=shelves&group=\(key)",
                "/view?name=shelves&explain=\(key)&of=items", "/bisect?where=\(key)", "/compare?from=\(key)",
                "/commits/2",
                "/?at=\(key)", "/\(key)", "/collection?name=items&sort=\(key)",
            ] {
                let answer = await service.ask(page)
                #expect(answer.status < 500, "\(page): \(answer.status)")
                #expect(!answer.text.contains("<script>alert"), "\(page)")
                #expect(!answer.text.contains("<img"), "\(page)")
                #expect(!answer.text.unicodeScalars.contains { $0.value == 0x1b || $0.value == 0x202e }, "\(page)")
            }
            try await inspected.database.close()
        }

        @Test func `Large values and deep ones make pages of bounded size`() async throws {
            let inspected = try await InspectedDatabase(commits: 1)
            try await inspected.database.write { transaction in
                transaction[.items]["long"] = Item(name: String(repeating: "é", count: 2_000_000))
                transaction[.items]["marks"] = Item(name: "e" + String(repeating: "\u{301}", count: 1_000_000))
                transaction[.items]["many"] = Item(name: "m", parts: (0..<50_000).map { "part \($0)" })
            }
            let service = try inspected.service()
            for page in [
                "/collection?name=items", "/record?collection=items&key=long", "/record?collection=items&key=many",
                "/record?collection=items&key=marks",
                "/commits/2", "/compare?from=1&to=2", "/view?name=shelves",
            ] {
                let answer = await service.ask(page)
                #expect(answer.status == 200 && answer.text.utf8.count < 400_000, "\(page): \(answer.text.utf8.count)")
            }
            // The API has the whole of it.
            #expect(await service.ask("/api/record?collection=items&key=long").text.utf8.count > 4_000_000)
            try await inspected.database.close()
        }

        // All were kept, each with its whole path: of a record of a megabyte that was more than a program has.
        @Test func `Of very many fields below many levels some are shown, and the others are counted`() async throws {
            let inspected = try await InspectedDatabase(commits: 1)
            let deep = RecordCollection<CBORValue, NoMetadata>("deep")
            for number in 0..<2 {
                let items = CBORValue.array(Array(repeating: .unsigned(UInt64(number)), count: 20_000))
                let object = (0..<300).reduce(items) { inner, _ in .array([inner]) }
                try await inspected.database.write { $0[deep]["k"] = object }
            }
            let service = try inspected.service()
            let page = await service.ask("/commits/3")
            #expect(page.status == 200 && page.text.contains("19900 more fields differ."))
            #expect(page.text.utf8.count < 400_000, "\(page.text.utf8.count)")
            #expect(await service.ask("/record?collection=deep&key=k").status == 200)
            // The API has both values, from which the fields follow.
            let answer = await service.ask("/api/commits/3").text
            #expect(answer.contains(#""after""#) && !answer.contains(#""fields""#))
            try await inspected.database.close()
        }

        // Each of a thousand changes had as much room for its fields as one that is asked for alone.
        @Test func `What leads to the fields of all changes of an answer is bounded`() async throws {
            let inspected = try await InspectedDatabase(commits: 1)
            let deep = RecordCollection<CBORValue, NoMetadata>("deep")
            for number in 0..<2 {
                // 10 MB of paths each.
                let items = CBORValue.array(Array(repeating: .unsigned(UInt64(number)), count: 1800))
                let object = (0..<300).reduce(items) { inner, _ in .array([inner]) }
                try await inspected.database.write { transaction in
                    for key in ["a", "b", "c"] { transaction[deep][key] = object }
                    transaction[deep]["d"] = .array([.unsigned(UInt64(number))])
                }
            }
            let service = try inspected.service()
            for target in [
                "/api/commits/3", "/api/changes?from=2&to=3", "/api/without?commit=3", "/api/commits/3?offset=2",
            ] {
                let answer = await service.ask(target).text
                // Of the first of them, and of one with a short path, which always has its own.
                #expect(answer.components(separatedBy: #""fields""#).count == 3, "\(target)")
            }
            let step = try #require(try ReplayReader(inspected.path).cursor(at: 2).next())
            let fields = step.json["changes"]?.array?.map { $0["fields"]?.array?.count }
            #expect(fields == [1800, nil, nil, 1])
            try await inspected.database.close()
        }

        // They took the room of all, and those behind had no fields.
        @Test func `Each of many changes with few long paths has its fields`() async throws {
            let inspected = try await InspectedDatabase(commits: 1)
            let deep = RecordCollection<CBORValue, NoMetadata>("deep")
            for number in 0..<2 {
                // About 62 KB of paths each, and 18 MiB together.
                let items = CBORValue.array(Array(repeating: .unsigned(UInt64(number)), count: 11))
                let object = (0..<300).reduce(items) { inner, _ in .array([inner]) }
                try await inspected.database.write { transaction in
                    for key in 0..<300 { transaction[deep]["\(key)"] = object }
                }
            }
            let step = try #require(try ReplayReader(inspected.path).cursor(at: 2).next())
            let fields = step.json["changes"]?.array?.map { $0["fields"]?.array?.count }
            #expect(fields == Array(repeating: 11, count: 300))
            try await inspected.database.close()
        }

        @Test(arguments: [1, 2, 3, 5] as [UInt64])
        func `No address makes a failure of the server`(seed: UInt64) async throws {
            let inspected = try await InspectedDatabase(commits: 5)
            let service = try inspected.service()
            var random = SplitMix64(seed: seed)
            let paths = [
                "/", "/collections", "/collection", "/record", "/views", "/view", "/compare", "/bisect", "/commits/",
                "/api/status",
                "/api/commits", "/api/activity", "/api/records", "/api/record", "/api/history", "/api/views",
                "/api/view",
                "/api/changes", "/api/without", "/api/bisection", "/api/commits/",
                "/commits/4/without", "/commits/@/without",
                "/api/", "/nothing", "//", "/assets/../x",
            ]
            let names = [
                "at", "from", "to", "by", "name", "collection", "key", "where", "sort", "order", "page", "group",
                "limit", "offset",
                "slices", "good", "bad", "explain", "of", "after", "commit", "conflicts",
            ]
            let values = [
                "", "0", "1", "3", "-1", "99999999999999999999", "9223372036854775807", "18446744073709551615", "@",
                "@~3", "@~99",
                "@{yesterday}", "@{", "items", "shelves", "key%201", ".rank%20%3E%203", "%28%28%28", "count(items)",
                "%F0%9F%99%82",
                "ascending", "time", "undo", "keep", "2147483647", "1e9", "..", "%2E%2E%2F", "a", "null",
            ]
            for round in 0..<Soak.volume(100, soak: 250) {
                var target = paths[random.below(paths.count)]
                if target.hasSuffix("s/") { target += values[random.below(values.count)] }
                let query = (0..<random.below(5)).map { _ in
                    names[random.below(names.count)] + "=" + values[random.below(values.count)]
                }
                if !query.isEmpty { target += "?" + query.joined(separator: "&") }
                let answer = await service.ask(target)
                #expect((200..<500).contains(answer.status), "seed \(seed), round \(round): \(target): \(answer.text)")
                if target.hasPrefix("/api/") {
                    #expect((try? CBORValue(json: answer.text)) != nil, "seed \(seed), round \(round): \(target)")
                }
            }
            try await inspected.database.close()
        }

        /// What is shown has code points in place of such characters. A form that sent those asked for something else.
        @Test func `The fields of a form have what was asked, whatever its characters`() async throws {
            let name = "\u{202e}a\tb\u{7f}\"<c>&'", inspected = try await InspectedDatabase(commits: 1)
            let service = try inspected.service()
            let encoded = PercentCoding.encoded(name), value = "&#x202e;a&#x9;b&#x7f;&quot;&lt;c&gt;&amp;&#39;"
            for (target, field) in [
                ("/collection?name=\(encoded)", "name"), ("/record?collection=items&key=\(encoded)", "key"),
                ("/collection?name=items&where=\(encoded)", "where"), ("/bisect?where=\(encoded)", "where"),
            ] {
                let page = await service.ask(target).text
                let inputs = page.split(separator: "<input ").filter { $0.contains("name=\"\(field)\"") }
                #expect(!inputs.isEmpty, "\(target)")
                for input in inputs {
                    #expect(input.contains(" value=\"\(value)\""), "\(target): \(input.prefix(300))")
                }
            }
            try await inspected.database.close()
        }

        @Test func `A sorting that is none is refused`() async throws {
            let inspected = try await InspectedDatabase(commits: 3)
            let service = try inspected.service()
            for sort in [".%5B", "$", ".rank%20%3E%20"] {
                let answer = await service.ask("/api/records?collection=items&sort=\(sort)")
                #expect(answer.status == 400, "\(sort): \(answer.text)")
                #expect(try CBORValue(json: answer.text)["error"]?["code"] == "invalidParameter", "\(answer.text)")
                #expect(await service.ask("/collection?name=items&sort=\(sort)").status == 400, "\(sort)")
            }
            for sort in ["rank", ".parts%5B0%5D", "$key", "no%20such%20field"] {
                #expect(await service.ask("/api/records?collection=items&sort=\(sort)").status == 200, "\(sort)")
            }
            try await inspected.database.close()
        }

        @Test func `A view is answered with so many rows in all, and the next ones are asked for by their offset`()
            async throws
        {
            let inspected = try await InspectedDatabase(commits: 1)
            try await inspected.database.write { transaction in
                transaction[.items].removeAll()
                for number in 0..<90 {
                    transaction[.items]["\(number)"] = Item(name: "item", shelf: "s\(number % 30 / 10)", rank: number)
                }
            }
            let service = try inspected.service()
            let view = try ReplayReader(inspected.path).view("shelves", at: 2)
            let wanted = view.groupNames.flatMap { group in view[group].map { "\(group) \($0.key)" } }
            #expect(wanted.count == 90)
            for limit in [1, 7, 30, 31, 89, 90, 1000] {
                var found: [String] = []
                var isCut = true
                while isCut, found.count < 90 {
                    let answer = try CBORValue(
                        json: await service.ask("/api/view?name=shelves&limit=\(limit)&offset=\(found.count)").text)
                    #expect(answer["count"] == 90 && answer["groupCount"] == 3 && answer["commit"] == 2)
                    let rows = (answer["groups"]?.array ?? []).flatMap { group in
                        (group["rows"]?.array ?? []).map { "\(group["group"]?.text ?? "") \($0["key"]?.text ?? "")" }
                    }
                    guard (1...limit).contains(rows.count) else {
                        Issue.record("\(rows.count) rows of at most \(limit)")
                        break
                    }
                    found += rows
                    isCut = answer["isCut"] == true
                }
                #expect(found == wanted && !isCut, "limit \(limit)")
            }
            let group = try CBORValue(json: await service.ask("/api/view?name=shelves&group=s1&offset=25").text)
            #expect(group["count"] == 30 && group["groups"]?[0]?["rows"]?.array?.count == 5 && group["isCut"] == false)
            let beyond = try CBORValue(json: await service.ask("/api/view?name=shelves&offset=2147483647").text)
            #expect(beyond["groups"] == .array([]) && beyond["count"] == 90 && beyond["isCut"] == false)
            try await inspected.database.close()
        }

        @Test func `A commit is answered with so many changes, and the next ones are asked for by their offset`()
            async throws
        {
            let inspected = try await InspectedDatabase(commits: 1)
            try await inspected.database.write { transaction in
                for number in 0..<120 { transaction[.items]["many \(number)"] = Item(name: "item") }
            }
            let service = try inspected.service()
            let step = try #require(try await FileHistory(inspected.path).step(to: 2))
            let wanted = step.changes?.map(\.key)
            var found: [String] = []
            var isCut = true
            while isCut, found.count < 120 {
                let answer = try CBORValue(json: await service.ask("/api/commits/2?offset=\(found.count)").text)
                let keys = answer["changes"]?.array?.compactMap { $0["key"]?.text } ?? []
                #expect(answer["count"] == 120 && answer["commit"] == 2 && keys.count <= 50)
                found += keys
                isCut = answer["isCut"] == true && !keys.isEmpty
            }
            #expect(found == wanted)
            let whole = try CBORValue(json: await service.ask("/api/commits/2?limit=120").text)
            #expect(whole["changes"]?.array?.count == 120 && whole["isCut"] == false)
            #expect(await service.ask("/api/commits/2?limit=1001").status == 400)
            try await inspected.database.close()
        }
    }
#endif
