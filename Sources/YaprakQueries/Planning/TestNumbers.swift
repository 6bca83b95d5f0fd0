/// Some tests of a query, by their numbers.
///
/// Of a query with more than 64, those behind are never among them: they are asked although an index proves them.
struct TestNumbers {
    private var bits: UInt64 = 0

    var count: Int { bits.nonzeroBitCount }

    func contains(_ number: Int) -> Bool { number < UInt64.bitWidth && bits & 1 << UInt64(number) != 0 }

    mutating func insert(_ number: Int) {
        if number < UInt64.bitWidth { bits |= 1 << UInt64(number) }
    }

    mutating func formUnion(_ other: TestNumbers) { bits |= other.bits }
}
