import YaprakTrees

/// The roots of a state's trees, by the slots of their collections.
///
///     in place ──▶ 0 … 3       all that many databases have: a commit copies them with the state, and makes no array
///     rest     ──▶ 4 …         a ``SlotVector``
///
/// A copy is O(1); a change of a slot behind the fourth costs what it costs there. Two versions are compared by the addresses of
/// their trees, so both have to be alive.
///
/// - Invariant: `rest` has elements only if all that are in place are taken.
struct RootVector: Sendable {
    private static let inPlaceMax = 4

    private var root0 = TreeRoot()
    private var root1 = TreeRoot()
    private var root2 = TreeRoot()
    private var root3 = TreeRoot()
    private var inPlaceCount = 0
    private var rest: SlotVector<TreeRoot> = []

    init() {}

    /// As many empty trees. O(log *n*).
    init(emptyTrees count: Int) {
        inPlaceCount = Swift.min(count, Self.inPlaceMax)
        rest = SlotVector(repeating: TreeRoot(), count: count - inPlaceCount)
    }
}

extension RootVector: RandomAccessCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { inPlaceCount &+ rest.count }

    /// The root of a slot. O(1) for the first 36, O(log *n*) behind them; so is setting it.
    subscript(slot: Int) -> TreeRoot {
        @inline(__always) get {
            if slot >= Self.inPlaceMax { return rest[slot &- Self.inPlaceMax] }
            precondition(slot >= 0 && slot < inPlaceCount, "slot \(slot) of \(count)")
            switch slot {
            case 0: return root0
            case 1: return root1
            case 2: return root2
            default: return root3
            }
        }
        @inline(__always) set {
            if slot >= Self.inPlaceMax {
                rest[slot &- Self.inPlaceMax] = newValue
                return
            }
            precondition(slot >= 0 && slot < inPlaceCount, "slot \(slot) of \(count)")
            switch slot {
            case 0: root0 = newValue
            case 1: root1 = newValue
            case 2: root2 = newValue
            default: root3 = newValue
            }
        }
    }

    /// Adds a slot at the end. O(log *n*).
    mutating func append(_ root: TreeRoot) {
        if inPlaceCount == Self.inPlaceMax { return rest.append(root) }
        inPlaceCount += 1
        self[inPlaceCount - 1] = root
    }
}

// MARK: - What versions share

extension RootVector {
    /// The slots, in ascending order, of which this version may have another tree than the other one: whatever differs between
    /// the two is among them.
    /// - Complexity: O(*d* · log *n*) with *d* the chunks of `rest` that differ.
    func slots(notSharedWith other: RootVector) -> [Int] { difference(from: other).slots }

    /// The slots that may differ, and how many pieces of memory this version has for itself beside the state: what keeping both
    /// costs.
    func difference(from other: RootVector) -> (slots: [Int], nodes: Int) {
        let inPlace = (0..<inPlaceCount).filter { $0 >= other.inPlaceCount || !self[$0].isIdentical(to: other[$0]) }
        let (behind, nodes) = rest.difference(from: other.rest)
        return (inPlace + behind.map { $0 + Self.inPlaceMax }, nodes)
    }
}
