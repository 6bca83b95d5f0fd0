import TestSupport
import Testing
import Yaprak
import YaprakCBOR

@testable import YaprakReplay

/// The language of `--where`: what is true, what is refused and where, and that nothing stops the program.
@Suite(.bounded) struct ExpressionTests {
    private func flights() async throws -> Snapshot {
        let database = Database.inMemory()
        let flights = RecordCollection<CBORValue, CBORValue>("flights")
        let odd = RecordCollection<CBORValue, NoMetadata>("and")
        try await database.write { transaction in
            transaction[flights].set(
                ["carrier": "UA", "delay": 30, "legs": [["to": "IAH"], ["to": "SFO"]], "tail": nil],
                metadata: ["seen": true], for: "UA1")
            transaction[flights]["UA2"] = [
                "carrier": "UA", "delay": -3, "odd name": 1.5, "gates": [1: "a", -1: "b", 2.5: "c", true: "d"],
            ]
            transaction[flights]["DL1"] = ["carrier": "DL", "note": "late", "at": .tag(1, 1000)]
            transaction[odd]["x"] = "no map"
        }
        return database.snapshot
    }

    @Test(arguments: [
        (#"count(flights) == 3"#, true), (#"count(flights, .delay < 0) == 1"#, true),
        (#"count(flights, $key < "UA") == 1"#, true), (#"exists(flights["UA1"])"#, true),
        (#"exists(flights["UA9"])"#, false), (#"exists(flights["UA1"].tail)"#, true),
        (#"exists(flights["UA1"].wings)"#, false), (#"flights["UA1"].tail == null"#, true),
        (#"flights["UA9"].delay == null"#, true),
        (#"flights["UA1"].delay >= 30 and flights["UA1"].carrier == "UA""#, true),
        (#"any(flights, .delay < 0)"#, true), (#"all(flights, .delay < 100)"#, false),
        (#"all(flights, .delay == null or .delay < 100)"#, true), (#"all(nothing, false)"#, true),
        (#"any(nothing, true)"#, false), (#"sum(flights, .delay) == 27"#, true),
        (#"sum(nothing, .delay) == 0"#, true), (#"max(nothing, .delay) == null"#, true),
        (#"max(flights, .delay) == 30 and min(flights, .delay) == -3"#, true),
        (#"min(flights, $key) == "DL1""#, true), (#"average(flights, .delay) == 13.5"#, true),
        (#"flights["UA1"].legs[1].to == "SFO""#, true), (#"flights["UA1"].legs[2].to == null"#, true),
        (#"flights["UA1"].legs[-1] == null"#, true), (#"flights["UA2"]["odd name"] == 1.5"#, true),
        // The number under a map's key was taken for a place in an array.
        (#"flights["UA2"].gates[1] == "a" and flights["UA2"].gates[-1] == "b""#, true),
        (#"flights["UA2"].gates[2 / 2] == "a" and flights["UA2"].gates[5 / 2] == "c""#, true),
        (#"flights["UA2"].gates[true] == "d" and exists(flights["UA2"].gates[1])"#, true),
        (#"exists(flights["UA2"].gates[0]) or exists(flights["UA2"].gates[2])"#, false),
        (#"flights["UA1"].legs[2 / 2].to == "SFO""#, true), (#"exists(flights["UA1"].legs[1 / 2])"#, false),
        (#"any(flights["UA1"].legs, .to == 'IAH')"#, true), (#"count(flights["UA1"].legs) == 2"#, true),
        (#"count(flights["DL1"], . == "late") == 1 and any(flights["DL1"], $key == "note")"#, true),
        (#"any(flights, $metadata.seen)"#, true), (#"all(flights, $version == 1)"#, true),
        (#"flights["DL1"].at == 1000"#, true), (#"count(collection("and")) == 1"#, true),
        (#"collection("and")["x"].field == null"#, true), (#"type(flights["UA1"].legs) == "array""#, true),
        (#"contains("departures", "part") and startsWith("abc", "ab") and endsWith("abc", "bc")"#, true),
        (#"contains(flights["UA1"].legs, 3)"#, false), (#"startsWith(1, "a")"#, false),
        (#"any(flights, any(flights, .carrier == "DL") and .carrier == "UA")"#, true),
    ])
    func `What is there is found, what is not there is null`(text: String, expected: Bool) async throws {
        #expect(try ReplayExpression(text, about: .snapshot).holds(in: await flights()) == expected)
    }

    @Test(arguments: [
        ("1 == 1.0", true), ("1 < 1.5", true), ("\"1\" == 1", false), ("\"1\" != 1", true), ("\"a\" < 2", false),
        ("\"a\" >= 2", false), ("null == null", true), ("null < 1", false), ("true > false", false),
        ("\"a\" < \"b\"", true), ("18446744073709551615 < 18446744073709551616", true),
        ("18446744073709551615 == 18446744073709551615.0", false), ("9007199254740993 == 9007199254740992.0", false),
        ("-18446744073709551615 - 1 < -1.8e19", true), ("1e308 * 10 > 18446744073709551615", true),
        ("1e308 * 10 - 1e308 * 10 == 0", false), ("2 + 3 * 4 == 14", true), ("(2 + 3) * 4 == 20", true),
        ("7 / 2 == 3.5", true), ("-7 % 3 == -1", true), ("7.5 % 2 == 1.5", true), ("1 / 0 == null", true),
        ("1 % 0 == null", true), ("1.0 / 0 == null", true), ("1 + \"a\" == null", true),
        ("\"a\" + \"b\" == \"ab\"", true),
        ("10 - 3 - 2 == 5", true), ("- -3 == 3", true), ("not null", true), ("not 1", true), ("1", false),
        ("not not true", true), ("true or 1 / 0", true), ("false and true or true", true),
        ("false and (true or true)", false), ("-\"a\" == null", true),
        ("18446744073709551615 * 18446744073709551615 > 1e38", true),
        (#""\u0041\uD83D\uDE00" == 'A😀'"#, true),
    ])
    func `Numbers are compared exactly, kinds never mix, and arithmetic has no accidents`(text: String, expected: Bool)
        throws
    {
        let empty = Database.inMemory().snapshot
        #expect(try ReplayExpression(text, about: .snapshot).holds(in: empty) == expected)
    }

    @Test func `A condition about a record knows its key, its metadata and the other collections`() async throws {
        let snapshot = try await flights()
        func keys(_ text: String) throws -> [String] {
            let condition = try ReplayExpression(text, about: .record)
            return snapshot.untyped("flights").filter { condition.holds(for: $0, in: snapshot) }.map(\.key)
        }
        #expect(try keys(".delay > 0") == ["UA1"])
        #expect(try keys("$key != \"UA1\" and .carrier == \"UA\"") == ["UA2"])
        #expect(try keys("$metadata.seen") == ["UA1"])
        #expect(try keys(".delay == max(flights, .delay)") == ["UA1"])
        #expect(try keys(".") == [])
    }

    @Test func `A condition about a change knows both sides, and what became of a value`() async throws {
        let database = Database.inMemory()
        let things = RecordCollection<CBORValue, NoMetadata>("things")
        try await database.bind(things)
        try await database.write { $0[things]["a"] = ["status": "on time", "delay": 0] }
        let before = database.snapshot
        try await database.write { transaction in
            transaction[things]["a"] = ["status": "delayed", "delay": 30]
            transaction[things]["b"] = ["status": "delayed"]
        }
        let after = database.snapshot
        func holds(_ text: String, _ key: String, backwards: Bool = false) throws -> Bool {
            let (old, new) = backwards ? (after, before) : (before, after)
            return try ReplayExpression(text, about: .change).holds(
                from: old.untyped("things")[key], in: old, to: new.untyped("things")[key], in: new)
        }
        #expect(try holds(".status became \"delayed\"", "a") && holds(".status became \"delayed\"", "b"))
        #expect(try !holds(".status became \"delayed\"", "a", backwards: true))
        #expect(try holds(".status became null", "b", backwards: true))
        #expect(try holds("after.delay - before.delay == 30 and $key == \"a\"", "a"))
        #expect(try holds("before == null", "b") && !holds("before == null", "a"))
        #expect(try holds(".status == \"delayed\" and after == null", "b", backwards: true))
        #expect(try holds("count(things) became 2", "a") && !holds("count(things) became 1", "a"))
        #expect(try holds("(.status became \"delayed\") became true", "a"))
        #expect(throws: ReplayExpressionError.self) { try ReplayExpression("before.x == 1", about: .record) }
    }

    // It asked what became of the record, for each element again, as if that had a state before.
    @Test(arguments: [
        "any(.legs, .status became 1)", "all(things, .x became 1)", "count(things, . became 1) > 0",
        "any(.legs, any(.stops, not (.x became 1)))", "any(.legs, count(.stops became 2) > 1)",
    ])
    func `What became of an element is not asked`(text: String) throws {
        let error = try #require(throws: ReplayExpressionError.self) { try ReplayExpression(text, about: .change) }
        #expect(error.message.contains("write it outside"), "\(error)")
        #expect(Array(text)[error.column - 1] == "b")
        for allowed in [
            "any(.legs, . == 1) became true", "any(.legs, . == 1) and .x became 1", "count(.legs) became 2",
        ] {
            _ = try ReplayExpression(allowed, about: .change)
        }
    }

    /// The fuzzer's harness asked about changes: each level had asked the one below for both states, each time again.
    @Test func `Questions of what became, one within another, are asked once for each level`() throws {
        let empty = Database.inMemory().snapshot
        func holds(_ text: String) throws -> Bool {
            try ReplayExpression(text, about: .change).holds(from: nil, in: empty, to: nil, in: empty)
        }
        // Before the commit nothing had become anything: what is false has been false, and is not new.
        #expect(try !holds("1 became 1") && !holds("(1 became 2) became false") && !holds("(1 became 2) became true"))
        var text = "1 became 2"
        while (try? ReplayExpression("(\(text)) became false", about: .change)) != nil {
            text = "(\(text)) became false"
        }
        #expect(text.utf8.count > 500)
        #expect(try !holds(text))
    }

    @Test func `Groups are asked alone, and in an order of all values`() async throws {
        let database = Database.inMemory()
        let things = RecordCollection<CBORValue, NoMetadata>("things")
        try await database.bind(things)
        try await database.write { transaction in
            for index in 0..<60 {
                let group: [CBORValue] = [.null, true, 7, 2.5, "b", "a"]
                transaction[things]["\(index)"] = ["group": group[index % 6], "n": .unsigned(UInt64(index))]
            }
        }
        let expression = try ReplayExpression("count(things, .n >= 6) + count(things) * 100", about: .snapshot)
        let groups = expression.values(in: database.snapshot, by: try ReplayExpression(".group", about: .record))
        #expect(groups.map(\.group) == [.null, true, 2.5, 7, "a", "b"])
        #expect(groups.allSatisfy { $0.value == 1009 })
        #expect(expression.collectionNames == ["things"])
    }

    // Groups were made of values as they are stored: 10 and 10.0 were two, each with a part of the records, in an order that
    // was another each time.
    @Test func `Records whose values are equal are one group`() async throws {
        let database = Database.inMemory()
        let things = RecordCollection<CBORValue, NoMetadata>("things")
        try await database.bind(things)
        let same: [[CBORValue]] = [
            [.null, .undefined, .tag(9, .null)], [.float(.nan), .float(-.nan), .tag(9, .float(.nan))],
            [0, .float(0), .float(-0.0)], [10, .float(10), .tag(4000, 10)], [.float(0x1p64), .tag(1, .float(0x1p64))],
            ["a", .tag(0, "a")], [[1, [.undefined]], [.float(1), .tag(9, [.null])]],
            [["k": 2], ["k": .float(2)]],
        ]
        try await database.write { transaction in
            for (index, values) in same.enumerated() {
                for (other, value) in values.enumerated() {
                    transaction[things]["\(other) \(index)"] = ["group": value]
                }
            }
            transaction[things]["none"] = ["n": 1]
        }
        let expression = try ReplayExpression("count(things)", about: .snapshot)
        let group = try ReplayExpression(".group", about: .record)
        let groups = expression.values(in: database.snapshot, by: group)
        #expect(
            groups.map(\.group)
                == [.null, .float(.nan), 0, 10, .float(0x1p64), "a", [1, [.null]], ["k": 2]])
        #expect(groups.map(\.value) == [4, 3, 3, 3, 2, 2, 2, 2])
        for (index, values) in same.enumerated() where index != 1 {
            for value in values { #expect(value.isSame(as: groups[index].group)) }
        }
    }

    @Test(arguments: [0, 1, 500, 1000, 1500, 1999])
    func `An expression that nobody waits for any more ends at the next record`(moment: Int) async throws {
        let database = Database.inMemory()
        let things = RecordCollection<CBORValue, NoMetadata>("things")
        try await database.bind(things)
        try await database.write { for index in 0..<1000 { $0[things]["\(index)"] = ["n": 1] } }
        let snapshot = database.snapshot
        let expression = try ReplayExpression("sum(things, .n) + sum(things, .n)", about: .snapshot)
        let single = try ReplayExpression("sum(things, .n)", about: .snapshot)
        var asked = 0
        func isCancelled() -> Bool {
            asked += 1
            return asked > moment
        }
        let value = expression.value(in: snapshot, unless: isCancelled)
        #expect(value == nil)
        #expect(asked <= moment + 3)
        asked = 0
        let groups = single.values(in: snapshot, by: try ReplayExpression(".n", about: .record), unless: isCancelled)
        #expect(groups == nil)
        #expect(asked <= moment + 3)
        #expect(expression.value(in: snapshot, unless: { false }) == 2000)
    }

    // It asked before each record alone, and one record may have millions of items.
    @Test(arguments: [false, true])
    func `An expression over the elements of one record ends when nobody waits for it any more`(isMap: Bool)
        async throws
    {
        let database = Database.inMemory()
        let things = RecordCollection<CBORValue, NoMetadata>("things")
        let items: CBORValue =
            isMap
            ? .map((0..<3000).map { .init(.text("\($0)"), .unsigned($0)) }) : .array((0..<3000).map { .unsigned($0) })
        try await database.write { $0[things]["k"] = ["items": items] }
        let all = "things['k'].items"
        let expression = try ReplayExpression("any(\(all), any(\(all), any(\(all), . == 0 - 1)))", about: .snapshot)
        var asked = 0
        func isCancelled() -> Bool {
            asked += 1
            return asked > 10
        }
        let value = expression.value(in: database.snapshot, unless: isCancelled)
        #expect(value == nil)
        #expect(asked < 20)
    }

    // It was asked to its end, of the state before the change, too.
    @Test(arguments: [false, true])
    func `An expression about a change ends when nobody waits for it any more`(isPast: Bool) async throws {
        let database = Database.inMemory()
        let things = RecordCollection<CBORValue, NoMetadata>("things")
        try await database.bind(things)
        let empty = database.snapshot
        try await database.write { for index in 0..<3000 { $0[things]["\(index)"] = .unsigned(UInt64(index)) } }
        let full = database.snapshot
        let found = "any(things, any(things, any(things, . == 0 - 1)))"
        let expression = try ReplayExpression(isPast ? "(not \(found)) became true" : found, about: .change)
        let (before, after) = isPast ? (full, empty) : (empty, full)
        var asked = 0
        func isCancelled() -> Bool {
            asked += 1
            return asked > 10
        }
        let holds = expression.holds(from: nil, in: before, to: nil, in: after, unless: isCancelled)
        #expect(holds == nil)
        #expect(asked < 20)
        #expect(expression.holds(from: nil, in: empty, to: nil, in: empty, unless: { false }) == false)
    }

    @Test(arguments: [
        ("", 1, "a value is missing before the end"), ("cont(flights) > 1", 1, "no function \"cont\""),
        ("count(flights) > ", 18, "a value is missing"), ("flights > 3", 1, "flights is a collection"),
        ("1 + flights", 5, "flights is a collection"), (".delay > 3", 1, "there is none here"),
        ("count(flights, .a) and .b", 24, "there is none here"),
        ("flights.delay == 1", 8, "a collection has no fields"),
        ("1 < 2 < 3", 7, "two at a time"), ("a = 1", 3, "write =="), ("!true", 1, "write \"not\""),
        ("\"abc", 1, "does not end"), ("1 2", 3, "follows what is complete"), ("(1", 3, "\")\" behind"),
        ("any(flights)", 1, "any has 1 arguments"), ("exists(flights)", 8, "flights is a collection"),
        ("any(flights, $size > 1)", 14, "there are $key"), (".5 == 1", 1, "0.5"), ("1e999", 1, "too large"),
        ("\"\\q\"", 2, "escapes"), ("\"\\ud800\"", 2, "surrogate"), ("1 ; 2", 3, "no meaning"),
        ("\"🇹🇷\" ? 1", 5, "no meaning"), ("collection(x)", 12, "in quotes"), ("and", 1, "missing before"),
        ("true && false", 6, "write \"and\""), ("true || false", 6, "write \"or\""),
        ("any(flights, delay < 0)", 14, "for the field write .delay"), ("1 became 2", 3, "yaprak log --where"),
        ("flights[\"a\"", 12, "\"]\" behind the index"), ("1 + (2 * ", 10, "missing before the end"),
    ])
    func `A refusal says what is wrong and in which column`(text: String, column: Int, message: String) throws {
        let error = try #require(throws: ReplayExpressionError.self) { try ReplayExpression(text, about: .snapshot) }
        #expect(error.column == column, "\(error)")
        #expect(error.message.contains(message), "\(error)")
    }

    @Test func `Depth and length have limits, at any place where an expression can grow`() throws {
        let many = 5000
        for text in [
            String(repeating: "(", count: many),
            String(repeating: "(", count: 70) + "1" + String(repeating: ")", count: 70),
            String(repeating: "not ", count: 3000) + "1", String(repeating: "-", count: many) + "1",
            String(repeating: "a[", count: many), String(repeating: "count(", count: 2000),
            "1" + String(repeating: " + 1", count: 3000), String(repeating: "1", count: 20_000),
            "1" + String(repeating: " + (1", count: 100) + String(repeating: ")", count: 100),
        ] {
            #expect(throws: ReplayExpressionError.self, "\(text.prefix(20))…") {
                try ReplayExpression(text, about: .snapshot)
            }
        }
        // Lists are flat, however long.
        let long = "1" + String(repeating: " and 1", count: 2000) + String(repeating: " or 1", count: 500)
        let flat = try ReplayExpression(long, about: .snapshot)
        #expect(flat.holds(in: Database.inMemory().snapshot) == false)
        let path = try ReplayExpression("a[\"x\"]" + String(repeating: ".b", count: 5000), about: .snapshot)
        #expect(path.value(in: Database.inMemory().snapshot) == .null)
    }

    @Test func `What an expression prints parses to the same expression`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = RandomExpressions(seed: seed)
        for round in 0..<2000 {
            let subject: ReplayExpression.Subject = [.record, .snapshot, .change][random.numbers.below(3)]
            random.hasChange = subject == .change
            let expression = ReplayExpression(
                root: random.node(depth: 5, hasElement: subject != .snapshot), subject: subject)
            let text = expression.description
            do {
                let again = try ReplayExpression(text, about: subject)
                #expect(again == expression, "seed \(seed), round \(round): \(text) became \(again)")
            } catch {
                Issue.record("seed \(seed), round \(round): \(text): \(error)")
            }
        }
    }

    @Test func `Random text is an expression or is refused, and what is one has a value`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let snapshot = try await flights()
        let words = [
            "count", "any", "(", ")", "[", "]", ",", ".", "..", "flights", "\"UA1\"", "'", "\"", "\\", "1", "0.5",
            "1e9",
            "18446744073709551615", "+", "-", "*", "/", "%", "==", "=", "<", "<=", "and", "or", "not", "null", "true",
            "$key",
            "$", ".delay", ".legs", " ", "\n", "😀", "é", "collection(\"and\")", "sum", "average", "min", "\u{0}",
            "type",
        ]
        var accepted = 0
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0..<random.below(14) { text += words[random.below(words.count)] + (random.chance(50) ? " " : "") }
            guard let expression = try? ReplayExpression(text, about: .snapshot) else { continue }
            accepted += 1
            _ = expression.value(in: snapshot)
            #expect(
                (try? ReplayExpression(expression.description, about: .snapshot)) == expression, "seed \(seed): \(text)"
            )
        }
        #expect(accepted > 50, "seed \(seed)")
        for _ in 0..<2000 {
            let bytes = (0..<random.below(60)).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = try? ReplayExpression(String(decoding: bytes, as: UTF8.self), about: .record)
        }
    }
}

/// Makes random trees that keep the invariants of ``ExpressionNode``.
private struct RandomExpressions {
    var numbers: SplitMix64
    /// Whether they are about a change of a record.
    var hasChange = false
    /// Whether this is about an element of a list, of which nothing became.
    private var isInElements = false

    init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[numbers.below(elements.count)] }

    private mutating func name() -> String {
        pick(["flights", "a", "_x1", "and", "count", "before", "became", "odd name", "é", "", "\"\n"])
    }

    mutating func node(depth: Int, hasElement: Bool) -> ExpressionNode {
        if depth == 0 { return leaf(hasElement) }
        func inner(_ random: inout Self) -> ExpressionNode { random.node(depth: depth - 1, hasElement: hasElement) }
        if hasChange, !isInElements, numbers.chance(10) { return .became(inner(&self), inner(&self)) }
        switch numbers.below(10) {
        case 0: return .not(inner(&self))
        case 1: return .negated(inner(&self))
        case 2: return .and((0..<(2 + numbers.below(2))).map { _ in inner(&self) })
        case 3: return .or((0..<(2 + numbers.below(2))).map { _ in inner(&self) })
        case 4: return .comparison(pick(ExpressionNode.Comparison.allCases), inner(&self), inner(&self))
        case 5: return .arithmetic(pick(ExpressionNode.Arithmetic.allCases), inner(&self), inner(&self))
        case 6, 7: return path(depth, hasElement)
        case 8: return call(depth, hasElement)
        default: return leaf(hasElement)
        }
    }

    private mutating func leaf(_ hasElement: Bool) -> ExpressionNode {
        if hasChange, numbers.chance(20) { return .side(pick(ExpressionNode.Side.allCases)) }
        if hasElement, numbers.chance(40) { return .element(pick(ExpressionElement.Part.allCases)) }
        return .literal(
            pick([
                .null, .bool(true), .bool(false), .unsigned(0), .unsigned(.max), .float(0.5), .float(1e300), .float(2),
                .text("a\"b\\\n\u{1}é😀"), .text(""),
            ]))
    }

    private mutating func path(_ depth: Int, _ hasElement: Bool) -> ExpressionNode {
        var steps: [ExpressionNode.Step] = (0..<(1 + numbers.below(3))).map { _ in
            numbers.chance(50)
                ? .field(pick(["delay", "and", "_", "é1"])) : .index(node(depth: depth - 1, hasElement: hasElement))
        }
        if numbers.chance(40) {
            steps.insert(.index(node(depth: depth - 1, hasElement: hasElement)), at: 0)
            return .path(.collection(name()), steps)
        }
        let base = node(depth: depth - 1, hasElement: hasElement)
        if case .path(let inner, let earlier) = base { return .path(inner, earlier + steps) }
        return .path(base, steps)
    }

    private mutating func call(_ depth: Int, _ hasElement: Bool) -> ExpressionNode {
        let function = pick(ExpressionFunction.allCases)
        let count = function.argumentCounts.lowerBound + numbers.below(function.argumentCounts.count)
        return .call(
            function,
            (0..<count).map { index in
                if function.looksAtElements, index == 0, numbers.chance(70) { return .collection(name()) }
                guard function.looksAtElements, index > 0 else { return node(depth: depth - 1, hasElement: hasElement) }
                let outer = isInElements
                isInElements = true
                defer { isInElements = outer }
                return node(depth: depth - 1, hasElement: true)
            })
    }
}
