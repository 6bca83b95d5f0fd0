import TestSupport
import Testing

@testable import YaprakTrees

@Suite(.bounded) struct TreeModelTests {
    /// Keys by their bytes: `String` equates what NFC makes equal, and these keys aren't all NFC.
    private typealias Model = [[UInt8]: Int]

    @Test(arguments: KeyShape.allCases, RowForm.allCases)
    func `A tree equals a dictionary after any sequence of operations`(shape: KeyShape, form: RowForm) throws {
        let first = UInt64.random(in: 0..<1 << 32)
        for seed in first..<first + UInt64(Soak.volume(1, soak: 6)) { try Self.compare(shape, form, seed: seed) }
    }

    private static func compare(_ shape: KeyShape, _ form: RowForm, seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let timeline = Timeline(arena: Arena()) { _ in }
        var root = TreeRoot()
        var model = Model()
        var number = 0
        for round in 0..<12 {
            let draft = timeline.beginDraft()
            let grows = generator.chance(60)
            for _ in 0..<generator.below(160) {
                let key = shape.key(&generator)
                number += 1
                if generator.chance(25) {
                    // Of a key that is there, mostly.
                    let row = form.row(key, number)
                    row.withKey { draft.exchange($0, in: &root) { _ in row } }
                    model[Array(key.utf8)] = number
                } else if generator.chance(25) {
                    put(key, number, draft, &root, &model, form, "seed \(seed), round \(round)")
                } else if generator.chance(15) {
                    exchangeLast(key, number, draft, &root, &model, form, "seed \(seed), round \(round)")
                } else if generator.chance(grows ? 85 : 25) {
                    let old = draft.insert(form.row(key, number), into: &root)
                    #expect(old?.number == model.updateValue(number, forKey: Array(key.utf8)), "seed \(seed)")
                } else {
                    let old = draft.remove(key, from: &root)
                    #expect(old?.number == model.removeValue(forKey: Array(key.utf8)), "seed \(seed)")
                }
                if number.isMultiple(of: Soak.volume(16, soak: 1)), let violation = root.firstViolation() {
                    Issue.record("seed \(seed), round \(round), key \(key), or up to 15 before: \(violation)")
                    return
                }
            }
            #expect(root.firstViolation() == nil, "seed \(seed), round \(round)")
            if generator.chance(8) {
                draft.clear(&root)
                model = [:]
            }
            if generator.chance(10) {
                let rows = model.sorted { $0.key.lexicographicallyPrecedes($1.key) }
                    .map { form.row(String(decoding: $0.key, as: UTF8.self), $0.value) }
                draft.clear(&root)
                root = try draft.build(from: rows)
                #expect(root.firstViolation() == nil, "seed \(seed), round \(round)")
            }
            draft.seal()
            try compare(root, with: model, shape: shape, "seed \(seed), round \(round)")
            let keys = (0..<generator.below(40)).map { _ in shape.key(&generator) }
            lookUpSeveral(root, model, keys, form, "seed \(seed)")
            fetchSeveral(root, model, keys, isDecidedByWords: shape == .hex, "seed \(seed)")
            timeline.reclaimAll()
        }
        timeline.close(roots: [root])
        timeline.reclaimAll()
        #expect(timeline.arena.counts == ArenaCounts(), "seed \(seed)")
    }

    /// Puts a row under a key, or, for every fourth number, only looks at what is there.
    private static func put(
        _ key: String, _ number: Int, _ draft: TreeDraft, _ root: inout TreeRoot, _ model: inout Model, _ form: RowForm,
        _ note: String
    ) {
        let bytes = Array(key.utf8)
        var calls = 0
        let (old, new) = bytes.withUnsafeBufferPointer { bytes in
            draft.put(key: bytes, into: &root) { there in
                calls += 1
                #expect(there?.takeUnretainedValue().number == model[Array(bytes)], "\(note), \(key)")
                return number % 4 == 0 ? nil : form.row(key, number)
            }
        }
        #expect(old?.number == model[bytes] && calls == 1, "\(note), \(key)")
        #expect(new?.number == (number % 4 == 0 ? nil : number), "\(note), \(key)")
        if let new { model[bytes] = new.number }
    }

