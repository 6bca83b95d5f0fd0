import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakCore
import YaprakTrees

@testable import YaprakReplay

/// Dumps: nothing is lost, nothing is believed.
@Suite(.bounded) struct DumpTests {
    /// A database of any values, some of them bytes in a form that we would not write.
    private func random(_ seed: UInt64) -> Database {
        var random = SplitMix64(seed: seed)
        var collections: [(name: String, records: [RawRecord])] = []
        for name in ["a", "b", "odd \"name\"", "\u{1f600}"] {
            var records: [RawRecord] = []
            for number in 0..<random.below(40) {
                let metadata = random.chance(40) ? item(&random) : nil
                records.append(
                    RawRecord(
                        key: "\(random.text().nfc) \(number)",
                        object: item(&random)[...],
                        metadata: metadata.map { $0[...] }, version: random.chance(80) ? 1 : random.below(5)))
            }
            collections.append((name, records.sorted { $0.key < $1.key }))
        }
        return Database.inMemory(collections, at: CommitNumber(random.next() >> 1))
    }

    private func item(_ random: inout SplitMix64) -> [UInt8] {
        switch random.below(12) {
        // Not the shortest form; an indefinite length; one key twice; text that is not UTF-8; keys out of order.
        case 0: return [0x18, 0x01]
        case 1: return [0x9f, 0x01, 0xff]
        case 2: return [0xa2, 0x01, 0x02, 0x01, 0x03]
        case 3: return [0x62, 0xff, 0xfe]
        case 4: return [0xa2, 0x61, 0x62, 0x01, 0x61, 0x61, 0x02]
        // The markers themselves.
        case 5: return (try? (["$cbor": "1"] as CBORValue).encoded()) ?? []
        case 6: return (try? (["a": ["$cborHex": 1, "b": 2]] as CBORValue).encoded()) ?? []
        case 7:
            let deep = (0..<63).reduce(CBORValue.bytes([1])) { inner, level in level % 2 == 0 ? [inner] : ["k": inner] }
            return (try? deep.encoded()) ?? []
        default: return (try? CBORValueModel.value(&random).encoded()) ?? [0xf6]
        }
    }

    private func lines(_ dump: ReplayDump) -> [String] {
        var lines: [String] = []
        dump.forEachLine { lines.append($0) }
        return lines
    }

    // The condition was asked three times of each record, the first two times without a look at Ctrl-C.
    @Test func `A dump counts its records once, and is cancelled while it counts`() throws {
        var lines: [String] = [], totals: Set<Int> = []
        let isOdd = try ReplayExpression(".n % 2 == 1", about: .record)
        let records = try (0..<600).map { number in
            RawRecord(
                key: String(1000 + number), object: try (["n": .integer(Int64(number))] as CBORValue).encoded()[...],
                metadata: nil, version: 1)
        }
        let snapshot = Database.inMemory([("a", records)], at: 7).snapshot
        for condition in [nil, isOdd] {
            let dump = ReplayDump(of: snapshot, where: condition)
            (lines, totals) = ([], [])
            try dump.forEachLine(unless: { false }) { line, total in
                lines.append(line)
                totals.insert(total)
            }
            #expect(lines == self.lines(dump) && totals == [dump.count] && lines.count == dump.count + 1)
            var asked = 0, isCancelled = false
            func cancels() -> Bool {
                asked += 1
                return true
            }
            do { try dump.forEachLine(unless: cancels) { line, _ in lines.append(line) } } catch is CancellationError {
                isCancelled = true
            }
            #expect(asked == 1 && isCancelled)
            // Without a condition the first line needs no look at the records.
            #expect(lines.count == dump.count + (condition == nil ? 2 : 1))
        }
    }

