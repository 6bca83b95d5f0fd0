#if Inspector
    import Foundation
    import TestSupport
    import Testing
    import Yaprak
    import YaprakCBOR
    import YaprakLocks
    import YaprakReplay

    @testable import YaprakInspector

    /// A running program's database is shown as it is, in memory too, and followers are notified of every commit.
    @Suite(.bounded) struct LiveTests {
        @Test func `A database in memory shows its views, its commits since the inspector runs, and the states it met`()
            async throws
        {
            let database = Database.inMemory()
            try await database.register(shelves)
            try await database.write { $0[.items]["before"] = Item(name: "before") }
            let history = try LiveHistory(database)
            func write(_ number: Int) async throws {
                try await database.write(origin: "live") {
                    $0[.items]["\(number)"] = Item(name: "item", rank: 9 - number)
                }
            }
            // A follower that starts late misses nothing.
            try await write(1)
            let follower = Task { try await history.run() }
            defer { follower.cancel() }
            let service = try TestService(history)
            for number in 1...6 {
                if number > 1 { try await write(number) }
                // Each state is met: the follower has caught up.
                while try await history.known()?.upperBound != database.commitNumber {
                    try await Task.sleep(for: .milliseconds(2))
                }
            }
            let view = try CBORValue(json: await service.ask("/api/view?name=shelves").text)
            #expect(view["groups"]?[0]?["count"] == 7)
            let commits = try CBORValue(json: await service.ask("/api/commits").text)
            #expect(commits.array?.compactMap { $0["commit"] } == [7, 6, 5, 4, 3, 2])
            let commit = try CBORValue(json: await service.ask("/api/commits/4").text)
            #expect(commit["changes"]?[0]?["key"] == "3")
            #expect(commit["changes"]?[0]?["after"]?["rank"] == 6)
            let then = try CBORValue(json: await service.ask("/api/collections?at=4").text)
            #expect(then == ["items": 4])
            #expect(await service.ask("/").status == 200)
            let health = await service.ask("/health").text
            #expect(health.contains("shelves") && health.contains("states in memory"))
            #expect(health.contains("streams of changesets"))
            #expect(await service.ask("/commits/1").status == 404)
        }

        // It opened the path: that of nothing, or of another database, whose commits were shown as the program's.
        @Test func `Of a program the directory is shown that it has opened, wherever its path leads by now`()
            async throws
        {
            let inspected = try await InspectedDatabase(commits: 5)
            try FileManager.default.moveItem(
                atPath: inspected.path.string, toPath: inspected.directory.appending("moved.yaprak"))
            let other = try await Database.open(at: inspected.path, collections: .items)
            for number in 1...9 { try await other.write { $0[.items]["other"] = Item(name: "\(number)") } }
            let service = try TestService(LiveHistory(inspected.database))
            let commits = try CBORValue(json: await service.ask("/api/commits").text)
            #expect(commits.array?.compactMap { $0["commit"] } == [5, 4, 3, 2, 1])
            let commit = try CBORValue(json: await service.ask("/api/commits/4").text)
            #expect(commit["changes"]?[0]?["key"] == "key 4")
            try await other.close()
            try await inspected.database.close()
        }

        @Test func `What happened to a record in memory is cut at its deadline`() async throws {
            let database = Database.inMemory()
            let history = try LiveHistory(database)
            let follower = Task { try await history.run() }
            defer { follower.cancel() }
            for number in 1...5 { try await database.write { $0[.items]["a"] = Item(name: "a", rank: number) } }
            while try await history.known()?.upperBound != 5 { try await Task.sleep(for: .milliseconds(2)) }
            let cut = try await history.revisions(ofKey: "a", in: "items", until: .now - .seconds(1))
            #expect(cut.isCut && cut.revisions.count < 5)
            let all = try await history.revisions(ofKey: "a", in: "items", until: .now + .seconds(60))
            #expect(!all.isCut && all.revisions.map(\.number) == [1, 2, 3, 4, 5])
        }

        /// All records of the last thousand commits were encoded, where everything else waited.
        @Test func `The history of a record in memory encodes no other record`() async throws {
            let watch = Watch(), database = Database.inMemory()
            let history = try LiveHistory(database)
            let follower = Task { try await history.run() }
            defer { follower.cancel() }
            for number in 1...5 {
                try await database.write { transaction in
                    for key in 0..<1000 { transaction[watched]["\(key)"] = Watched(number, watch) }
                }
            }
            while try await history.known()?.upperBound != 5 { try await Task.sleep(for: .milliseconds(2)) }
            watch.start()
            let past = try await history.revisions(ofKey: "1", in: "watched", until: .now + .seconds(60))
            #expect(past.revisions.map(\.number) == [1, 2, 3, 4, 5])
            #expect(past.revisions.compactMap { $0.after?.object } == (1...5).map { .unsigned($0) })
            #expect(watch.count <= 10)
        }

        @Test func `A commit in memory is encoded where nobody waits for it`() async throws {
            let watch = Watch(holding: 1), database = Database.inMemory()
            let history = try LiveHistory(database)
            let follower = Task { try await history.run() }
            defer { follower.cancel() }
            try await database.write { $0[watched]["a"] = Watched(1, watch) }
            while try await history.known()?.upperBound != 1 { try await Task.sleep(for: .milliseconds(2)) }
            watch.start()
            let step = Task { try await history.step(to: 1)?.changes?.count }
            while !watch.began.isSet { try await Task.sleep(for: .milliseconds(2)) }
            #expect(try await history.known()?.upperBound == 1)
            watch.gate.set()
            #expect(try await step.value == 1)
        }

        @Test(
            arguments: [
                "/api/changes?from=0&to=@", "/compare?from=0&to=@", "/commits/1",
                "/api/records?collection=watched&limit=1000",
            ])
        func `A comparison or a list that its client gave up stops`(target: String) async throws {
            let watch = Watch(holding: 10), database = Database.inMemory()
            let history = try LiveHistory(database)
            let follower = Task { try await history.run() }
            defer { follower.cancel() }
            try await database.write { transaction in
                for key in 0..<2000 { transaction[watched]["\(key)"] = Watched(key, watch) }
            }
            while try await history.known()?.upperBound != 1 { try await Task.sleep(for: .milliseconds(2)) }
            watch.start()
            let service = try TestService(history)
            let given = Task { await service.ask(target).status }
            while !watch.began.isSet { try await Task.sleep(for: .milliseconds(2)) }
            given.cancel()
            watch.gate.set()
            #expect(await given.value == 503)
            try await Task.sleep(for: .milliseconds(200))
            #expect(watch.count < 100)
        }

        /// A list had as many records as were asked for, of any size, and all of them at a time.
        @Test(
            arguments: [
                ("/api/records?collection=items&", "records"), ("/api/records?collection=items&sort=name&", "records"),
                ("/api/commits/1?", "changes"), ("/api/changes?from=0&to=1&", "changes"),
                ("/api/without?commit=1&", "changes"), ("/api/view?name=shelves&", "groups"),
            ])
        func `A list ends with the record that exceeds what an answer has room for, and goes on behind it`(
            target: String, list: String
        ) async throws {
            let database = Database.inMemory()
            try await database.register(shelves)
            let history = try LiveHistory(database)
            let follower = Task { try await history.run() }
            defer { follower.cancel() }
            try await database.write { transaction in
                let name = String(repeating: "a", count: 2_000)
                for number in 0..<20 { transaction[.items]["\(number)"] = Item(name: name, rank: number) }
            }
            while try await history.known()?.upperBound != 1 { try await Task.sleep(for: .milliseconds(2)) }
            for (bytesMax, wanted) in [(1, [1]), (9_000, [5, 5, 5, 5]), (200_000, [20])] {
                var limits = ServerLimits()
                limits.answerBytesMax = bytesMax
                let service = try TestService(history, limits)
                var keys: [String] = []
                for count in wanted {
                    let text = await service.ask("\(target)limit=100&offset=\(keys.count)").text
                    let answer = try CBORValue(json: text)
                    let all = answer[list]?.array ?? []
                    let parts = list == "groups" ? all.flatMap { $0["rows"]?.array ?? [] } : all
                    #expect(parts.count == count && answer["count"] == 20, "\(bytesMax): \(parts.count)")
                    keys += parts.compactMap { $0["key"]?.text }
                    if let isCut = answer["isCut"] { #expect(isCut == .bool(keys.count < 20)) }
                }
                #expect(Set(keys).count == wanted.reduce(0, +))
            }
        }

        /// Views come and go without a commit, and a database in memory has its last commits a moment after they are made.
        @Test func `A tag of an answer changes with what is registered and with what is known`() async throws {
            let database = Database.inMemory()
            let history = try LiveHistory(database)
            for number in 1...3 { try await database.write { $0[.items]["\(number)"] = Item(name: "item") } }
            let service = try TestService(history)
            let early = try #require(await service.ask("/api/commits").headers["ETag"])
            let follower = Task { try await history.run() }
            defer { follower.cancel() }
            while try await history.known()?.upperBound != 3 { try await Task.sleep(for: .milliseconds(2)) }
            let known = await service.ask("/api/commits", headers: [("If-None-Match", early)])
            #expect(known.status == 200 && known.text.contains("\"commit\":3"))
            let tag = try #require(await service.ask("/api/views").headers["ETag"])
            #expect(await service.ask("/api/views", headers: [("If-None-Match", tag)]).status == 304)
            try await database.register(shelves)
            let views = await service.ask("/api/views", headers: [("If-None-Match", tag)])
            #expect(views.status == 200 && views.text.contains("shelves"))
            // Another version of it puts the rows into other places.
            let other = try #require(views.headers["ETag"])
            try await database.unregister("shelves")
            try await database.register(
                AutoView("shelves", versionTag: "2", of: .items, groupedBy: \.name, sortedBy: \.rank))
            let answer = await service.ask("/api/views", headers: [("If-None-Match", other)]).text
            #expect(answer.contains("\"version\":\"2\""))
            // Reactions decide what would be without a commit.
            let target = "/api/without?commit=1"
            let whole = try #require(await service.ask(target).headers["ETag"])
            #expect(await service.ask(target, headers: [("If-None-Match", whole)]).status == 304)
            try await database.register(RecordReaction("refuses", to: .items) { _, _ in throw IsNeeded() })
            #expect(await service.ask(target, headers: [("If-None-Match", whole)]).status == 409)
            #expect(await service.ask("/commits/1/without", headers: [("If-None-Match", whole)]).status == 409)
            try await database.unregisterReaction("refuses")
            #expect(await service.ask(target, headers: [("If-None-Match", whole)]).status == 200)
        }

        /// The tag of each answer asked the database, which was in a write.
        @Test func `While the program is in a long write, its pages are there`() async throws {
            let database = Database.inMemory()
            try await database.register(shelves)
            try await database.write { $0[.items]["a"] = Item(name: "a") }
            let service = try TestService(LiveHistory(database))
            let began = Flag(), gate = Flag()
            let writer = Task(executorPreference: OwnThreads.shared) {
                try await database.write { transaction in
                    transaction[.items]["b"] = Item(name: "b")
                    began.set()
                    gate.wait()
                }
            }
            while !began.isSet { try await Task.sleep(for: .milliseconds(2)) }
            for target in ["/api/status", "/collection?name=items", "/view?name=shelves", "/health"] {
                let answer = await service.ask(target)
                #expect(answer.status == 200, "\(target): \(answer)")
                #expect(target != "/health" || answer.text.contains("registered, version 1"), "\(answer)")
            }
            #expect(database.commitNumber == 1)
            gate.set()
            try await writer.value
        }

        /// Records of a bound type read as they are migrated, at the same commit.
        @Test func `A tag of an answer does not outlive the types of its collections`() async throws {
            let folder = TemporaryDirectory(), path = FilePath(folder.appending("stock"))
            let before = try await Database.open(at: path, collections: .items)
            try await before.write { $0[.items]["a"] = Item(name: "a") }
            try await before.close()
            let database = try await Database.open(at: path)
            let service = try TestService(try LiveHistory(database))
            let target = "/api/record?collection=items&key=a"
            let tag = try #require(await service.ask(target).headers["ETag"])
            #expect(await service.ask(target, headers: [("If-None-Match", tag)]).status == 304)
            let commit = database.commitNumber
            try await database.bind(
                RecordCollection<Item, Int>.items.configured {
                    $0.version = 2
                    $0.migrate(from: 1, to: 2) { $0.object["name"] = "migrated" }
                })
            try #require(database.commitNumber == commit)
            let answer = await service.ask(target, headers: [("If-None-Match", tag)])
            #expect(answer.status == 200 && answer.text.contains("migrated"), "\(answer)")
            try await database.close()
        }

        @Test func `Without a commit, a running program's views are those of a fork, and the program's stay`()
            async throws
        {
            let database = Database.inMemory()
            try await database.register(shelves)
            try await database.write { $0[.items]["early"] = Item(name: "early") }
            let history = try LiveHistory(database)
            let follower = Task { try await history.run() }
            defer { follower.cancel() }
            try await database.write { transaction in
                transaction[.items]["early"] = Item(name: "moved", shelf: "b")
                transaction[.items]["new"] = Item(name: "new", shelf: "b")
            }
            while try await history.known()?.upperBound != 2 { try await Task.sleep(for: .milliseconds(2)) }
            let service = try TestService(history)
            let before = database.snapshot
            let undone = try await UndoneCommit(2, overwritingConflicts: false, in: history)
            #expect(undone.changes.map(\.key) == ["early", "new"] && undone.conflicts.isEmpty)
            #expect(undone.then?.untypedView("shelves")?.groupNames == ["a"])
            #expect(undone.then?[.items]["early"]?.name == "early")
            let page = await service.ask("/commits/2/without").text
            #expect(
                page.contains(">Without</th>") && page.contains("a <b>0 → 1</b>") && page.contains("b <b>2 → 0</b>"))
            #expect(database.commitNumber == 2 && database.snapshot[.items]["new"] == before[.items]["new"])
        }

        private struct Groups: CountedGroups {
            let counts: [(name: String, count: Int)]

            var groupNames: [String] { counts.map(\.name) }

            func count(ofGroup name: String) -> Int {
                counts.first { $0.name.utf8.elementsEqual(name.utf8) }?.count ?? 0
            }
        }

        /// Names were the keys of a dictionary, which ends the program where two are equal.
        @Test func `Groups whose names are equal strings of other bytes are compared each for itself`() {
            let before = Groups(counts: [("a", 1), ("\u{AC00}\u{11A8}", 2), ("\u{AC01}", 3), ("\u{FF5A}", 4)])
            let after = Groups(counts: [("a", 1), ("b", 5), ("\u{AC00}\u{11A8}", 2), ("\u{AC01}", 6)])
            let differences = GroupDifferences(from: before, to: after) {}
            #expect(
                differences.first == [
                    .init(name: "b", before: 0, after: 5), .init(name: "\u{AC01}", before: 3, after: 6),
                    .init(name: "\u{FF5A}", before: 4, after: 0),
                ])
            #expect(differences.count == 3)
            let none = GroupDifferences(from: before, to: Groups(counts: [])) {}
            #expect(none.count == 4 && none.first.map(\.before) == [1, 2, 3, 4])
        }

        @Test func `Groups that differ are counted, the first of them are kept, and the comparison can be stopped`() {
            let names = (1000..<2000).map { "group \($0)" }
            let before = Groups(counts: names.map { ($0, 1) }), after = Groups(counts: names.map { ($0, 2) })
            let differences = GroupDifferences(from: before, to: after) {}
            #expect(differences.count == 1000)
            #expect(differences.first.map(\.name) == Array(names.prefix(GroupDifferences.most)))
            var asked = 0
            #expect(throws: CancellationError.self) {
                _ = try GroupDifferences(from: before, to: after) {
                    asked += 1
                    if asked == 3 { throw CancellationError() }
                }
            }
            #expect(asked == 3)
        }

        private struct Hearer: WriteInstrument {
            let heard: Log

            func beginWrite(origin: String) -> @Sendable (WriteReport) -> Void {
                heard.add(origin)
                return { _ in }
            }
        }

        private struct IsNeeded: Error {}

        /// To look at a page ran what reactions leave for after a commit, and metrics counted a write that never was.
        @Test func `Without a commit, nothing is done outside of the fork, and what the program refuses is said`()
            async throws
        {
            let heard = Log(), done = Log()
            var options = DatabaseOptions()
            options.instruments = [Hearer(heard: heard)]
            let database = Database.inMemory(options: options)
            try await database.register(
                RecordReaction("files", to: .items) { change, transaction in
                    if change.key == "needed", change.after == nil { throw IsNeeded() }
                    let line = "\(change.key) \(change.after == nil ? "removed" : "there")"
                    transaction.afterCommit { done.add(line) }
                })
            let history = try LiveHistory(database)
            let follower = Task { try await history.run() }
            defer { follower.cancel() }
            for key in ["file", "needed"] {
                try await database.write(origin: key) { $0[.items][key] = Item(name: key) }
            }
            while try await history.known()?.upperBound != 2 { try await Task.sleep(for: .milliseconds(2)) }
            let service = try TestService(history)
            let (writes, lines) = (heard.lines, done.lines)
            #expect(lines == ["file there", "needed there"])
            let answer = await service.ask("/api/without?commit=1")
            #expect(answer.status == 200 && answer.text.contains("\"count\":1"), "\(answer)")
            let page = await service.ask("/commits/1/without")
            #expect(page.status == 200 && page.text.contains("<code>afterCommit</code>, does not run"), "\(page)")
            let refused = await service.ask("/api/without?commit=2")
            #expect(refused.status == 409 && refused.text.contains("IsNeeded"), "\(refused)")
            #expect(await service.ask("/commits/2/without").status == 409)
            #expect(heard.lines == writes && done.lines == lines)
            #expect(database.snapshot.count == 2)
        }

        @Test func `Health lists what is held in memory, the oldest first, with its age`() async throws {
            var options = DatabaseOptions()
            let now = Mutex(Int64(1_000_000_000_000))
            options.clock = { now.withLock { $0 } }
            let database = Database.inMemory(options: options)
            var held: [Snapshot] = []
            for number in 1...5 {
                try await database.write { $0[.items]["\(number)"] = Item(name: "item") }
                if number % 2 == 0 { held.append(database.snapshot) }
                now.withLock { $0 += 60_000_000_000 }
            }
            let service = try TestService(try LiveHistory(database))
            let health = try CBORValue(json: await service.ask("/api/health").text)
            let part = health.array?.first { $0["title"] == "States in memory, by age" }
            let rows = part?["rows"]?.array?.map { "\($0["name"]?.text ?? ""): \($0["value"]?.text ?? "")" } ?? []
            #expect(
                rows == [
                    "commit 2: 3 commits behind the newest, 4 min old",
                    "commit 4: 1 commit behind the newest, 2 min old", "commit 5: the newest",
                ])
            withExtendedLifetime(held) {}
        }

        /// What is held can't be used again by the program's next commits, which then are slower.
        @Test func `An inspector of a database with files holds none of its states`() async throws {
            let inspected = try await InspectedDatabase(commits: 5)
            let database = inspected.database
            let service = try TestService(try LiveHistory(database))
            #expect(await service.ask("/api/commits").status == 200)
            try await database.write { $0[.items]["late"] = Item(name: "late") }
            // A stream's consumer keeps what it looks at for as long as it looks.
            for _ in 0..<20_000 where database.statistics.heldStateCount > 1 {
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(database.statistics.heldStateCount == 1)
        }

        @Test func `A database in memory that was faster than the inspector is followed from now on`() async throws {
            var options = DatabaseOptions()
            options.lagLimit = 4
            let database = Database.inMemory(options: options)
            let history = try LiveHistory(database)
            // Streams are looked after once in 256 commits.
            for number in 0..<300 { try await database.write { $0[.items]["\(number)"] = Item(name: "early") } }
            let follower = Task { try await history.run() }
            defer { follower.cancel() }
            // What was too much is gone. Some time after the follower has seen that, commits are known again.
            while try await history.known() == nil {
                try await database.write { $0[.items]["late"] = Item(name: "late", rank: 1) }
                try await Task.sleep(for: .milliseconds(2))
            }
            let known = try #require(try await history.known())
            #expect(known.lowerBound > 300)
            #expect(try await history.step(to: known.upperBound)?.changes?.map(\.key) == ["late"])
            await #expect(throws: DatabaseError.self) { _ = try await history.snapshot(at: 20) }
        }

        @Test func `A follower that comes back gets what it missed, and one that is far behind the last hundred`()
            async throws
        {
            let inspected = try await InspectedDatabase(commits: 5)
            let service = try inspected.service()
            let hub = Task { await service.hub.run() }
            defer { hub.cancel() }
            var events = service.hub.events(after: 3, heartbeat: .seconds(60)) {}.makeAsyncIterator()
            let first = try await next(&events)
            #expect(first.id == 5)
            #expect(first.data["commits"]?.array?.compactMap { $0["commit"] } == [4, 5])
            #expect(first.data["isCut"] == false)
            try await inspected.database.write { $0[.items]["x"] = Item(name: "x") }
            let second = try await next(&events)
            #expect(second.data["commits"]?.array?.compactMap { $0["commit"] } == [6])
            for number in 0..<150 { try await inspected.database.write { $0[.items]["\(number)"] = Item(name: "n") } }
            var late = service.hub.events(after: 6, heartbeat: .seconds(60)) {}.makeAsyncIterator()
            var newest: CBORValue? = nil
            var count = 0
            while newest != 156 {
                let event = try await next(&late)
                newest = event.data["newest"]
                count += event.data["commits"]?.array?.count ?? 0
                #expect(event.data["commits"]?.array?.count ?? 0 <= 100)
            }
            #expect(count >= 100)
            try await inspected.database.close()
        }

        /// What waited for such a client was a buffer of four events: the fifth took the place of the first, and its commits.
        @Test func `A follower that does not read for a while misses no commit, or hears that it does`() async throws {
            let inspected = try await InspectedDatabase(commits: 2)
            let service = try inspected.service()
            let hub = Task { await service.hub.run() }
            defer { hub.cancel() }
            var stalled = service.hub.events(after: 2, heartbeat: .seconds(60)) {}.makeAsyncIterator()
            var reading = service.hub.events(after: 1, heartbeat: .seconds(60)) {}.makeAsyncIterator()
            #expect(try await next(&reading).id == 2)
            // Both follow now: a sign of life comes first.
            #expect(try await stalled.next()?.hasPrefix(":") == true)
            for number in 3...12 {
                try await inspected.database.write { $0[.items]["x"] = Item(name: "x", rank: number) }
                // An event of its own for each.
                while try await next(&reading).id != number {}
            }
            var heard: [CBORValue] = [], newest: Int?
            while newest != 12 {
                let event = try await next(&stalled)
                newest = event.id
                #expect(event.data["isCut"] == false)
                heard += event.data["commits"]?.array?.compactMap { $0["commit"] } ?? []
            }
            #expect(heard == (3...12).map { .unsigned($0) })
            for number in 13...120 {
                try await inspected.database.write { $0[.items]["x"] = Item(name: "x", rank: number) }
            }
            while try await next(&reading).id != 120 {}
            // One follower can have an event before the other has it. When the first has the next one, both have this one.
            try await inspected.database.write { $0[.items]["x"] = Item(name: "x", rank: 121) }
            while try await next(&reading).id != 121 {}
            let last = try await next(&stalled)
            #expect([120, 121].contains(last.id))
            #expect(last.data["isCut"] == true && last.data["commits"]?.array?.count == 100)
            try await inspected.database.close()
        }

        @Test func `A follower hears that another directory took the place, though it has as many commits`()
            async throws
        {
            let inspected = try await InspectedDatabase(commits: 3), other = try await InspectedDatabase(commits: 3)
            try await inspected.database.close()
            try await other.database.close()
            let service = try inspected.service()
            let hub = Task { await service.hub.run() }
            defer { hub.cancel() }
            var events = service.hub.events(after: 2, heartbeat: .seconds(60)) {}.makeAsyncIterator()
            let first = try await next(&events)
            #expect(first.id == 3 && first.data["isReplaced"] == nil)
            try FileManager.default.moveItem(
                atPath: inspected.path.string, toPath: inspected.directory.appending("away"))
            try FileManager.default.moveItem(atPath: other.path.string, toPath: inspected.path.string)
            let second = try await next(&events)
            #expect(second.id == 3 && second.data["isReplaced"] == true && second.data["isCut"] == true)
            #expect(second.data["commits"] == .array([]))
        }

        @Test func `A follower that goes is forgotten`() async throws {
            let inspected = try await InspectedDatabase(commits: 2)
            let hub = EventHub(try FileHistory(inspected.path))
            let ended = Flag()
            let follower = Task {
                for try await _ in hub.events(after: nil, heartbeat: .milliseconds(5), onEnd: { ended.set() }) {}
            }
            try await Task.sleep(for: .milliseconds(30))
            follower.cancel()
            _ = await follower.result
            for _ in 0..<4_000 where await hub.followerCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(await hub.followerCount == 0)
            #expect(ended.isSet)
            try await inspected.database.close()
        }

        /// A snapshot of its own is published, of the newest commit: the hub asked for the commits between it and itself.
        @Test func `What is registered or bound beside a follower is no event, and the next commit is one`()
            async throws
        {
            let database = Database.inMemory()
            let history = try LiveHistory(database)
            let keeper = Task { try await history.run() }
            defer { keeper.cancel() }
            try await database.write { $0[.items]["a"] = Item(name: "a") }
            let hub = EventHub(history)
            let running = Task { await hub.run() }
            defer { running.cancel() }
            var events = hub.events(after: nil, heartbeat: .seconds(60)) {}.makeAsyncIterator()
            #expect(try await next(&events).id == 1)
            try await database.register(shelves)
            try await Task.sleep(for: .milliseconds(200))
            try await database.bind(RecordCollection<Item, Int>("others"))
            try await Task.sleep(for: .milliseconds(200))
            try await database.write { $0[.items]["b"] = Item(name: "b") }
            #expect(try await next(&events).id == 2)
        }

        /// Commits in memory are kept a moment after they are made: an event in between had none, and said that it was cut.
        @Test func `An event of a database in memory has its commit, however late that is kept`() async throws {
            let database = Database.inMemory()
            let history = try LiveHistory(database)
            let hub = EventHub(history)
            let running = Task { await hub.run() }
            defer { running.cancel() }
            var events = hub.events(after: 0, heartbeat: .seconds(60)) {}.makeAsyncIterator()
            #expect(try await events.next()?.hasPrefix(":") == true)
            try await database.write { $0[.items]["a"] = Item(name: "a") }
            // The hub is notified of it before it is kept.
            try await Task.sleep(for: .milliseconds(100))
            let keeper = Task { try await history.run() }
            defer { keeper.cancel() }
            let event = try await next(&events)
            #expect(event.id == 1 && event.data["isCut"] == false)
            #expect(event.data["commits"]?.array?.compactMap { $0["commit"] } == [1])
        }

        /// The next event that is not a sign of life.
        private func next(
            _ events: inout AsyncThrowingStream<String, any Error>.AsyncIterator
        ) async throws -> (id: Int?, data: CBORValue) {
            while let event = try await events.next() {
                let lines = event.split(separator: "\n")
                guard let data = lines.first(where: { $0.hasPrefix("data: ") }) else { continue }
                let id = lines.first { $0.hasPrefix("id: ") }.flatMap { Int($0.dropFirst(4)) }
                return (id, try CBORValue(json: String(data.dropFirst(6))))
            }
            throw CancellationError()
        }
    }
#endif
