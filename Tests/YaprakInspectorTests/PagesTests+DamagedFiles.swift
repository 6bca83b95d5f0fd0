#if Inspector
    import Foundation
    import SystemPackage
    import TestSupport
    import Testing
    import Yaprak
    import YaprakCBOR
    import YaprakReplay

    @testable import YaprakInspector

    /// Databases whose files are damaged, gone or replaced.
    extension PagesTests {
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

        /// Each page asked for the tags, for its `ETag`, and was a 503.
        @Test func `A damaged file of tags costs the tags, and nothing else`() async throws {
            let inspected = try await InspectedDatabase(commits: 4)
            _ = try ReplayReader(inspected.path).setTag(#require(LogTag.Name("first")), to: 1)
            let service = try inspected.service()
            #expect(await service.ask("/commits/1").text.contains(#"<span class="tag">first</span>"#))
            let file = inspected.path.appending("tags").string
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("a b c\n".utf8))
            try handle.close()
            for target in [
                "/collection?name=items", "/record?collection=items&key=key%202", "/api/records?collection=items",
                "/api/status", "/api/commits/2", "/compare?from=1&to=3",
            ] {
                let answer = await service.ask(target)
                #expect(answer.status == 200 && answer.headers["ETag"] == nil, "\(target): \(answer)")
            }
            for target in ["/", "/commits/2"] {
                let answer = await service.ask(target)
                #expect(answer.status == 200 && answer.headers["ETag"] == nil, "\(target): \(answer)")
                #expect(answer.text.contains("The file of tags is damaged"), "\(target): \(answer)")
            }
            let tags = await service.ask("/api/tags")
            #expect(tags.status == 503 && tags.text.contains("corruptTags"), "\(tags)")
            try await inspected.database.close()
        }

        /// Three openings with five commits each, of which the log has the last ones only.
        private func prunedDatabase(_ directory: TemporaryDirectory) async throws -> FilePath {
            let path = FilePath(directory.appending("stock.yaprak"))
            for opening in 1...3 {
                var options = DatabaseOptions()
                options.checkpoints = .manual
                options.retention = opening == 3 ? .checkpoints(2) : .all
                let database = try await Database.open(at: path, options: options, collections: .items)
                for number in 1...5 {
                    try await database.write { $0[.items]["\(number)"] = Item(name: "of \(opening)", rank: number) }
                }
                try await database.checkpoint()
                try await database.close()
            }
            return path
        }

        @Test func `A log without a state to start from is shown with its commits`() async throws {
            let directory = TemporaryDirectory()
            let path = try await prunedDatabase(directory)
            let folder = path.appending("ckpt").string
            for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
                try FileManager.default.removeItem(atPath: folder + "/" + file)
            }
            let history = try FileHistory(path)
            let known = try #require(try await history.known())
            try #require(known.lowerBound > 1 && known.upperBound == 15)
            let service = try TestService(history)
            let answer = await service.ask("/api/status")
            #expect(answer.status == 200, "\(answer)")
            let status = try CBORValue(json: answer.text)
            #expect(status["newest"] == 15 && status["oldestState"] == nil, "\(answer)")
            #expect(status["oldestCommit"] == .unsigned(known.lowerBound.rawValue), "\(answer)")
            let list = await service.ask("/api/commits")
            #expect(list.status == 200 && list.text.contains("\"commit\":15"), "\(list)")
            let page = await service.ask("/commits/15")
            #expect(page.status == 200 && page.text.contains("is out of reach"), "\(page)")
            var timeline = await service.ask("/")
            while timeline.text.contains("data-pending") { timeline = await service.ask("/") }
            #expect(timeline.status == 200 && timeline.text.contains(#"href="/commits/15">15</a>"#), "\(timeline)")
            #expect(await service.ask("/collection?name=items").status != 200)
        }

        @Test func `A commit behind a damaged checkpoint is shown without values, and the file is named`() async throws
        {
            let directory = TemporaryDirectory()
            let path = try await prunedDatabase(directory)
            let history = try FileHistory(path)
            let known = try #require(try await history.known())
            try #require(known.lowerBound > 1 && known.lowerBound <= 11)
            let file = try #require(
                directory.files(in: "stock.yaprak/ckpt").first { $0.prefix { $0 != "-" }.hasSuffix("010") })
            let url = URL(fileURLWithPath: path.appending("ckpt").appending(file).string)
            let whole = try Data(contentsOf: url)
            var bytes = whole
            bytes[4200] ^= 2
            try bytes.write(to: url)
            let step = try #require(try await history.step(to: 11))
            #expect(step.commit.commitNumber == 11 && step.changes == nil)
            #expect(step.note?.contains("can't be read") == true && step.note?.contains(file) == true, "\(step)")
            // A browser that keeps that shows it after the file was put back.
            let service = try TestService(history)
            for target in ["/commits/11", "/api/commits/11"] {
                let answer = await service.ask(target)
                #expect(answer.status == 200 && answer.headers["ETag"] == nil, "\(target): \(answer)")
            }
            try whole.write(to: url)
            let page = await service.ask("/commits/11")
            #expect(page.status == 200 && page.headers["ETag"] != nil && !page.text.contains("can&#39;t be read"))
            let answer = await service.ask("/api/commits/11")
            #expect(answer.status == 200 && answer.headers["ETag"] != nil, "\(answer)")
            let change = try CBORValue(json: answer.text)["changes"]?[0]
            #expect(change?["before"]?["name"] == "of 2" && change?["after"]?["name"] == "of 3", "\(answer)")
        }

        /// The newest commit was asked for first, and what said where the damage lies was a 503.
        @Test(arguments: [true, false])
        func `Health says what is damaged, also in the newest segment`(isHeader: Bool) async throws {
            let directory = TemporaryDirectory()
            let path = FilePath(directory.appending("counted.yaprak"))
            var options = DatabaseOptions()
            // Each commit in a frame of its own.
            options.durability = .always
            options.checkpoints = .manual
            options.retention = .all
            let database = try await Database.open(at: path, options: options, collections: .items)
            for number in 1...20 {
                try await database.write { $0[.items]["counter"] = Item(name: "counter", rank: number) }
            }
            try await database.close()
            var commits = try ReplayReader(path).commits(from: 10, through: 10).makeAsyncIterator()
            let place = try #require(try await commits.next()).place
            let name = try #require(place.file)
            let file = URL(fileURLWithPath: path.string + "/" + name)
            var bytes = try Data(contentsOf: file)
            bytes[(isHeader ? 0 : Int(place.offset ?? 0)) + 9] ^= 2
            try bytes.write(to: file)
            let service = try TestService(FileHistory(path))
            #expect(await service.ask("/api/status").status == 503)
            let answer = await service.ask("/api/health")
            #expect(answer.status == 200, "\(answer)")
            let parts = try CBORValue(json: answer.text).array ?? []
            #expect(parts.compactMap { $0["title"]?.text } == ["Log", "Checkpoints", "Structure"])
            let newest = parts.first?["rows"]?.array?.first { $0["name"] == "newest commit" }
            #expect(newest?["state"] == "bad" && newest?["value"] == "can't be read", "\(answer)")
            let findings = parts.last?["rows"]?.array ?? []
            #expect(
                findings.contains { $0["state"] == "bad" && $0["value"]?.text?.contains(name) == true }, "\(answer)")
            let page = await service.ask("/health")
            #expect(page.status == 200 && page.text.contains("can&#39;t be read"), "\(page)")
        }

        @Test func `A bisection skips what a repair has lost, and names it`() async throws {
            let directory = TemporaryDirectory()
            let path = FilePath(directory.appending("counted.yaprak")), source = directory.appending("source")
            var options = DatabaseOptions()
            // Each commit in a frame of its own.
            options.durability = .always
            options.checkpoints = .manual
            options.retention = .all
            do {
                let database = try await Database.open(at: path, options: options, collections: .items)
                for number in 1...60 {
                    try await database.write { $0[.items]["counter"] = Item(name: "counter", rank: number) }
                    if number == 40 { try await database.checkpoint() }
                }
                try await database.close()
            }
            var commits = try ReplayReader(path).commits(from: 25, through: 25).makeAsyncIterator()
            let place = try #require(try await commits.next()).place
            try FileManager.default.moveItem(atPath: path.string, toPath: source)
            let file = URL(fileURLWithPath: source + "/" + (place.file ?? ""))
            var bytes = try Data(contentsOf: file)
            bytes[Int(place.offset ?? 0) + 9] ^= 2
            try bytes.write(to: file)
            // Of what a damaged file hides browsers keep nothing: it may be put back.
            let damaged = try TestService(FileHistory(FilePath(source)))
            for target in ["/api/bisection?where=", "/bisect?where="] {
                let answer = await damaged.ask(target + "items['counter'].rank+%3E%3D+30")
                #expect(answer.status == 200 && answer.text.contains("skip"), "\(target): \(answer)")
                #expect(answer.headers["ETag"] == nil, "\(target)")
            }
            let repair = try ReplayReader(FilePath(source)).repair()
            _ = try repair.perform(to: path)
            let hole = try #require(repair.holes.first)
            try #require(hole.loss.commits.lowerBound == 25 && hole.nextStateCommitNumber == 40)
            let service = try TestService(FileHistory(path))
            func ends(_ range: CBORValue?) -> [CBORValue] { ["first", "last"].compactMap { range?[$0] } }
            for first in [2, 24, 25, 30, 40, 41, 58] {
                let condition = "items['counter'].rank+%3E%3D+\(first)"
                let answer = await service.ask("/api/bisection?where=\(condition)")
                #expect(answer.status == 200, "\(first): \(answer.text)")
                let found = try CBORValue(json: answer.text)
                let page = await service.ask("/bisect?where=\(condition)")
                #expect(page.status == 200, "\(first)")
                let isLost = (25...40).contains(first)
                #expect(found["firstBad"] == (isLost ? nil : .integer(Int64(first))), "\(first): \(found)")
                #expect(ends(found["firstBadAmong"]) == (isLost ? [25, 40] : []), "\(first): \(found)")
                let skipped = found["probes"]?.array?.filter { $0["verdict"] == "skip" } ?? []
                #expect(skipped.allSatisfy { ends($0["unreadable"]) == [25, 39] }, "\(first): \(found)")
                #expect(skipped.count <= 1 && (!isLost || !skipped.isEmpty), "\(first): \(found)")
                #expect(page.text.contains("skipped: 25 to 39 can") == !skipped.isEmpty, "\(first)")
                #expect(page.text.contains("The first bad commit is among 25 to 40") == isLost, "\(first)")
            }
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
