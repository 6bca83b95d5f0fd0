/// The keys between a value and a container that `nestedContainer` made for it: those that the state keeps under a number, and
/// the index of an item behind them. A list of a million items keeps its own keys once. The input is below 4 GiB.
struct InnerPath {
    /// 0 for no keys.
    var number: UInt32 = 0
    var index = UInt32.max

    var isOfItem: Bool { index != .max }
    var isEmpty: Bool { number == 0 && !isOfItem }

    static var none: InnerPath { InnerPath() }

    /// That of the item at `index`, in the list whose own keys these are.
    func item(_ index: Int) -> InnerPath { InnerPath(number: number, index: UInt32(truncatingIfNeeded: index)) }
}
