#if SQLite
    import CSQLite

    /// What a statement may take: one over a damaged file need not end by itself.
    ///
    /// SQLite follows the references of pages to each other as often as they are there. A page that each cell of another leads
    /// to, which is led to in the same way, and so on, is billions of rows in a few kilobytes. A sound file has no more rows
    /// than it has room for.
    ///
    /// It is begun again with each row that a statement returns, so that a scan that goes on row by row never uses it up.
    final class StatementBudget {
        /// Instructions of SQLite's virtual machine between two looks at the budget.
        private static let stride: Int32 = 1000
        /// For the list of tables, which SQLite reads before the first statement: that of some 8,000 tables and indexes, fewer
        /// where it has statistics of them.
        private static let ofSchema = 60_000

        /// Whether it ends with the task that it is used in, too.
        private let endsWithTask: Bool
        private var left = 0
        /// Whether a statement was ended because it took more.
        private(set) var isSpent = false
        /// Whether it is that of the list of tables.
        private(set) var isOfSchema = false

        init(endsWithTask: Bool) { self.endsWithTask = endsWithTask }

        /// For a statement that returns one row, after a scan perhaps: several times what it takes to group all rows that a
        /// file has room for, each in four bytes.
        private static func ofScan(fileBytes: Int) -> Int { 10_000_000 + 16 * min(fileBytes, .max / 32) }

        /// Counts for a connection from now on. It has to live as long.
        func attach(to handle: OpaquePointer) {
            let call: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { place in
                guard let place else { return 0 }
                return Unmanaged<StatementBudget>.fromOpaque(place).takeUnretainedValue().goesOn() ? 0 : 1
            }
            sqlite3_progress_handler(handle, Self.stride, call, Unmanaged.passUnretained(self).toOpaque())
        }

        /// Gives what is needed to read the list of tables.
        func beginSchema() { begin(Self.ofSchema, isOfSchema: true) }

        /// Gives a statement what it needs up to its next row.
        func beginStep(fileBytes: Int) { begin(Self.ofScan(fileBytes: fileBytes), isOfSchema: false) }

        private func begin(_ instructions: Int, isOfSchema: Bool) {
            left = instructions / Int(Self.stride)
            isSpent = false
            self.isOfSchema = isOfSchema
        }

        private func goesOn() -> Bool {
            if endsWithTask, Task.isCancelled { return false }
            left -= 1
            if left < 0 { isSpent = true }
            return !isSpent
        }
    }
#endif
