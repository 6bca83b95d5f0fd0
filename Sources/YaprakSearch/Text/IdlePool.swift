import YaprakLocks

/// Objects that nobody uses at the moment: making one costs more than what it is mostly used for.
///
/// Each is used by one thread at a time. None is made or released under the lock of the pool.
final class IdlePool<Item: AnyObject>: Sendable {
    private struct Idle: @unchecked Sendable {
        // Each is used by the caller that took it out.
        var items: [Item] = []
    }

    private struct Loan: @unchecked Sendable {
        let item: Item?
    }

    private let most: Int
    private let make: @Sendable () -> Item
    private let isKept: @Sendable (Item) -> Bool
    private let idle = Mutex(Idle())

    /// - Parameters:
    ///   - most: how many are kept.
    ///   - isKept: whether one is kept after a use.
    init(
        _ most: Int, keepIf isKept: @escaping @Sendable (Item) -> Bool = { _ in true },
        make: @escaping @Sendable () -> Item
    ) {
        self.most = most
        self.isKept = isKept
        self.make = make
    }

    /// Lends an item to `body`.
    func withItem<Result>(_ body: (Item) throws -> Result) rethrows -> Result {
        let loan = idle.withLock { Loan(item: $0.items.popLast()) }
        let item = loan.item ?? make()
        defer {
            if isKept(item) {
                let back = Loan(item: item)
                // One that finds no room is released after the lock.
                _ = idle.withLock { idle -> Loan? in
                    guard idle.items.count < most, let item = back.item else { return back }
                    idle.items.append(item)
                    return nil
                }
            }
        }
        return try body(item)
    }
}
