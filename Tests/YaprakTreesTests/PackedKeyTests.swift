import TestSupport
import Testing

@testable import YaprakTrees

/// Rows whose key is within them, and trees that have both kinds.
@Suite(.bounded) struct PackedKeyTests {
    private static let forms: [@Sendable ([UInt8]) -> TreeRow] = [
        { key in key.withUnsafeBufferPointer { KeyRow.make($0) } },
        { CountedPackedRow.make(String(decoding: $0, as: UTF8.self)) },
        { CountedRow(String(decoding: $0, as: UTF8.self)) },
    ]

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `A key of any length is read as it was put`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for count in Array(0...200) + Array(250...260) + [767, 768, 769, 1023, 4096, 70_000] {
            let key = Self.bytes(count, &generator)
            for form in Self.forms {
                let row = form(key)
                #expect(row.withKey { Array($0) } == key, "seed \(seed), \(count) bytes")
                #expect(Array(row.keyString.utf8) == key, "seed \(seed), \(count) bytes")
                #expect(row.birth == 0 && row.nestedTree == nil)
                let word = key.prefix(8) + Array(repeating: 0, count: max(0, 8 - count))
                #expect(row.firstBytes == word.reduce(0) { $0 << 8 | UInt64($1) }, "seed \(seed), \(count) bytes")
            }
        }
    }

    @Test(arguments: [4, 5] as [UInt64])
    func `A birth leaves the key alone, and the key the birth`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for count in [0, 1, 8, 16, 17, 128, 129, 254, 255, 256, 300] {
            let key = Self.bytes(count, &generator)
            for form in Self.forms {
                let row = form(key)
                for birth in [1, 0xFFF, 0x1000, 1 << 52 - 1, 0] as [UInt64] {
                    row.setBirth(birth)
                    #expect(row.birth == birth)
                    #expect(row.withKey { Array($0) } == key, "seed \(seed), \(count) bytes")
                }
            }
        }
    }

    @Test(arguments: [6, 7, 8, 9] as [UInt64])
    func `Rows of all kinds compare by the bytes of their keys`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            let a = Self.bytes(generator.below(generator.chance(10) ? 300 : 40), &generator)
            var b = generator.chance(30) ? Self.bytes(generator.below(40), &generator) : a
            if generator.chance(40), !b.isEmpty { b = Self.valid(b.prefix(generator.below(b.count + 1))) }
            let x = Self.forms[generator.below(3)](a)
            let y = Self.forms[generator.below(3)](b)
            let expected = a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
            #expect(x.compareKey(to: y).signum() == expected, "seed \(seed), \(a), \(b)")
            b.withUnsafeBufferPointer { bytes in
                #expect(x.compareKey(to: bytes).signum() == expected, "seed \(seed), \(a), \(b)")
                #expect(x.hasKey(beginningWith: bytes) == a.starts(with: b), "seed \(seed), \(a), \(b)")
            }
        }
    }

    @Test(arguments: (CheckedTrees.isOn ? [10, 11] : [10, 11, 12, 13, 14, 15]) as [UInt64])
    func `A tree of packed rows, or of both kinds, finds as a sorted array`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let kinds = seed.isMultiple(of: 2) ? 2 : 3
        let timeline = Timeline(arena: Arena()) { _ in }
        let draft = timeline.beginDraft()
        var root = TreeRoot()
        var rows: [[UInt8]: TreeRow] = [:]
        var seen: Set<UInt8> = []
        let stem = Self.bytes(generator.below(60), &generator)
        for _ in 0..<3_000 {
            let key = (generator.chance(50) ? stem : []) + Self.bytes(generator.below(201), &generator)
            seen.formUnion(key)
            let row = Self.forms[generator.below(kinds)](key)
            let old = draft.insert(row, into: &root)
            #expect(old === rows.updateValue(row, forKey: key), "seed \(seed)")
        }
        // All there is in UTF-8: what begins or continues nothing does not occur.
        #expect(seen == Set<UInt8>(0...0xBF).union(0xC2...0xF4), "seed \(seed)")
        let sorted = rows.keys.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(root.firstViolation() == nil && root.count == sorted.count, "seed \(seed)")
        for (position, key) in sorted.enumerated() {
            key.withUnsafeBufferPointer { bytes in
                #expect(root.lookup(bytes)?.takeUnretainedValue() === rows[key], "seed \(seed), \(key)")
                let rank = root.rank(of: bytes)
                #expect(rank.position == position && rank.isFound, "seed \(seed), \(key)")
            }
            #expect(root.row(at: position) === rows[key], "seed \(seed), \(key)")
        }
        for _ in 0..<300 {
            let known = sorted[generator.below(sorted.count)]
            let probe = generator.chance(50) ? known + [0x7F] : Self.valid(known.dropLast())
            probe.withUnsafeBufferPointer { bytes in
                #expect(root.lookup(bytes)?.takeUnretainedValue() === rows[probe], "seed \(seed), \(probe)")
                let expected = Self.lowerBound(of: probe, in: sorted)
                #expect(root.lowerBound(bytes) == expected, "seed \(seed), \(probe)")
            }
        }
        for key in sorted.shuffled(using: &generator) {
            let removed = key.withUnsafeBufferPointer { draft.remove($0, from: &root) }
            #expect(removed === rows[key], "seed \(seed), \(key)")
        }
        #expect(root.isEmpty)
        draft.abort(roots: [root])
        timeline.reclaimAll()
        #expect(timeline.arena.counts == ArenaCounts())
    }

    @Test func `Keys that differ in their lengths alone are found apart, around each mark of a length`() {
        let timeline = Timeline(arena: Arena()) { _ in }
        let draft = timeline.beginDraft()
        for (index, form) in Self.forms.enumerated() {
            var root = TreeRoot()
            // 0x300 is where the shapes of packed rows begin, which no length of a string may be taken for.
            let counts = Array(0...20) + Array(240...270) + Array(760...800) + Array(1270...1290)
            let rows = counts.map { form(Array(repeating: 0x61, count: $0)) }
            for row in rows { draft.insert(row, into: &root) }
            for (count, row) in zip(counts, rows) {
                #expect(root.lookup(String(repeating: "a", count: count)) === row, "form \(index), \(count) bytes")
                #expect(root.lookup(String(repeating: "a", count: count) + "b") == nil, "form \(index), \(count) bytes")
            }
            #expect(root.lookup(String(repeating: "a", count: 500)) == nil)
            draft.clear(&root)
        }
        draft.abort(roots: [])
        timeline.reclaimAll()
        #expect(timeline.arena.counts == ArenaCounts())
    }

    @Test func `A row with a key alone is one object of the next size that is enough`() {
        for (count, bytes) in [
            (0, 40), (1, 40), (16, 40), (17, 56), (32, 56), (33, 72), (48, 72), (49, 88), (64, 88), (65, 120),
            (96, 120), (97, 152), (128, 152), (129, 40), (5_000, 40),
        ] {
            let given = allocatedBytes(atMost: bytes + 8) { KeyRow.make(String(repeating: "k", count: count)) }
            #expect(given ?? 0 <= bytes + 8, "\(count) bytes")
        }
    }

    // MARK: Bytes

    /// So many bytes of scalars of all lengths.
    private static func bytes(_ count: Int, _ generator: inout SplitMix64) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let range: ClosedRange<Int> =
                switch min(count - bytes.count, 1 + generator.below(4)) {
                case 1: 0...0x7F
                case 2: 0x80...0x7FF
                case 3: 0x800...0xFFFF
                default: 0x10000...0x10FFFF
                }
            let value = UInt32(range.lowerBound + generator.below(range.count))
            if let scalar = Unicode.Scalar(value) { bytes += Array(String(Character(scalar)).utf8) }
        }
        return bytes
    }

    /// Without the bytes at the end that are no whole scalar.
    private static func valid(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = Array(bytes)
        while String(validating: bytes, as: UTF8.self) == nil { bytes.removeLast() }
        return bytes
    }

    private static func lowerBound(of probe: [UInt8], in sorted: [[UInt8]]) -> Int {
        sorted.firstIndex { !$0.lexicographicallyPrecedes(probe) } ?? sorted.count
    }
}
