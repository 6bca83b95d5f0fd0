import TestSupport
import Testing

@testable import YaprakSearch

/// The bytes of postings, and places read from them.
@Suite(.bounded) struct PostingBytesTests {
    @Test(arguments: 0..<20) func `Moving over numbers leads to where reading them leads`(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let bytes = ByteBuffer()
        // Of one to five bytes; in some rounds nearly all are short, as they are in postings.
        let isShort = seed % 2 == 0
        let numbers = (0..<200).map { _ -> UInt32 in
            let bits = isShort && random.below(10) > 0 ? random.below(7) : random.below(33)
            return UInt32(truncatingIfNeeded: random.next() & (1 << UInt64(bits) - 1))
        }
        for number in numbers { bytes.append(number: number) }
        // Exactly as much memory as there are bytes: reading behind them is seen by a sanitizer.
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
        defer { memory.deallocate() }
        memory.update(from: bytes.start, count: bytes.count)
        var starts: [UnsafePointer<UInt8>] = []
        var reader = ByteReader(memory)
        for number in numbers {
            starts.append(reader.at)
            #expect(reader.number() == number, "seed \(seed)")
        }
        starts.append(reader.at)
        for start in numbers.indices {
            for end in start...numbers.count {
                var skipping = ByteReader(starts[start])
                skipping.skip(UInt32(end - start))
                if skipping.at != starts[end] {
                    Issue.record("seed \(seed): \(end - start) numbers from number \(start)")
                }
            }
        }
    }

    @Test func `A list of places keeps what it has, however it grows`() {
        let places = PlaceList()
        var expected: [UInt32] = []
        for round in 0..<2 {
            for count in [0, 1, 15, 16, 17, 1, 300, 0, 5] {
                let start = UInt32(expected.count)
                let room = places.extend(by: count)
                for index in 0..<count { room[index] = start + UInt32(index) }
                expected += (0..<count).map { start + UInt32($0) }
                places.append(7)
                expected.append(7)
            }
            #expect((0..<places.count).map { places[$0] } == expected, "round \(round)")
            places.mapKept { $0 % 3 == 0 ? $0 + 1 : nil }
            expected = expected.compactMap { $0 % 3 == 0 ? $0 + 1 : nil }
            #expect((0..<places.count).map { places[$0] } == expected, "round \(round)")
        }
    }
}
