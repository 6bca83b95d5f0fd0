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
        private static let pages = [
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
                transaction[.items]["many"] = Item(name: "m", parts: (0..<50_000).map { "part \($0)" })
            }
            let service = try inspected.service()
            for page in [
                "/collection?name=items", "/record?collection=items&key=long", "/record?collection=items&key=many",
                "/commits/2", "/compare?from=1&to=2", "/view?name=shelves",
            ] {
                let answer = await service.ask(page)
                #expect(answer.status == 200 && answer.text.utf8.count < 400_000, "\(page): \(answer.text.utf8.count)")
            }
            // The API has the whole of it.
            #expect(await service.ask("/api/record?collection=items&key=long").text.utf8.count > 4_000_000)
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

        @Test func `A tag of an answer holds until the next commit`() async throws {
            let inspected = try await InspectedDatabase(commits: 3)
            let service = try inspected.service()
            for page in ["/", "/collection?name=items", "/api/commits", "/commits/2"] {
                let tag = try #require(await service.ask(page).headers["ETag"], "\(page)")
                let again = await service.ask(page, headers: [("If-None-Match", tag)])
                #expect(again.status == 304 && again.text.isEmpty, "\(page)")
                let other = await service.ask(
                    page + (page.contains("?") ? "&" : "?") + "at=1", headers: [("If-None-Match", tag)])
                #expect(other.status == 200, "\(page)")
            }
            let tag = try #require(await service.ask("/").headers["ETag"])
            try await inspected.database.write { $0[.items]["new"] = Item(name: "new") }
            #expect(await service.ask("/", headers: [("If-None-Match", tag)]).status == 200)
            try await inspected.database.close()
        }

        @Test func `A time in an address is read each time, however its braces are encoded`() async throws {
            let inspected = try await InspectedDatabase(commits: 3)
            let service = try inspected.service()
            for braces in [("{", "}"), ("%7B", "%7D"), ("%7b", "%7d"), ("%7b", "}")] {
                let time = "@\(braces.0)2100-01-01\(braces.1)"
                for target in ["/api/collections?at=\(time)", "/api/commits/\(time)", "/?at=\(time)"] {
                    let answer = await service.ask(target)
                    #expect(answer.status == 200 && answer.headers["ETag"] == nil, "\(target)")
                }
            }
            try await inspected.database.close()
        }

        @Test func `A browser that has several answers names all their tags`() async throws {
            let inspected = try await InspectedDatabase(commits: 3)
            let service = try inspected.service()
            for target in ["/api/commits", "/assets/inspector.css"] {
                let tag = try #require(await service.ask(target).headers["ETag"])
                for known in ["W/\(tag)", "\"a\", \(tag)", "\"a,b\",W/\(tag) , \"c\"", "*"] {
                    #expect(await service.ask(target, headers: [("If-None-Match", known)]).status == 304, "\(known)")
                }
                let lines = [("If-None-Match", "\"a\""), ("If-None-Match", tag)]
                #expect(await service.ask(target, headers: lines).status == 304)
                for other in ["\"a\"", String(tag.dropLast()), "\"a\", \"*\"", ""] {
                    #expect(await service.ask(target, headers: [("If-None-Match", other)]).status == 200, "\(other)")
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

        @Test func `The timeline does not wait for a state that takes long, and has it when it is there`() async throws
        {
            let inspected = try await InspectedDatabase(commits: 4)
            let history = GatedHistory(try FileHistory(inspected.path))
            let service = try TestService(history)
            // Two states are read at a time. The third is not begun, and those who ask again begin nothing.
            for _ in 0..<2 {
                for number in 1...3 {
                    let early = await service.ask("/?at=\(number)")
                    #expect(early.status == 200 && early.text.contains("data-pending"), "commit \(number)")
                    #expect(early.text.contains("State at commit \(number)"))
                    #expect(early.headers["ETag"] == nil, "a browser would keep it")
                }
            }
            #expect(history.readCount == 2)
            history.open()
            for number in 1...3 {
                var answer = await service.ask("/?at=\(number)")
                while answer.text.contains("data-pending") { answer = await service.ask("/?at=\(number)") }
                #expect(answer.text.contains("class=\"chip\" data-key=\"items\""), "commit \(number)")
                #expect(answer.headers["ETag"] != nil)
            }
            try await inspected.database.close()
        }

        @Test func `An answer that takes too long says so, and a later one has it`() async throws {
            let inspected = try await InspectedDatabase(commits: 4)
            let history = GatedHistory(try FileHistory(inspected.path))
            var limits = ServerLimits()
            limits.answerSeconds = 1
            let service = try TestService(history, limits)
            let page = await service.ask("/view?name=shelves&at=2")
            #expect(page.status == 503 && page.text.contains("data-pending"), "\(page)")
            #expect(page.headers["Retry-After"] == "1")
            let answer = await service.ask("/api/records?collection=items&at=2")
            #expect(answer.status == 503)
            #expect(try CBORValue(json: answer.text)["error"]?["code"] == "notYet")
            history.open()
            // On a busy machine a second may be too little for that, too.
            var statuses: [Int] = []
            repeat {
                statuses.append(await service.ask("/view?name=shelves&at=2").status)
            } while statuses.last == 503 && statuses.count < 20
            #expect(statuses.last == 200)
            try await inspected.database.close()
        }

        /// The search took longer than an answer may: each request began it again, and none was ever answered.
        @Test func `A search that takes longer than an answer goes on where the request before it had come`()
            async throws
        {
            let inspected = try await InspectedDatabase(commits: 20)
            let history = GatedHistory(try FileHistory(inspected.path), delay: .milliseconds(400))
            history.open()
            var limits = ServerLimits()
            limits.answerSeconds = 1
            let service = try TestService(history, limits)
            var statuses: [Int] = []
            repeat {
                let answer = await service.ask("/api/bisection?where=count(items)+%3E+7")
                statuses.append(answer.status)
                if answer.status == 200 {
                    #expect(try CBORValue(json: answer.text)["firstBad"] == 8)
                }
            } while statuses.last == 503 && statuses.count < 6
            #expect(statuses.first == 503 && statuses.last == 200, "\(statuses)")
            let read = history.readNumbers
            #expect(read.count == Set(read).count, "each state is looked at once: \(read)")
            try await inspected.database.close()
        }

        @Test func `A search that its client gave up stops, and the next one has its verdicts`() async throws {
            let inspected = try await InspectedDatabase(commits: 20)
            let history = GatedHistory(try FileHistory(inspected.path), delay: .milliseconds(100))
            history.open(reads: 3)
            let service = try TestService(history)
            let target = "/api/bisection?where=count(items)+%3E+7"
            let given = Task { await service.ask(target).status }
            while history.readCount < 3 { try await Task.sleep(for: .milliseconds(2)) }
            given.cancel()
            #expect(await given.value == 503)
            let before = history.readNumbers
            history.open()
            let answer = try CBORValue(json: await service.ask(target).text)
            #expect(answer["firstBad"] == 8)
            let probes = answer["probes"]?.array?.compactMap { $0["commit"] } ?? []
            // Only the state at which it was given up is asked for twice.
            #expect(history.readCount <= probes.count + 1, "\(before), then \(history.readNumbers)")
            // Another expression has verdicts of its own.
            let other = try CBORValue(json: await service.ask("/api/bisection?where=count(items)+%3E+9").text)
            #expect(other["firstBad"] == 10)
            try await inspected.database.close()
        }

        /// Work that does not notice at once was kept as if its time were up, and its answer was that it is cancelled.
        @Test func `What a client gave up is not what the next one is answered`() async throws {
            let inspected = try await InspectedDatabase(commits: 20)
            let history = GatedHistory(try FileHistory(inspected.path), ignoresCancellation: true)
            var limits = ServerLimits()
            limits.answerSeconds = 1
            let service = try TestService(history, limits)
            let target = "/api/bisection?where=count(items)+%3E+7"
            let given = Task { await service.ask(target).status }
            while history.readCount < 1 { try await Task.sleep(for: .milliseconds(2)) }
            given.cancel()
            #expect(await given.value == 503)
            history.open()
            // One that waits is answered that it has to wait, and not that somebody else went.
            var answer = await service.ask(target)
            for _ in 0..<20 where answer.status == 503 && answer.text.contains("notYet") {
                answer = await service.ask(target)
            }
            #expect(answer.status == 200, "\(answer)")
            try await inspected.database.close()
        }

        @Test func `What happened to a record is cut at its deadline, though no commit concerns it`() async throws {
            let inspected = try await InspectedDatabase(commits: 20)
            let files = try FileHistory(inspected.path)
            let past = try await files.revisions(ofKey: "nobody", in: "items", until: .now - .seconds(1))
            #expect(past.isCut && past.revisions.isEmpty)
            let all = try await files.revisions(ofKey: "nobody", in: "items", until: .now + .seconds(60))
            #expect(!all.isCut && all.revisions.isEmpty)
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

        @Test func `A tag of an answer does not outlive a checkpoint`() async throws {
            let inspected = try await InspectedDatabase(commits: 3)
            let service = try inspected.service()
            let tag = try #require(await service.ask("/").headers["ETag"])
            #expect(await service.ask("/", headers: [("If-None-Match", tag)]).status == 304)
            try await inspected.database.checkpoint()
            let answer = await service.ask("/", headers: [("If-None-Match", tag)])
            #expect(answer.status == 200 && answer.text.contains("checkpoint of commit 3"))
            try await inspected.database.close()
        }

        @Test func `An answer that was cut has no tag: the next one may have more`() async throws {
            let inspected = try await InspectedDatabase(commits: 3)
            let service = try TestService(HastyHistory(try FileHistory(inspected.path)))
            let cut = await service.ask("/api/history?collection=items&key=key%201")
            #expect(cut.text.contains("\"isCut\":true") && cut.headers["ETag"] == nil, "\(cut)")
            let page = await service.ask("/record?collection=items&key=key%201")
            #expect(page.text.contains("was not read in time") && page.headers["ETag"] == nil)
            let whole = await (try inspected.service()).ask("/api/history?collection=items&key=key%201")
            #expect(whole.text.contains("\"isCut\":false") && whole.headers["ETag"] != nil)
            // A part that was asked for is not one that time allowed.
            let part = await (try inspected.service()).ask("/api/view?name=shelves&limit=1")
            #expect(part.text.contains("\"isCut\":true") && part.headers["ETag"] != nil)
            try await inspected.database.close()
        }

        @Test(arguments: [1, 2, 3] as [UInt64])
        func `Files with damaged bytes are answered for, and found whole again when they are put back`(seed: UInt64)
            async throws
        {
            let inspected = try await InspectedDatabase(commits: 40)
            try await inspected.database.checkpoint()
            for number in 0..<20 {
                try await inspected.database.write { $0[.items]["late"] = Item(name: "late", rank: number) }
            }
            try await inspected.database.close()
            let whole = inspected.directory.appending("whole")
            try FileManager.default.copyItem(atPath: inspected.path.string, toPath: whole)
            var random = SplitMix64(seed: seed)
            let service = try inspected.service()
            for round in 0..<12 {
                // A reader that has seen the files meets the damage, and one that has not.
                let asked = round % 2 == 0 ? service : try inspected.service()
                for folder in ["wal", "ckpt"] {
                    let directory = inspected.path.appending(folder).string
                    for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
                        let file = directory + "/" + name
                        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
                        for _ in 0..<(1 + random.below(6)) where !bytes.isEmpty {
                            bytes[bytes.startIndex + random.below(bytes.count)] ^= UInt8(1 << random.below(8))
                        }
                        if random.below(4) == 0 { bytes.removeLast(random.below(bytes.count)) }
                        // In place: who has the file open sees the damage.
                        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
                        try handle.write(contentsOf: bytes)
                        try handle.truncate(atOffset: UInt64(bytes.count))
                        try handle.close()
                    }
                }
                for page in Self.pages + [
                    "/api/status", "/api/commits", "/api/records?collection=items&at=30", "/api/health",
                ] {
                    let answer = await asked.ask(page)
                    #expect(
                        [200, 404, 503].contains(answer.status),
                        "seed \(seed), round \(round): \(page): \(answer.status)")
                }
                try FileManager.default.removeItem(atPath: inspected.path.string)
                try FileManager.default.copyItem(atPath: whole, toPath: inspected.path.string)
            }
            let status = try CBORValue(json: await inspected.service().ask("/api/status").text)
            #expect(status["newest"] == 60)
        }

        @Test func `A database in whose place another was put is found, however long its log is`() async throws {
            let inspected = try await InspectedDatabase(commits: 8), other = try await InspectedDatabase(commits: 12)
            let service = try inspected.service()
            #expect(try CBORValue(json: await service.ask("/api/status").text)["newest"] == 8)
            try await inspected.database.close()
            try await other.database.close()
            try FileManager.default.moveItem(
                atPath: inspected.path.string, toPath: inspected.directory.appending("away"))
            #expect(try CBORValue(json: await service.ask("/api/status").text)["newest"] == 8)
            // One that is not complete yet is none, and asked for again.
            try FileManager.default.createDirectory(
                atPath: inspected.path.string, withIntermediateDirectories: false)
            #expect(await service.ask("/api/status").status != 200)
            for part in try FileManager.default.contentsOfDirectory(atPath: other.path.string) {
                try FileManager.default.copyItem(
                    atPath: other.path.appending(part).string, toPath: inspected.path.appending(part).string)
            }
            #expect(try CBORValue(json: await service.ask("/api/status").text)["newest"] == 12)
        }

        @Test func `A database that is damaged, gone or replaced is said to be, and found again`() async throws {
            let inspected = try await InspectedDatabase(commits: 8)
            let service = try inspected.service()
            #expect(await service.ask("/api/status").status == 200)
            try await inspected.database.close()
            let away = inspected.directory.appending("away")
            try FileManager.default.moveItem(atPath: inspected.path.string, toPath: away)
            let other = try await InspectedDatabase(commits: 3)
            try await other.database.close()
            // A directory that is open stays readable; the new one is found when its log is shorter.
            #expect(await service.ask("/").status < 600)
            try FileManager.default.copyItem(atPath: other.path.string, toPath: inspected.path.string)
            for file in try FileManager.default.contentsOfDirectory(atPath: away + "/wal") {
                try FileManager.default.removeItem(atPath: away + "/wal/" + file)
            }
            let status = try CBORValue(json: await service.ask("/api/status").text)
            #expect(status["newest"] == 3)
            let page = await service.ask("/")
            #expect(page.status == 200)
            try FileManager.default.removeItem(atPath: inspected.path.string)
            for target in ["/", "/api/status", "/collection?name=items"] {
                let gone = await service.ask(target)
                #expect([200, 404, 503].contains(gone.status), "\(target): \(gone.status)")
            }
        }
    }
#endif
