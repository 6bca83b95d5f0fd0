import Proof
import TestSupport
import Testing

/// A database whose files are damaged, bit by bit, length by length, and with right checksums.
@Suite(.bounded) struct DamagedDatabaseTests {
    @Test(arguments: [true, false])
    func `Every changed bit is noticed, or lies where nothing depends on it`(isClosed: Bool) {
        var damaged = DamagedDatabase(bytes: 24_000, closes: isClosed)
        damaged.flipBits(0..<damaged.bits, step: Soak.volume(307, soak: 1))
        damaged.truncate(step: Soak.volume(307, soak: 1))
        #expect(damaged.failure == nil)
        let known = Set(DamagedDatabase.harmless.union(DamagedDatabase.evidence).map(\.rawValue))
        #expect(Set(damaged.totals.unnoticed.keys).isSubset(of: known), "\(damaged.totals)")
        #expect(damaged.totals.refused > damaged.totals.copies / 2)
    }

    @Test func `A forged file with right checksums opens or throws a typed error`() {
        var damaged = DamagedDatabase(bytes: 12_000, closes: true)
        for seed in 1...UInt64(Soak.volume(400, soak: 100_000)) where damaged.failure == nil {
            damaged.forge(seed: seed)
        }
        #expect(damaged.failure == nil)
    }

    @Test func `A hostile directory whose checksums are right opens, or throws a typed error`() {
        var random = SplitMix64(seed: 5)
        for seed in 1...UInt64(Soak.volume(200, soak: 20_000)) {
            var files = HostileDirectory.sample(seed: seed % 4)
            let index = random.below(files.count)
            for _ in 0...random.below(3) {
                files[index].bytes[random.below(files[index].bytes.count)] ^= 1 << UInt8(random.below(8))
            }
            ChecksumMending.mend(&files[index].bytes)
            files[index].path = HostileDirectory.name(of: files[index].bytes)
            #expect(HostileDirectory.examine(files, .open) == nil, "seed \(seed)")
        }
    }
}