    @Test func `A dump of anything comes back byte for byte`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        for round in 0..<60 as Range<UInt64> {
            let origin = random(seed &+ round).snapshot
            let lines = lines(ReplayDump(of: origin))
            #expect(lines.allSatisfy { line in !line.contains { $0.isNewline } }, "seed \(seed), round \(round)")
            let header = try ReplayDumpHeader(Array(lines[0].utf8)[...])
            #expect(header.commitNumber == origin.commitNumber)
            let copy = Database.inMemory()
            try await copy.write { transaction in
                for line in lines.dropFirst() { try transaction.put(ReplayDumpRecord(Array(line.utf8)[...])) }
            }
            #expect(copy.snapshot.digest == origin.digest, "seed \(seed), round \(round)")
            #expect(header.digest == origin.digest)
            for name in origin.collectionNames {
                #expect(
                    Array(copy.snapshot.untyped(name)) == Array(origin.untyped(name)), "seed \(seed), round \(round)")
                #expect(header.counts[name] == origin.untyped(name).count)
            }
            // The same state, the same dump: they can be compared line by line.
            #expect(self.lines(ReplayDump(of: copy.snapshot)).dropFirst() == lines.dropFirst())
        }
    }

    @Test func `Plain values are plain JSON, others stand under a marker`() throws {
        func json(_ value: CBORValue) throws -> String { try DumpNotation.json(of: value.encoded()[...]).json() }
        #expect(try json(["a": [1, -2, 1.5, true, nil, "x"]]) == #"{"a":[1,-2,1.5,true,null,"x"]}"#)
        #expect(try json(1.0) == "1.0")
        #expect(try json(.bytes([0, 255])) == #"{"$cbor":"h'00ff'"}"#)
        #expect(try json([.float(.nan), .undefined]) == #"[{"$cbor":"NaN"},{"$cbor":"undefined"}]"#)
        #expect(try json(.negative(.max)) == #"{"$cbor":"-18446744073709551616"}"#)
        #expect(try json(.map([.init(1, 2)])) == #"{"$cbor":"{1: 2}"}"#)
        #expect(try json(["$cbor": 1]) == #"{"$cbor":"{\"$cbor\": 1}"}"#)
        #expect(DumpNotation.json(of: [0x18, 0x01]).json() == #"{"$cborHex":"1801"}"#)
    }

    @Test func `Only what is dumped is counted, and only a whole dump has a digest`() async throws {
        let database = Database.inMemory()
        let numbers = RecordCollection<Int, NoMetadata>("numbers"),
            names = RecordCollection<String, NoMetadata>("names")
        try await database.write { transaction in
            for number in 1...9 { transaction[numbers]["\(number)"] = number }
            transaction[names]["a"] = "A"
        }
        let even = try ReplayExpression(". % 2 == 0", about: .record)
        let some = ReplayDump(of: database.snapshot, collections: ["numbers"], where: even)
        #expect(some.count == 4)
        #expect(lines(some)[0] == #"{"yaprak":"dump","version":1,"commit":1,"records":{"numbers":4}}"#)
        #expect(lines(some).count == 5)
        #expect(lines(ReplayDump(of: database.snapshot))[0].contains(#""digest":""#))
        #expect(!lines(ReplayDump(of: database.snapshot, collections: ["names"]))[0].contains("digest"))
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"collection":"a","key":"k"}"#, #"{"collection":"a","key":1,"object":1}"#,
        #"{"collection":"a","key":"k","object":1,"version":-1}"#,
        #"{"collection":"a","key":"k","object":1,"version":1.5}"#,
        #"{"collection":"a","key":"k","object":{"$cbor":"["}}"#,
        #"{"collection":"a","key":"k","object":{"$cbor":"1","b":2}}"#,
        #"{"collection":"a","key":"k","object":{"$cbor":1}}"#,
        #"{"collection":"a","key":"k","object":{"$cborHex":"18"}}"#,
        #"{"collection":"a","key":"k","object":{"$cborHex":"0101"}}"#,
        #"{"collection":"a","key":"k","object":{"$cborHex":"'"}}"#,
        #"{"collection":"a","key":"k","object":{"a":{"$cborHex":"01"}}}"#,
        #"{"collection":"a","key":"k","object":{"$cbor":"{1: 1, 1: 2}"}}"#,
    ])
    func `A line that is no record is refused`(line: String) {
        let error = #expect(throws: DatabaseError.self) { try ReplayDumpRecord(Array(line.utf8)[...]) }
        #expect(error?.code == .invalidDump)
    }

    @Test(arguments: [
        (#"{"yaprak":"dump","version":2,"commit":1,"records":{}}"#, DatabaseError.Code.newerFormat),
        (#"{"yaprak":"dump","version":0,"commit":1,"records":{}}"#, .invalidDump),
        (#"{"yaprak":"dump"}"#, .invalidDump),
        (#"{"yaprak":"dump","version":1,"commit":-1,"records":{}}"#, .invalidDump),
        // The first write to a database that starts there would have no number.
        (#"{"yaprak":"dump","version":1,"commit":18446744073709551615,"records":{}}"#, .invalidDump),
        (#"{"yaprak":"dump","version":1,"commit":9223372036854775807,"records":{}}"#, .invalidDump),
        (#"{"yaprak":"dump","version":1,"commit":1,"records":{"a":-1}}"#, .invalidDump),
        (#"{"yaprak":"dump","version":1,"commit":1,"records":{},"digest":"x"}"#, .invalidDump), ("{", .invalidDump),
    ])
    func `A first line of another version, or of nothing, is refused`(line: String, code: DatabaseError.Code) {
        let error = #expect(throws: DatabaseError.self) { try ReplayDumpHeader(Array(line.utf8)[...]) }
        #expect(error?.code == code)
    }

    @Test func `A record that a bound collection can't hold is refused, and what is there already is no change`()
        async throws
    {
        let database = Database.inMemory()
        let numbers = RecordCollection<Int, NoMetadata>("numbers")
        try await database.write { $0[numbers]["one"] = 1 }
        let text = try ReplayDumpRecord(Array(#"{"collection":"numbers","key":"two","object":"zwei"}"#.utf8)[...])
        await #expect(throws: DatabaseError.self) {
            try await database.write { transaction in _ = try transaction.put(text) }
        }
        let same = try ReplayDumpRecord(Array(#"{"collection":"numbers","key":"one","object":1}"#.utf8)[...])
        let two = try ReplayDumpRecord(Array(#"{"collection":"numbers","key":"two","object":2}"#.utf8)[...])
        try await database.write { transaction in _ = try transaction.put(same) }
        #expect(database.commitNumber == 1)
        try await database.write { transaction in
            let kinds = try transaction.put(two)
            #expect(kinds == .inserted)
            // The engine's own collections are nobody's to write to.
            do {
                try transaction.setUntyped(1, for: "x", inCollectionNamed: "\u{0}aside/numbers")
                Issue.record("a hidden collection took a record")
            } catch {
                #expect((error as? DatabaseError)?.code == .invalidName)
            }
        }
        #expect(database.snapshot[numbers]["two"] == 2)
    }
}
