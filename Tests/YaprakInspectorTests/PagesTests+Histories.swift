#if Inspector
    import Foundation
    import TestSupport
    import Testing
    import Yaprak
    import YaprakCBOR
    import YaprakReplay

    @testable import YaprakInspector

    /// What a page says of a record's history where not all of it was kept, or read, or can be.
    extension PagesTests {
        /// The oldest revisions were kept: of a record with more than fit, the page named a commit long ago.
        @Test func `Of a record that was changed more often than is kept, the newest changes are known`() async throws {
            let inspected = try await InspectedDatabase(commits: 1)
            for number in 2...30 {
                try await inspected.database.write { $0[.items]["often"] = Item(name: "often", rank: number) }
            }
            let service = try TestService(try FileHistory(inspected.path, revisionsMax: 5))
            let answer = try CBORValue(json: await service.ask("/api/history?collection=items&key=often").text)
            #expect(answer["revisions"]?.array?.compactMap { $0["commit"] } == [26, 27, 28, 29, 30])
            #expect(answer["omitted"] == 24 && answer["isCut"] == true && answer["isLate"] == false)
            let page = await service.ask("/record?collection=items&key=often")
            #expect(page.text.contains(#"set by <a class="commit" href="/commits/30">30</a>"#), "\(page.text)")
            // Who set the others is not known any more.
            #expect(page.text.components(separatedBy: "set by").count == 2)
            #expect(page.text.contains("The newest 5 of 29 commits"))
            // Of what time allowed nothing is missing.
            #expect(page.headers["ETag"] != nil && !page.text.contains("not read in time"))
            try await inspected.database.close()
        }

        /// Each revision kept the commit it was read with, whatever else that had, and nothing bounded their bytes.
        @Test func `What is kept of a record's history keeps no commits, and has a bounded size`() async throws {
            let inspected = try await InspectedDatabase(commits: 1)
            for number in 1...8 {
                try await inspected.database.write { transaction in
                    transaction[.items]["large"] = Item(name: String(repeating: "x", count: 100_000 + number))
                    transaction[.items]["small"] = Item(name: "small", rank: number)
                }
            }
            let deadline = ContinuousClock.now + .seconds(60)
            let small = try await FileHistory(inspected.path).revisions(ofKey: "small", in: "items", until: deadline)
            #expect(small.revisions.count == 8 && small.omitted == 0)
            for record in small.revisions.flatMap({ [$0.before, $0.after] }).compactMap({ $0 }) {
                // A part of what was read begins behind what stands before it.
                #expect(record.objectBytes.startIndex == 0)
            }
            #expect(small.revisions.compactMap { $0.after?.object["rank"] } == (1...8).map { .unsigned($0) })
            #expect(small.revisions.dropFirst().map(\.before) == small.revisions.dropLast().map(\.after))
            for (most, count) in [(500_000, 2), (1, 1)] {
                let bounded = try FileHistory(inspected.path, revisionBytesMax: most)
                let large = try await bounded.revisions(ofKey: "large", in: "items", until: deadline)
                #expect(large.revisions.count == count && large.omitted == 8 - count && large.isCut, "\(most)")
                #expect(large.revisions.last?.number == 9, "\(most)")
            }
            let service = try TestService(FileHistory(inspected.path, revisionBytesMax: 500_000))
            let answer = await service.ask("/api/history?collection=items&key=large")
            #expect(answer.status == 200 && answer.text.contains("\"omitted\":6"))
            // Who set what only earlier commits changed is not known, and of an earlier state, nothing is.
            let words = "Of fields without a commit it is not known which one set them"
            for (at, count) in [("", 1), ("&at=4", 0)] {
                let page = await service.ask("/record?collection=items&key=large" + at)
                #expect(page.status == 200 && page.text.components(separatedBy: "set by").count == count + 1, "\(at)")
                #expect(page.text.contains(words) && page.text.contains("before commit 8 is not kept"), "\(at)")
            }
            let whole = await service.ask("/record?collection=items&key=small")
            #expect(whole.text.contains("set by") && !whole.text.contains(words))
            try await inspected.database.close()
        }

        @Test func `Who set a field is not said before the history was read up to the commit shown`() async throws {
            let inspected = try await InspectedDatabase(commits: 15)
            let service = try TestService(HastyHistory(try FileHistory(inspected.path)))
            let target = "/record?collection=items&key=key%201"
            let page = await service.ask(target)
            #expect(page.text.contains("item 13") && !page.text.contains("set by"), "\(page.text)")
            #expect(page.text.contains("Which commit set each field is not known"))
            let first = await service.ask(target + "&at=1")
            #expect(first.text.contains(#"set by <a class="commit" href="/commits/1">1</a>"#), "\(first.text)")
            try await inspected.database.close()
        }

        /// One frame of the log that nothing of the state needs was enough for no page.
        @Test func `A record, and the timeline, are shown beside a damaged part of the log`() async throws {
            let inspected = try await InspectedDatabase(commits: 60)
            try await inspected.database.checkpoint()
            for rank in 1...2 {
                try await inspected.database.write { $0[.items]["late"] = Item(name: "late one", rank: rank) }
            }
            try await inspected.database.close()
            let folder = inspected.path.appending("wal").string
            let segments = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            try #require(segments.count > 1)
            let file = folder + "/" + segments[0]
            var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            // In the middle of what was written: what has no value is room between frames, or for more.
            let end = try #require(bytes.lastIndex { $0 != 0 })
            let place = try #require(bytes[...(end / 2)].lastIndex { $0 != 0 })
            bytes[place] ^= 0xff
            try bytes.write(to: URL(fileURLWithPath: file))
            let service = try inspected.service()
            let history = await service.ask("/api/history?collection=items&key=late")
            #expect(history.status == 503)
            let message = try #require(try CBORValue(json: history.text)["error"]?["message"]?.text)
            let page = await service.ask("/record?collection=items&key=late")
            #expect(page.status == 200 && page.text.contains("late one"), "\(page.text)")
            #expect(page.text.contains(Pieces.sentence(message).text) && !page.text.contains("set by"))
            #expect(page.headers["ETag"] == nil)
            var timeline = await service.ask("/")
            while timeline.text.contains("data-pending") { timeline = await service.ask("/") }
            #expect(timeline.status == 200 && timeline.text.contains("State at commit 62"), "\(timeline.text)")
            #expect(timeline.text.contains("class=\"chip\" data-key=\"items\""))
            #expect(timeline.text.contains(Pieces.sentence(message).text) && timeline.headers["ETag"] == nil)
            #expect(await service.ask("/?from=61&to=62").status == 200)
        }

        /// Such an answer had a tag: the sentence stayed until the next commit.
        @Test func `A state that could not be read this time is asked for again`() async throws {
            let inspected = try await InspectedDatabase(commits: 4)
            let history = GatedHistory(try FileHistory(inspected.path))
            history.open()
            let service = try TestService(history)
            func ask() async -> (status: Int, text: String, headers: [String: String]) {
                var answer = await service.ask("/?at=2")
                while answer.text.contains("data-pending") { answer = await service.ask("/?at=2") }
                return answer
            }
            history.fail(DatabaseError(.ioFailed, "The disk is busy. Ask again."))
            let failed = await ask()
            #expect(failed.status == 200 && failed.text.contains("The disk is busy.") && failed.headers["ETag"] == nil)
            history.fail(DatabaseError(.commitOutOfReach, "That is gone."))
            let gone = await ask()
            #expect(gone.status == 200 && gone.text.contains("That is gone.") && gone.headers["ETag"] != nil)
            history.fail(nil)
            let whole = await ask()
            #expect(whole.text.contains("class=\"chip\" data-key=\"items\"") && whole.headers["ETag"] != nil)
            try await inspected.database.close()
        }

        @Test func `A tag that nobody set costs nothing of what was read`() async throws {
            let inspected = try await InspectedDatabase(commits: 4)
            let files = try FileHistory(inspected.path)
            let service = try TestService(files)
            #expect(await service.ask("/?at=2").status == 200)
            let reader = await files.readerIdentity
            for target in ["/?at=nosuch", "/api/commits/nosuch"] {
                #expect(await service.ask(target).status == 404, "\(target)")
            }
            #expect(await files.readerIdentity == reader)
            try await inspected.database.close()
        }
    }
#endif
