#if Inspector
    import TestSupport
    import Testing
    import Yaprak
    import YaprakCBOR
    import YaprakLocks
    import YaprakReplay

    @testable import YaprakInspector

    /// Questions about the records of a collection: their time, their end, and the order of what they find.
    @Suite(.bounded) struct RecordsQuestionTests {
        private func database(items count: Int) async throws -> Database {
            let database = Database.inMemory()
            try await database.write { transaction in
                for number in 0..<count { transaction[.items]["\(number)"] = Item(name: "item", rank: number) }
                transaction[RecordCollection<Item, Int>("one")]["a"] = Item(name: "one")
            }
            return database
        }

        private func question(_ condition: String, of collection: String = "items") throws -> RecordsQuestion {
            try RecordsQuestion(
                collection: collection, condition: ReplayExpression(condition, about: .record), sort: nil,
                isDescending: false, offset: 0, limit: 50)
        }

        /// The clock was looked at once in 256 records.
        @Test func `A question looks at no record after its deadline`() async throws {
            let snapshot = try await database(items: 300).snapshot
            let late = try question(".rank >= 0").answer(in: snapshot, until: .now - .seconds(1))
            #expect(late.count == 0 && late.records.isEmpty)
            #expect(late.note?.hasPrefix("Stopped after 0 of 300 records") == true, "\(late.note ?? "")")
            let whole = try question(".rank >= 0").answer(in: snapshot, until: .now + .seconds(600))
            #expect(whole.count == 300 && whole.note == nil)
        }

        /// A condition that looks through collections was asked of a record to its end, however long that took.
        @Test func `A question stops at its deadline within one record`() async throws {
            let snapshot = try await database(items: 2000).snapshot
            let question = try question("count(items, count(items, .rank == 1) > 0) > 0", of: "one")
            let answer = try question.answer(in: snapshot, until: .now + .milliseconds(50))
            #expect(answer.note != nil && answer.count == 0 && answer.records.isEmpty)
        }

        @Test func `A question that nobody waits for ends within one record`() async throws {
            let snapshot = try await database(items: 2000).snapshot
            let question = try question("count(items, count(items, .rank == 1) > 0) > 0", of: "one")
            let asked = Mutex(0)
            #expect(throws: CancellationError.self) {
                _ = try question.answer(in: snapshot, until: .now + .seconds(600)) {
                    asked.withLock { count -> Bool in
                        count += 1
                        return count > 100
                    }
                }
            }
            #expect(asked.withLock { $0 } < 1000)
        }

        @Test func `A client that goes ends its question`() async throws {
            let database = try await database(items: 2000)
            let service = try TestService(LiveHistory(database))
            let condition = PercentCoding.encoded("count(items, count(items, .rank == 1) > 0) > 0")
            for target in ["/api/records?collection=items&where=", "/collection?name=items&where="] {
                let given = Task { await service.ask(target + condition).status }
                try await Task.sleep(for: .milliseconds(100))
                given.cancel()
                #expect(await given.value == 503, "\(target)")
            }
        }

        /// As floating-point numbers two of these are equal, and a tag was no number.
        @Test func `Records are sorted by the size of numbers of any kind, with tags or without`() async throws {
            let values = RecordCollection<CBORValue, NoMetadata>("values"), database = Database.inMemory()
            try await database.write { transaction in
                transaction[values]["a"] = ["n": 9_007_199_254_740_993]
                transaction[values]["b"] = ["n": 9_007_199_254_740_992.0]
                transaction[values]["c"] = ["n": 9_007_199_254_740_991]
                transaction[values]["d"] = ["n": .tag(1, 5)]
                transaction[values]["e"] = ["n": .tag(1, 3)]
                transaction[values]["f"] = ["m": 1]
                transaction[values]["g"] = ["n": .tag(1, nil)]
                transaction[values]["h"] = ["n": "text"]
                transaction[values]["i"] = ["n": [2]]
                transaction[values]["j"] = ["n": [1]]
            }
            for (isDescending, wanted) in [(false, "edcbahijfg"), (true, "ijhabcdefg")] {
                let question = try RecordsQuestion(
                    collection: "values", condition: nil, sort: "n", isDescending: isDescending, offset: 0, limit: 50)
                let answer = try question.answer(in: database.snapshot, until: .now + .seconds(600))
                #expect(answer.records.map(\.key).joined() == wanted)
            }
        }
    }
#endif
