#if Inspector
    import Foundation
    import TestSupport
    import Testing
    import Yaprak
    import YaprakCBOR
    import YaprakReplay

    @testable import YaprakInspector

    /// Answers that take longer than they may, and those that nobody waits for any more.
    extension PagesTests {
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

        /// It was given to those who waited just then, mostly nobody, and the next one began to read again.
        @Test func `An error that comes late is the answer for the next one who asks`() async throws {
            let inspected = try await InspectedDatabase(commits: 4)
            let history = GatedHistory(try FileHistory(inspected.path))
            history.fail(DatabaseError(.corruptLog, "The log is damaged."))
            let states = ComingStates { try await history.snapshot(at: $0, withViews: true) }
            func ask(for patience: Duration) async -> Result<Snapshot, any Error>? {
                await states.snapshot(at: 2, within: patience)
            }
            let isEarly = await ask(for: .milliseconds(20)) == nil
            #expect(isEarly)
            // The gate is closed again behind this one.
            history.open(reads: 1)
            try await Task.sleep(for: .milliseconds(200))
            var late = await ask(for: .milliseconds(20))
            for _ in 0..<100 where late == nil { late = await ask(for: .milliseconds(20)) }
            guard case .failure(let error as DatabaseError) = try #require(late) else {
                Issue.record("a state, and no error")
                return
            }
            #expect(error.code == .corruptLog && history.readCount == 1)
            // Once that was heard, it is read again.
            history.fail(nil)
            history.open()
            #expect(try await ask(for: .seconds(20))?.get().commitNumber == 2)
            #expect(history.readCount == 2)
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

        /// Each line of the tree hashed the key, and each field of the commit wrote it out: that took minutes.
        @Test func `A record with a key of megabytes has its pages within seconds`() async throws {
            let inspected = try await InspectedDatabase(commits: 1)
            let maps = RecordCollection<[String: [[Int]]], NoMetadata>("maps")
            let key = String(repeating: "é", count: 1_000_000)
            for commit in 1...2 {
                let rows = (0..<9).map { row in (0..<200).map { $0 + row + commit } }
                try await inspected.database.write { $0[maps]["a"] = [key: rows, "short": [[commit]]] }
            }
            let service = try inspected.service()
            let began = ContinuousClock.now
            let record = await service.ask("/record?collection=maps&key=a")
            #expect(record.status == 200 && record.text.utf8.count < 1_000_000)
            // Beside it, fields have those who set them. Below it, nothing is said.
            #expect(record.text.contains(#"set by <a class="commit" href="/commits/3">3</a>"#), "\(record)")
            #expect(record.text.components(separatedBy: "set by").count == 2)
            let commit = await service.ask("/commits/3")
            #expect(commit.status == 200 && commit.text.contains("ééé") && commit.text.utf8.count < 1_000_000)
            #expect(ContinuousClock.now - began < .seconds(40))
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
    }
#endif