    /// Replaces the last row that doesn't come after a key, or, for every fourth number, only looks at it.
    private static func exchangeLast(
        _ key: String, _ number: Int, _ draft: TreeDraft, _ root: inout TreeRoot, _ model: inout Model,
        _ form: RowForm, _ note: String
    ) {
        let bytes = Array(key.utf8)
        let last = model.keys.filter { !bytes.lexicographicallyPrecedes($0) }.max { $0.lexicographicallyPrecedes($1) }
        let next = model.keys.filter { bytes.lexicographicallyPrecedes($0) }.min { $0.lexicographicallyPrecedes($1) }
        var calls = 0
        let isFound = bytes.withUnsafeBufferPointer { bytes in
            draft.exchangeLast(notAfter: bytes, in: &root) { row, behind in
                calls += 1
                #expect(row.takeUnretainedValue().number == last.flatMap { model[$0] }, "\(note), \(key)")
                #expect(behind?.takeUnretainedValue().number == next.flatMap { model[$0] }, "\(note), \(key)")
                return number % 4 == 0 ? nil : form.row(row.takeUnretainedValue().keyString, number)
            }
        }
        #expect(isFound == (last != nil) && calls == (isFound ? 1 : 0), "\(note), \(key)")
        if let last, number % 4 != 0 { model[last] = number }
    }

