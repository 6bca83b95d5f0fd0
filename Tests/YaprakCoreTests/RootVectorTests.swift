import TestSupport
import Testing

@testable import YaprakCore
@testable import YaprakTrees

/// The roots of a state, against a plain array. No root here is followed: its address is only a number.
@Suite(.bounded) struct RootVectorTests {
    private static func root(_ number: Int) -> TreeRoot {
        TreeRoot(raw: UnsafeMutableRawPointer(bitPattern: 16 * (number + 1)), count: number)
    }

    private static func isEqual(_ vector: RootVector, _ model: [TreeRoot]) -> Bool {
        vector.count == model.count
            && zip(vector, model).allSatisfy { $0.isIdentical(to: $1) && $0.count == $1.count }
    }

    /// Around every size at which the shape changes: the place is full, a chunk behind it is, a level is.
    static let sizes = [0, 1, 2, 3, 4, 5, 35, 36, 37, 68, 69, 1060, 1061]

    @Test(arguments: sizes) func `Empty trees are there by their number`(size: Int) {
        var vector = RootVector(emptyTrees: size)
        #expect(vector.count == size && vector.allSatisfy(\.isEmpty))
        vector.append(Self.root(7))
        #expect(vector.count == size + 1 && vector[size].count == 7)
        #expect(vector.slots(notSharedWith: RootVector(emptyTrees: size)).contains(size))
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `Every copy stays what it was, and differs where it was changed`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var vector = RootVector()
        var model: [TreeRoot] = []
        var kept: [(RootVector, [TreeRoot])] = []
        let most = [1, 3, 4, 5, 40, 200].randomElement(using: &random)!
        for step in 0..<1000 {
            if model.isEmpty || model.count < most && random.chance(30) {
                vector.append(Self.root(step))
                model.append(Self.root(step))
            } else {
                let slot = random.below(model.count)
                vector[slot] = Self.root(step)
                model[slot] = Self.root(step)
            }
            #expect(Self.isEqual(vector, model), "seed \(seed), step \(step)")
            if random.chance(5) { kept.append((vector, model)) }
        }
        for (old, model) in kept { #expect(Self.isEqual(old, model), "seed \(seed)") }
        for ((old, oldModel), (new, newModel)) in zip(kept, kept.dropFirst()) {
            let changed = newModel.indices.filter {
                $0 >= oldModel.count || !newModel[$0].isIdentical(to: oldModel[$0])
            }
            let slots = new.slots(notSharedWith: old)
            #expect(slots == slots.sorted() && Set(slots).isSuperset(of: changed), "seed \(seed)")
            #expect(slots.allSatisfy(newModel.indices.contains), "seed \(seed)")
            // Those in place are compared one by one.
            #expect(slots.filter { $0 < 4 } == changed.filter { $0 < 4 }, "seed \(seed)")
            let back = Set(old.slots(notSharedWith: new))
            #expect(back.isSuperset(of: changed.filter(oldModel.indices.contains)), "seed \(seed)")
        }
    }

    @Test func `A slot that is not there stops the program`() async {
        await #expect(processExitsWith: .failure) { _ = RootVector(emptyTrees: 2)[2] }
        await #expect(processExitsWith: .failure) { _ = RootVector(emptyTrees: 2)[-1] }
        await #expect(processExitsWith: .failure) { _ = RootVector(emptyTrees: 6)[6] }
        await #expect(processExitsWith: .failure) {
            var vector = RootVector(emptyTrees: 1)
            vector[1] = TreeRoot()
        }
        // Behind what is in place, of a vector that has only that, and of one that has more.
        await #expect(processExitsWith: .failure) { _ = RootVector(emptyTrees: 2)[4] }
        await #expect(processExitsWith: .failure) {
            var vector = RootVector(emptyTrees: 6)
            vector[6] = TreeRoot()
        }
    }
}
