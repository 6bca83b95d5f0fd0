import YaprakCore
import YaprakExtensions
import YaprakTrees

/// One run of a query over a snapshot: collects its rows, and counts what it read.
struct QueryExecution {
    let snapshot: Snapshot
    let collection: CollectionTypes
    let outline: QueryOutline
    let order: RecordOrder
    let limit: Int
    /// Only rows behind this one.
    let start: RecordBox?

    var tests: [RecordTest] { outline.tests }

    private(set) var plan: IndexPlan?
    /// The stretches of the collection that were looked at, where a condition on keys says so.
    private(set) var stretches: [Range<Int>]?
    private(set) var entriesRead = 0
    private(set) var recordsTested = 0
    private(set) var rows: ContiguousArray<RecordBox> = []

    init(
        _ snapshot: Snapshot, _ collection: CollectionTypes, _ outline: QueryOutline, _ order: RecordOrder, limit: Int,
        after start: RecordBox?
    ) {
        self.snapshot = snapshot
        self.collection = collection
        self.outline = outline
        self.order = order
        self.limit = max(0, limit)
        self.start = start
    }

    mutating func run() {
        let records = snapshot.tree(of: collection)
        if limit == 0 { return }
        plan = QueryPlanner(snapshot, collection: collection.name, outline).plan(limit: limit)
        withExtendedLifetime(snapshot) {
            let stretches = outline.keys?.positions(in: records)
            if let plan, isWorthwhile(plan, stretches, of: records.count) {
                read(plan)
            } else {
                plan = nil
                self.stretches = stretches
                scan(records)
            }
        }
    }

    /// Whether the rows came in order, so that nothing had to be sorted.
    var isInOrder: Bool { plan.map { $0.order != nil } ?? order.sorts.isEmpty }

    /// Whether reading a plan is better than looking at all records, or at some stretches of them.
    func isWorthwhile(_ plan: IndexPlan, _ stretches: [Range<Int>]?, of count: Int) -> Bool {
        guard let stretches else {
            // An index in order is read up to the last row that is wanted; else a scan is as good as all of an index.
            return plan.order != nil || plan.readingCost < count
        }
        let size = stretches.reduce(0) { $0 + $1.count }
        var cost = Double(plan.readingCost)
        if plan.order != nil, limit < .max {
            // As if the records of the stretches were evenly spread among the entries.
            cost = min(cost, Double(limit) * Double(count) / Double(max(1, size)))
        }
        return cost < Double(size)
    }

    // MARK: Reading

    private mutating func scan(_ records: TreeRoot) {
        let isInOrder = order.sorts.isEmpty
        let conditions = stretches == nil ? outline.conditionsForAll : outline.conditions
        let isTested = !conditions.isEmpty
        let first = firstPosition(in: records)
        for stretch in stretches ?? [0..<records.count] where stretch.upperBound > first {
            var left = stretch.upperBound - max(first, stretch.lowerBound)
            var cursor = TreeCursor(records, at: max(first, stretch.lowerBound))
            while left > 0, let row = cursor.next() {
                left -= 1
                let record = Unmanaged<RecordBox>.fromOpaque(row.toOpaque())
                entriesRead += 1
                if isTested { recordsTested += 1 }
                let isMatch = record._withUnsafeGuaranteedRef { conditions.hold(for: $0) && isBehindStart($0) }
                guard isMatch else { continue }
                rows.append(record.takeUnretainedValue())
                if isInOrder, rows.count == limit { return }
                if !isInOrder { trim() }
            }
        }
        if !isInOrder { sort() }
    }

    /// Where the first record stands that can come behind the row that the rows begin behind.
    func firstPosition(in records: TreeRoot) -> Int {
        guard order.sorts.isEmpty, let start else { return 0 }
        let place = records.rank(of: start.key)
        return place.position + (place.isFound ? 1 : 0)
    }

    private mutating func read(_ plan: IndexPlan) {
        let tests = tests
        let left = RecordConditions(tests.indices.lazy.filter { !plan.proven.contains($0) }.map { tests[$0] })
        if let order = plan.order, let part = plan.parts.first { return walk(part, order, left) }
        var seen: Set<ObjectIdentifier> = []
        for part in plan.parts {
            for range in part.ranges {
                var cursor = IndexCursor(part.source, IndexRanges(range))
                while let record = cursor.next() {
                    entriesRead += 1
                    let isMatch = record._withUnsafeGuaranteedRef { holds($0, left) }
                    guard isMatch else { continue }
                    let record = record.takeUnretainedValue()
                    if plan.mayRepeat, !seen.insert(ObjectIdentifier(record)).inserted { continue }
                    rows.append(record)
                    trim()
                }
            }
        }
        sort()
    }

