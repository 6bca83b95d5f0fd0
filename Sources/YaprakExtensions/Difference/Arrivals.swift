/// Finds a row among those that were inserted.
///
/// A few are looked through. More are in a table by their fingerprints, which needs neither the bytes of a key nor a reference
/// to it: both are seldom in the cache. Where too many rows share a part of it, by chance or because somebody chose such keys, a
/// dictionary takes its place.
struct Arrivals<Row: PositionedRow> {
    private let rows: [Row]
    /// Indices of rows, or -1; 2ⁿ slots, half of them free at least. Empty for a few rows.
    private var slots: [Int32] = []
    private var shift: UInt64 = 0
    private var indices: [RowID: Int] = [:]

    /// So few are looked through faster.
    private static var lookedThroughMax: Int { 8 }
    /// No row is farther from its slot.
    private static var stepsMax: Int { 64 }

    /// - Complexity: O(rows).
    init(_ rows: [Row]) {
        self.rows = rows
        if rows.count <= Self.lookedThroughMax { return }
        if rows.count > Int(Int32.max) || !fillSlots() { fillIndices() }
    }

    /// The index of a row. O(1).
    func index(of row: Row) -> Int? {
        if rows.count <= Self.lookedThroughMax { return rows.firstIndex { $0.isSameRow(as: row) } }
        if slots.isEmpty { return indices[row.row] }
        var slot = firstSlot(of: row)
        // One that is not there is looked for no longer: rows may fill many slots in a row, each where it belongs.
        for _ in 0...Self.stepsMax {
            let index = Int(slots[slot])
            if index < 0 { return nil }
            if rows[index].isSameRow(as: row) { return index }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private func firstSlot(of row: Row) -> Int { Int((row.fingerprint &* 0x9E37_79B9_7F4A_7C15) &>> shift) }

    private mutating func fillSlots() -> Bool {
        let bits = Int.bitWidth - (2 * rows.count - 1).leadingZeroBitCount
        shift = UInt64(64 - bits)
        slots = Array(repeating: -1, count: 1 << bits)
        for (index, row) in rows.enumerated() {
            var slot = firstSlot(of: row)
            var steps = 0
            while slots[slot] >= 0 {
                steps += 1
                if steps > Self.stepsMax {
                    slots = []
                    return false
                }
                slot = (slot + 1) & (slots.count - 1)
            }
            slots[slot] = Int32(index)
        }
        return true
    }

    private mutating func fillIndices() {
        indices.reserveCapacity(rows.count)
        for (index, row) in rows.enumerated() { indices[row.row] = index }
    }
}
