import TestSupport
import Testing

@testable import YaprakCore

/// The array behind the collections of a database, against a plain one.
@Suite(.bounded) struct SlotVectorTests {
    /// Around every size at which the shape changes: a chunk is full, a level is full.
    static let sizes = [0, 1, 31, 32, 33, 63, 64, 65, 1055, 1056, 1057, 2079, 2080, 2081, 32_799, 32_800, 32_801]

    @Test(arguments: sizes) func `It is the array it stands for`(size: Int) {
        var vector = SlotVector(0..<size)
        #expect(vector.count == size && vector.elementsEqual(0..<size))
        vector.append(size)
        #expect(vector.count == size + 1 && vector[size] == size)
        for slot in [0, size / 2, size] { vector[slot] += 7 }
        let times = [0, size / 2, size].count { $0 == size / 2 }
        #expect(vector[size / 2] == size / 2 + 7 * times)
    }

    @Test(arguments: sizes) func `Equal elements are the same as elements appended one by one`(size: Int) {
        var repeated = SlotVector(repeating: 5, count: size)
        #expect(repeated.count == size && repeated.allSatisfy { $0 == 5 })
        let blank = repeated
        for slot in 0..<50 { repeated.append(slot) }
        #expect(Array(repeated) == Array(repeating: 5, count: size) + Array(0..<50))
        if size > 40 {
            // Chunks that are one and the same are parted by the first change.
            repeated[33] = 9
            #expect(repeated[33] == 9 && repeated.filter { $0 == 9 }.count == 2 && blank.allSatisfy { $0 == 5 })
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func `Every copy stays what it was`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var vector: SlotVector<Int> = []
        var model: [Int] = []
        var kept: [(SlotVector<Int>, [Int])] = []
        let most = [40, 200, 3000].randomElement(using: &random)!
        for step in 0..<4000 {
            if model.isEmpty || model.count < most && Bool.random(using: &random) {
                vector.append(step)
                model.append(step)
            } else {
                let slot = Int.random(in: model.indices, using: &random)
                vector[slot] = step
                model[slot] = step
            }
            if step % 97 == 0 { kept.append((vector, model)) }
        }
        for (old, model) in kept { #expect(old.elementsEqual(model), "seed \(seed)") }
        for ((old, oldModel), (new, newModel)) in zip(kept, kept.dropFirst()) {
            let slots = Set(new.slots(notSharedWith: old))
            let changed = newModel.indices.filter { $0 >= oldModel.count || newModel[$0] != oldModel[$0] }
            #expect(slots.isSuperset(of: changed), "seed \(seed)")
            #expect(slots.allSatisfy(newModel.indices.contains), "seed \(seed)")
            // Backwards, too, between versions of other depths.
            let back = Set(old.slots(notSharedWith: new))
            #expect(back.isSuperset(of: changed.filter(oldModel.indices.contains)), "seed \(seed)")
        }
    }

    @Test(arguments: [10, 1000, 10_000, 100_000]) func `A change copies one way through the levels`(size: Int) {
        let old = SlotVector(0..<size)
        var new = old
        new[size / 2] = -1
        // The first 32 slots, then a chunk behind as many branches as it takes.
        let levels = [10: 1, 1000: 2, 10_000: 3, 100_000: 4][size]!
        let difference = new.difference(from: old)
        #expect(difference.nodes <= levels && difference.slots.count <= 32)
        #expect(difference.slots.contains(size / 2))
        let none = old.difference(from: old)
        #expect(none.nodes == 0 && none.slots.isEmpty)
    }
}
