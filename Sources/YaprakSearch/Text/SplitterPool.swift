import YaprakLocks

/// Splitters that nobody uses at the moment: making one costs more than a short query.
final class SplitterPool: Sendable {
    private struct Idle: @unchecked Sendable {
        // Each is used by the caller that took it out.
        var splitters: [TextSplitter] = []
    }

    private struct Loan: @unchecked Sendable {
        let splitter: TextSplitter?
    }

    private let tokenizer: any SearchTokenizer
    private let idle = Mutex(Idle())
    private static let idleMax = 8

    init(_ tokenizer: any SearchTokenizer) { self.tokenizer = tokenizer }

    /// Lends a splitter to `body`.
    func withSplitter<Result>(_ body: (TextSplitter) throws -> Result) rethrows -> Result {
        let loan = idle.withLock { Loan(splitter: $0.splitters.popLast()) }
        let splitter = loan.splitter ?? TextSplitter(tokenizer)
        defer {
            let back = Loan(splitter: splitter)
            // One that finds no room is released after the lock.
            _ = idle.withLock { idle -> Loan? in
                guard idle.splitters.count < Self.idleMax, let splitter = back.splitter else { return back }
                idle.splitters.append(splitter)
                return nil
            }
        }
        return try body(splitter)
    }
}
