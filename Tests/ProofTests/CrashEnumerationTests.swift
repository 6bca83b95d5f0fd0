import Proof
import TestSupport
import Testing

/// Every operation that writes, interrupted at every call, and with every call failing.
@Suite(.bounded) struct CrashEnumerationTests {
    @Test(arguments: WritingOperation.all(seed: 1).indices)
    func `A power cut at any call of any operation leaves a state that was, with all that was promised`(index: Int) {
        let seeds = UInt64(Soak.volume(1, soak: 10))
        for seed in 1...seeds {
            var enumeration = CrashEnumeration(WritingOperation.all(seed: seed)[index])
            enumeration.cut(seed: seed, stride: Soak.volume(47, soak: 1), second: Soak.isOn || index % 8 == 0)
            #expect(enumeration.failure == nil, "seed \(seed)")
            #expect(enumeration.images > 0)
        }
    }

    @Test(arguments: WritingOperation.planted(seed: 1).indices)
    func `An acknowledgement that comes before its commit is written is found`(index: Int) {
        var enumeration = CrashEnumeration(WritingOperation.planted(seed: 1)[index])
        enumeration.cut(seed: 1, second: false)
        #expect(enumeration.failure != nil)
    }

    @Test(arguments: WritingOperation.all(seed: 1).indices)
    func `Whatever call fails, the operation throws a typed error or succeeds, and nothing is lost`(index: Int) {
        var enumeration = CrashEnumeration(WritingOperation.all(seed: 1)[index])
        enumeration.failEveryCall(stride: Soak.volume(307, soak: 1), errorShare: Soak.volume(3, soak: 1))
        #expect(enumeration.failure == nil)
        #expect(enumeration.faults > 5)
    }
}
