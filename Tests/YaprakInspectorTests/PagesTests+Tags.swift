#if Inspector
    import Foundation
    import TestSupport
    import Testing
    import Yaprak
    import YaprakReplay

    @testable import YaprakInspector

    /// Tags of answers: how long they hold, and which answers have none.
    extension PagesTests {
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

        @Test func `A tag of an answer does not outlive the directory, though the next one has as many commits`()
            async throws
        {
            let inspected = try await InspectedDatabase(commits: 3), other = try await InspectedDatabase(commits: 2)
            try await other.database.write { $0[.items]["key 1"] = Item(name: "of another") }
            try await inspected.database.close()
            try await other.database.close()
            let service = try inspected.service()
            var tags: [String: String] = [:]
            let targets = ["/api/record?collection=items&key=key%201", "/collection?name=items"]
            for target in targets { tags[target] = await service.ask(target).headers["ETag"] }
            for target in targets {
                let tag = try #require(tags[target])
                #expect(await service.ask(target, headers: [("If-None-Match", tag)]).status == 304)
            }
            try FileManager.default.moveItem(
                atPath: inspected.path.string, toPath: inspected.directory.appending("away"))
            try FileManager.default.moveItem(atPath: other.path.string, toPath: inspected.path.string)
            for target in targets {
                let answer = await service.ask(target, headers: [("If-None-Match", try #require(tags[target]))])
                #expect(answer.status == 200 && answer.text.contains("of another"), "\(target)")
            }
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
    }
#endif
