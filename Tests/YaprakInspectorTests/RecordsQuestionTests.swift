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

        private func sorted(
            _ collection: String, by field: String, _ isDescending: Bool = false, offset: Int = 0, limit: Int,
            in database: Database
        ) throws -> RecordsQuestion.Answer {
            try RecordsQuestion(
                collection: collection, condition: nil, sort: field, isDescending: isDescending, offset: offset,
                limit: limit
            ).answer(in: database.snapshot, until: .now + .seconds(600))
        }

        /// Up to two thousand records were kept, each in an encoding of its own: gigabytes, where they are large.
        @Test func `To sort records keeps none of them, and those that are shown are read once more`() async throws {
            let watch = Watch(), database = Database.inMemory()
            try await database.write { transaction in
                for key in 100..<200 { transaction[watched]["\(key)"] = Watched(key, watch) }
            }
            watch.start()
            _ = database.snapshot.untyped("watched")["100"]
            let each = watch.count
            try #require(each > 0)
            watch.start()
            let answer = try sorted("watched", by: "name", offset: 10, limit: 5, in: database)
            #expect(answer.records.map(\.key) == (110..<115).map { "\($0)" } && answer.count == 100)
            #expect(watch.count == 105 * each)
        }

        @Test func `Pages of sorted records are those of one order, also behind what is kept at a time`() async throws {
            let database = try await database(items: 2100)
            for (isDescending, offset) in [(false, 0), (true, 950), (false, 2080), (true, Int(Int32.max))] {
                let answer = try sorted("items", by: "rank", isDescending, offset: offset, limit: 50, in: database)
                let ranks = (0..<2100).map { CBORValue.integer(Int64(isDescending ? 2099 - $0 : $0)) }
                #expect(answer.records.compactMap { $0.object["rank"] } == Array(ranks.dropFirst(offset).prefix(50)))
                #expect(answer.count == 2100)
            }
        }

        /// All of each value was kept, with what is in containers, into which no comparison looks.
        @Test func `What is kept of a value to sort by it is small, and in the order of the values`() throws {
            let most = ValueOrder.keyBytesMax
            #expect(ValueOrder.key(of: .array(Array(repeating: 1, count: 1000))) == .array([]))
            #expect(ValueOrder.key(of: .tag(1, 5)) == 5 && ValueOrder.key(of: .text("é")) == .text("é"))
            #expect(ValueOrder.key(of: .bytes(Array(repeating: 1, count: 1000))).bytes?.count == most)
            let ends = ["", "a", "aa", "aé", "é", "éa", "€", "€a", "😀", "😀a", "\u{7ff}", "\u{ffff}"]
            // The characters at the end of what is kept begin at each of its last bytes, and behind it.
            let texts = ((most - 3)...most).flatMap { length in
                ends.map { CBORValue.text(String(repeating: "a", count: length) + $0) }
            }
            for text in texts {
                let key = ValueOrder.key(of: text)
                #expect((key.text?.utf8.count ?? Int.max) <= most + 3)
                for other in texts where ValueOrder.compare(text, other) < 0 {
                    #expect(ValueOrder.compare(key, ValueOrder.key(of: other)) <= 0, "\(text), \(other)")
                }
            }
            let shorter = CBORValue.text(String(repeating: "a", count: most - 1) + "€")
            let longer = CBORValue.text(String(repeating: "a", count: most - 1) + "bc")
            #expect(ValueOrder.compare(ValueOrder.key(of: longer), ValueOrder.key(of: shorter)) < 0)
        }
    }
#endif