    /// Reads entries in the order of the query, until there are rows enough. Entries whose columns are the same are put in the
    /// order of their keys, where they are not.
    private mutating func walk(_ part: IndexPlan.Part, _ walk: IndexPlan.Order, _ left: RecordConditions) {
        guard var range = part.ranges.first else { return }
        if let start { narrow(&range, behind: start, part.source, walk) }
        if walk.isComplete { return collect(range, of: part.source, left) }
        // Where a run of equal columns began among the rows, and their bytes.
        var run = 0
        var bytes: [UInt8]?
        let (order, limit) = (order, limit)
        func endRun(_ rows: inout ContiguousArray<RecordBox>) {
            if rows.count - run > 1 { rows[run...].sort { order.compareKeys($0, $1) < 0 } }
            run = rows.count
        }
        var found = ContiguousArray<RecordBox>()
        found.reserveCapacity(min(range.count, limit, 64))
        var read = 0
        var tested = 0
        let (isTested, test) = (!left.isEmpty, left.test)
        part.source.forEachEntry(in: range, isReversed: walk.isBackward) { entry, record in
            read += 1
            if !(bytes.map { part.source.configuration.hasColumns($0, entry) } ?? false) {
                endRun(&found)
                if found.count >= limit { return false }
                bytes = part.source.configuration.columnBytes(walk.columns, in: entry)
            }
            if isTested { tested += 1 }
            guard test(record) else { return true }
            if let start, order.compare(start, record) >= 0 { return true }
            found.append(record)
            return true
        }
        endRun(&found)
        if found.count > limit { found.removeLast(found.count - limit) }
        rows = found
        entriesRead += read
        recordsTested += tested
    }

    /// Reads entries that stand as the rows do, until there are rows enough: some at a time, because counting references to one
    /// makes the processor wait for it before it fetches others. Never more of them than rows are wanted.
    private mutating func collect(_ range: Range<Int>, of source: IndexSource, _ left: RecordConditions) {
        var found = ContiguousArray<RecordBox>()
        found.reserveCapacity(min(range.count, limit, 64))
        let (order, limit, start, test) = (order, limit, start, left.test)
        var read = 0
        var cursor = IndexCursor(source, IndexRanges(range))
        withUnsafeTemporaryAllocation(of: Unmanaged<RecordBox>.self, capacity: Self.batchSize) { room in
            while found.count < limit {
                let batch = UnsafeMutableBufferPointer(rebasing: room[..<min(Self.batchSize, limit - found.count)])
                let count = cursor.fill(batch)
                if count == 0 { break }
                read += count
                var matches: UInt32 = 0
                for i in 0..<count {
                    let isMatch = batch[i]._withUnsafeGuaranteedRef { record in
                        test(record) && (start.map { order.compare($0, record) < 0 } ?? true)
                    }
                    if isMatch { matches |= 1 << UInt32(i) }
                }
                for i in 0..<count where matches & 1 << UInt32(i) != 0 { found.append(batch[i].takeUnretainedValue()) }
            }
        }
        rows = found
        entriesRead += read
        if !left.isEmpty { recordsTested += read }
    }

    /// So many entries are read at a time; a bit of a word for each.
    private static let batchSize = 32

    /// Leaves out entries that can't be behind a row, which need not be one that the query has.
    func narrow(
        _ range: inout Range<Int>, behind start: RecordBox, _ source: IndexSource, _ walk: IndexPlan.Order
    ) {
        guard !range.isEmpty else { return }
        let (configuration, tree) = (source.configuration, source.root.tree)
        // One with other values in the fixed columns says nothing of where its place would be.
        let first = tree.row(at: range.lowerBound)
        guard configuration.hasFixedColumns(walk.fixed, of: first, start) else { return }
        // All entries have the same in the fixed columns: of a column of elements, the one that was asked for.
        var bytes = configuration.columnBytes(walk.fixed, in: first)
        bytes += configuration.columnBytes(walk.fixed..<walk.columns, of: start)
        if walk.isBackward {
            let end = (bytes + [0xFF]).withUnsafeBufferPointer { tree.lowerBound($0) }
            range = range.lowerBound..<max(range.lowerBound, min(end, range.upperBound))
        } else {
            // Equal entries stand in the order of their keys, which are behind the columns where several can be equal.
            if walk.isComplete, !configuration.isUnique { bytes += start.key.utf8 }
            let begin = bytes.withUnsafeBufferPointer { tree.lowerBound($0) }
            range = min(max(begin, range.lowerBound), range.upperBound)..<range.upperBound
        }
    }

    // MARK: Rows

    private mutating func holds(_ record: RecordBox, _ left: RecordConditions) -> Bool {
        if !left.isEmpty { recordsTested += 1 }
        return left.hold(for: record) && isBehindStart(record)
    }

    /// Whether a record comes behind the row that the rows begin behind.
    func isBehindStart(_ record: RecordBox) -> Bool {
        guard let start else { return true }
        return order.compare(start, record) < 0
    }

    /// Keeps the rows from growing far beyond the limit.
    private mutating func trim() {
        if limit < 1 << 40, rows.count >= 4 * limit + 64 { sort() }
    }

    private mutating func sort() {
        let order = order
        rows.sort { order.compare($0, $1) < 0 }
        if rows.count > limit { rows.removeLast(rows.count - limit) }
    }
}