    private static func fetchSeveral(
        _ root: TreeRoot, _ model: Model, _ keys: [String], isDecidedByWords: Bool, _ note: String
    ) {
        let copies = keys.map { key in
            let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: key.utf8.count)
            _ = copy.initialize(from: key.utf8)
            return UnsafeBufferPointer(copy)
        }
        defer { for copy in copies { copy.deallocate() } }
        var numbers: [Int] = []
        copies.withUnsafeBufferPointer { copies in
            root.fetch(lastNotAfter: copies) { numbers.append($0.takeUnretainedValue().number) }
        }
        #expect(numbers.count == (model.isEmpty ? 0 : keys.count), "\(note)")
        #expect(Set(numbers).isSubset(of: model.values), "\(note)")
        guard isDecidedByWords, !model.isEmpty else { return }
        let sorted = model.keys.sorted { $0.lexicographicallyPrecedes($1) }
        let expected = keys.map { key in
            model[sorted.last { !Array(key.utf8).lexicographicallyPrecedes($0) } ?? sorted[0]]
        }
        #expect(numbers == expected, "\(note)")
    }

    private static func lookUpSeveral(
        _ root: TreeRoot, _ model: Model, _ keys: [String], _ form: RowForm, _ note: String
    ) {
        let others = keys.map { form.row($0, 0) }
        var places: [Int] = []
        withExtendedLifetime(others) {
            let unretained = others.map { Unmanaged<TreeRow>.passUnretained($0) }
            unretained.withUnsafeBufferPointer {
                root.forEach(withKeysOf: $0) { place, row in
                    places.append(place)
                    let number = row?.takeUnretainedValue().number
                    #expect(number == model[Array(keys[place].utf8)], "\(note), \(keys[place])")
                }
            }
        }
        #expect(places == Array(keys.indices), "\(note)")
    }

    /// Walks every range that begins or ends at some of the positions, and a step beyond its end.
    private static func walkRanges(_ root: TreeRoot, _ numbers: [Int], _ note: String) {
        let places = Array(stride(from: 0, through: numbers.count, by: max(1, numbers.count / 9))) + [numbers.count]
        for start in places {
            for end in places where start <= end {
                var cursor = RowCursor(root, start..<end)
                var walked: [Int] = []
                while let row = cursor.next() { walked.append(row.takeUnretainedValue().number) }
                #expect(walked == Array(numbers[start..<end]), "\(note), \(start)..<\(end)")
                #expect(cursor.next() == nil, "\(note), \(start)..<\(end)")
            }
        }
    }

    private static func compare(_ root: TreeRoot, with model: Model, shape: KeyShape, _ note: String) throws {
        let sorted = model.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        try #require(root.count == sorted.count, "\(note)")
        walkRanges(root, sorted.map(\.value), note)
        var generator = SplitMix64(seed: 99)
        for (position, (key, number)) in sorted.enumerated() {
            let text = String(decoding: key, as: UTF8.self)
            #expect(root.lookup(text)?.number == number, "\(note)")
            let rank = root.rank(of: text)
            #expect(rank.position == position && rank.isFound, "\(note)")
            #expect(root.row(at: position).number == number, "\(note)")
        }
        for _ in 0..<100 {
            let probe = shape.key(&generator) + (generator.chance(30) ? "~" : "")
            let bytes = Array(probe.utf8)
            #expect(root.lookup(probe)?.number == model[bytes], "\(note)")
            let expected = sorted.firstIndex { !$0.key.lexicographicallyPrecedes(bytes) } ?? sorted.count
            #expect(root.lowerBound(probe) == expected, "\(note)")
        }
        var seen: [Int] = []
        root.forEach(reversed: true) { seen.append($0.number) }
        #expect(seen == sorted.reversed().map(\.value), "\(note)")
        if !sorted.isEmpty {
            let from = generator.below(sorted.count)
            let range = from..<min(sorted.count, from + 40)
            seen = []
            root.forEach(in: range) { seen.append($0.number) }
            #expect(seen == sorted[range].map(\.value), "\(note)")
            // Positions in any sequence, also twice; and a part of them in theirs.
            var positions = (0..<generator.below(60)).map { _ in UInt32(generator.below(sorted.count)) }
            positions[(positions.count / 2)...].sort()
            let part = positions[(positions.count / 5)...]
            var places: [Int] = []
            seen = []
            root.forEach(at: part) { place, row in
                places.append(place)
                seen.append(row.takeUnretainedValue().number)
            }
            #expect(places == Array(part.indices), "\(note)")
            #expect(seen == part.map { sorted[Int($0)].value }, "\(note)")
        }
        root.forEach(at: []) { _, _ in Issue.record("\(note): no position, and a row") }
    }

    @Test(arguments: RowForm.allCases)
    func `Every order of inserting and removing six rows leaves the tree as it was`(form: RowForm) {
        let keys = ["", "a", "aa", "ab", "b\0", "b"]
        let timeline = Timeline(arena: Arena()) { _ in }
        let draft = timeline.beginDraft()
        var root = TreeRoot()
        for order in Self.permutations(keys.count) {
            for i in order { draft.insert(form.row(keys[i], i), into: &root) }
            #expect(root.firstViolation() == nil)
            #expect(root.count == keys.count)
            for i in order { #expect(draft.remove(keys[i], from: &root)?.number == i) }
            #expect(root.isEmpty)
        }
        draft.abort(roots: [root])
        timeline.reclaimAll()
        #expect(timeline.arena.counts == ArenaCounts())
    }

    private static func permutations(_ n: Int) -> [[Int]] {
        if n == 0 { return [[]] }
        return permutations(n - 1).flatMap { rest in (0..<n).map { at in rest[..<at] + [n - 1] + rest[at...] } }
            .map { Array($0) }
    }

    @Test(arguments: [0, 1, 2, 7, 8, 27, 28, 29, 33, 200, 783, 784, 785, 3_000])
    func `A bulk load makes a sound tree of any size`(n: Int) throws {
        let timeline = Timeline(arena: Arena()) { _ in }
        let draft = timeline.beginDraft()
        let keys = (0..<n).map { "key/" + String(repeating: "0", count: 6 - String($0).count) + String($0) }
        var root = try draft.build(from: keys.enumerated().map { RowForm.mixed.row($1, $0) })
        #expect(root.firstViolation() == nil)
        #expect(root.content == keys.enumerated().map { "\($1)=\($0)" })
        for key in keys where key.utf8.last! % 3 == 0 { draft.remove(key, from: &root) }
        #expect(root.firstViolation() == nil)
        draft.abort(roots: [root])
        timeline.reclaimAll()
        #expect(timeline.arena.counts == ArenaCounts())
    }

    @Test func `A bulk load says which row breaks the order and takes none`() throws {
        let timeline = Timeline(arena: Arena()) { _ in }
        let draft = timeline.beginDraft()
        let rows = ["a", "b", "d", "c", "e"].map { CountedRow($0) }
        #expect(throws: UnorderedRow(index: 3, key: "c")) { try draft.build(from: rows) }
        let root = try draft.build(from: rows.sorted { $0.key < $1.key })
        #expect(root.count == 5)
        draft.abort(roots: [root])
        timeline.reclaimAll()
        #expect(timeline.arena.counts == ArenaCounts())
    }

    @Test func `An edit that keeps, or throws, copies nothing`() throws {
        struct Stop: Error {}
        let timeline = Timeline(arena: Arena()) { _ in }
        var root = TreeRoot()
        var draft = timeline.beginDraft()
        for i in 0..<100 { draft.insert(CountedRow("k\(i)", i), into: &root) }
        draft.seal()
        timeline.reclaimAll()
        let before = timeline.arena.counts
        draft = timeline.beginDraft()
        let same = root
        _ = "k7".utf8.withContiguousStorageIfAvailable { key in
            #expect(draft.edit(&root, key: key) { _ in .keep }?.number == 7)
            #expect(throws: Stop.self) { try draft.edit(&root, key: key) { _ in throw Stop() } }
        }
        #expect(draft.remove("missing", from: &root) == nil)
        _ = "k75".utf8.withContiguousStorageIfAvailable { key in
            var met: [Int?] = []
            let isFound = draft.exchangeLast(notAfter: key, in: &root) { row, next in
                met = [row.takeUnretainedValue().number, next?.takeUnretainedValue().number]
                return nil
            }
            #expect(isFound && met == [75, 76])
        }
        _ = "a".utf8.withContiguousStorageIfAvailable { key in
            #expect(!draft.exchangeLast(notAfter: key, in: &root) { _, _ in CountedRow("a", 1) })
        }
        #expect(!draft.hasChanges)
        #expect(root.isIdentical(to: same))
        draft.seal()
        #expect(timeline.arena.counts == before)
    }

    @Test func `An edit's closure may edit other trees and freeze this one`() {
        let timeline = Timeline(arena: Arena()) { _ in }
        let draft = timeline.beginDraft()
        var root = TreeRoot()
        var other = TreeRoot()
        for i in 0..<500 { draft.insert(CountedRow("k\(i)", i), into: &root) }
        let frozenRoot = root
        var frozen: TreeVersion?
        _ = "k77".utf8.withContiguousStorageIfAvailable { key in
            draft.edit(&root, key: key) { old in
                for i in 0..<300 { draft.insert(CountedRow("z\(i)", i), into: &other) }
                frozen = draft.freeze()
                return .put(CountedRow("k77", old!.number + 1000))
            }
        }
        #expect(root.lookup("k77")?.number == 1077)
        #expect(frozenRoot.lookup("k77")?.number == 77)
        #expect(root.firstViolation() == nil && other.firstViolation() == nil && frozenRoot.firstViolation() == nil)
        #expect(frozen != nil)
        frozen = nil
        draft.abort(roots: [root, other])
        timeline.reclaimAll()
        #expect(timeline.arena.counts == ArenaCounts())
    }
}
