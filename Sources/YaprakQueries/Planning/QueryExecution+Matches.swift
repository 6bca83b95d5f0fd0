import YaprakCore
import YaprakExtensions
import YaprakTrees

extension QueryExecution {
    /// How many rows there are. Reads no further than the limit, sorts nothing and keeps no row.
    ///
    /// Which rows a limit keeps is a matter of the order; how many is not.
    var countOfMatches: Int {
        var count = 0
        forEachMatch { _ in
            count += 1
            return count < limit
        }
        return count
    }

    /// Calls `body` with each record that matches, in any order, until it returns false. With a limit of 0 there is none; another
    /// one says only how many are wanted.
    func forEachMatch(_ body: (RecordBox) -> Bool) {
        let records = snapshot.tree(of: collection)
        if limit == 0 { return }
        var plan = QueryPlanner(snapshot, collection: collection.name, outline).plan(limit: limit)
        // All matches are wanted, and in no order: an index that has one is as good as another.
        if limit == .max, start == nil { plan?.order = nil }
        withExtendedLifetime(snapshot) {
            let stretches = outline.keys?.positions(in: records)
            if let plan, isWorthwhile(plan, stretches, of: records.count) {
                forEachMatch(among: plan, body)
            } else {
                forEachMatch(among: stretches, of: records, body)
            }
        }
    }

    /// - Parameter stretches: where keys lie; `nil` for anywhere.
    private func forEachMatch(among stretches: [Range<Int>]?, of records: TreeRoot, _ body: (RecordBox) -> Bool) {
        let conditions = stretches == nil ? outline.conditionsForAll : outline.conditions
        let first = firstPosition(in: records)
        for stretch in stretches ?? [0..<records.count] where stretch.upperBound > first {
            var left = stretch.upperBound - max(first, stretch.lowerBound)
            var cursor = TreeCursor(records, at: max(first, stretch.lowerBound))
            while left > 0, let row = cursor.next() {
                left -= 1
                let goesOn = Unmanaged<RecordBox>.fromOpaque(row.toOpaque())._withUnsafeGuaranteedRef { record in
                    guard conditions.hold(for: record), isBehindStart(record) else { return true }
                    return body(record)
                }
                if !goesOn { return }
            }
        }
    }

    private func forEachMatch(among plan: IndexPlan, _ body: (RecordBox) -> Bool) {
        let left = RecordConditions(tests.indices.lazy.filter { !plan.proven.contains($0) }.map { tests[$0] })
        let mayRepeat = plan.mayRepeat
        var seen: Set<ObjectIdentifier> = []
        for part in plan.parts {
            for var range in part.ranges {
                if let start, let order = plan.order { narrow(&range, behind: start, part.source, order) }
                var cursor = IndexCursor(part.source, IndexRanges(range))
                while let record = cursor.next() {
                    let goesOn = record._withUnsafeGuaranteedRef { record in
                        guard left.hold(for: record), isBehindStart(record) else { return true }
                        if mayRepeat, !seen.insert(ObjectIdentifier(record)).inserted { return true }
                        return body(record)
                    }
                    if !goesOn { return }
                }
            }
        }
    }
}
