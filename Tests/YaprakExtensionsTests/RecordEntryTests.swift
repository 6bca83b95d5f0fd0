import TestSupport
import Testing
import YaprakCore
import YaprakTrees

@testable import YaprakExtensions

/// Entries of indexes: one object each, with the bytes of their key.
@Suite(.bounded) struct RecordEntryTests {
    private static func key(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(($0 * 37 + count) % 128) } }

    private static func record(_ key: String) -> RawRecord {
        RawRecord(key: key, object: [0xf7], metadata: nil, version: 1)
    }

    @Test func `An entry of any length has its key and its record, and lets go of both`() {
        for count in Array(0...200) + [254, 255, 256, 1_000] {
            let key = Self.key(count)
            weak var weakRecord: RawRecord?
            do {
                let record = Self.record("record of an entry with \(count) bytes")
                weakRecord = record
                let entry = key.withUnsafeBufferPointer { RecordEntry.make($0, record) }
                let keyEntry = key.withUnsafeBufferPointer { KeyEntry.make($0, record.key) }
                #expect(entry.withKey { Array($0) } == key)
                #expect(keyEntry.withKey { Array($0) } == key)
                #expect(entry.record === record)
                #expect(keyEntry.recordKey == record.key)
            }
            #expect(weakRecord == nil, "\(count) bytes")
        }
    }

    @Test func `An entry is one object of the next size that is enough`() {
        let record = Self.record("r")
        for (count, bytes) in [
            (0, 40), (8, 40), (9, 56), (24, 56), (25, 72), (40, 72), (41, 88), (56, 88), (57, 104), (72, 104),
            (73, 136), (104, 136), (105, 168), (136, 168), (137, 48), (9_000, 48),
        ] {
            let given = allocatedBytes(atMost: bytes + 8) {
                Self.key(count).withUnsafeBufferPointer { RecordEntry.make($0, record) }
            }
            #expect(given ?? 0 <= bytes + 8, "\(count) bytes")
        }
        for (count, bytes) in [
            (0, 56), (16, 56), (17, 72), (32, 72), (33, 88), (48, 88), (49, 104), (64, 104), (65, 136), (96, 136),
            (97, 168), (128, 168), (129, 56), (9_000, 56),
        ] {
            let given = allocatedBytes(atMost: bytes + 8) {
                Self.key(count).withUnsafeBufferPointer { KeyEntry.make($0, "r") }
            }
            #expect(given ?? 0 <= bytes + 8, "\(count) bytes")
        }
    }
}
