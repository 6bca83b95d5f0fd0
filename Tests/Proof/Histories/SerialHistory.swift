internal import ToolSupport

/// A history as a strictly serializable database gives it: transactions one after the other, whose clients began a little
/// before and heard of it a little later. What planted anomalies are hidden in.
package struct SerialHistory {
    package private(set) var history = History()
    private var lists: [Int32: [Int32]] = [:]
    private var registers: [Int32: Int32] = [:]
    private var random: SplitMix64
    private var commit = 0
    private var value: Int32 = 0

    /// Time between two transactions; they overlap with some before and after.
    private static let tick = 1000
    private static let overlap = 4000
    private static let listKeys = 8
    private static let appendsPerKey = 16

    package init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// The moment of the next transaction.
    package var now: Int { (history.transactions.count + 1) * Self.tick }

    /// Adds random transactions.
    package mutating func add(_ count: Int) {
        for _ in 0..<count {
            var operations: [History.Operation] = []
            var isUpdate = false
            let window = Int32(commit / (Self.listKeys * Self.appendsPerKey / 2)) * Int32(Self.listKeys)
            let isReadOnly = random.chance(30)
            let fails = !isReadOnly && random.chance(4)
            let before = (lists, registers)
            for _ in 0...random.below(4) {
                let key = window + Int32(random.below(Self.listKeys))
                switch random.below(4) {
                case 0 where !isReadOnly:
                    value += 1
                    lists[key, default: []].append(value)
                    operations.append(.append(key, value))
                    isUpdate = true
                case 1 where !isReadOnly:
                    // Registers are other keys: negative ones.
                    value += 1
                    registers[-key - 1] = value
                    operations.append(.write(-key - 1, value))
                    isUpdate = true
                case 2: operations.append(.read(-key - 1, registers[-key - 1] ?? 0))
                default: operations.append(history.readList(key, lists[key] ?? []))
                }
            }
            if fails { (lists, registers) = before }
            if isUpdate, !fails { commit += 1 }
            let at = now
            history.add(
                operations, fails ? .failed : .committed, from: at - random.below(Self.overlap),
                to: at + random.below(Self.overlap), commit: commit)
        }
    }

    /// Adds a transaction that looks like others and was not made by the model.
    package mutating func plant(
        _ operations: [History.Operation], _ outcome: History.Outcome = .committed, overlapping: Bool = true
    ) {
        let at = now
        let margin = overlapping ? Self.overlap : 0
        history.add(operations, outcome, from: at - margin, to: at + margin, commit: commit)
    }

    /// A list for a planted transaction.
    package mutating func readList(_ key: Int32, _ values: [Int32]) -> History.Operation {
        history.readList(key, values)
    }
}
