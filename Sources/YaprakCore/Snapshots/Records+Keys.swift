import YaprakTrees

// Ranges and projections. A slice is a range of positions in the same tree, so all of these are found in O(log n) and
// share the snapshot.
extension Records {
    /// The keys, ascending; lazy.
    /// - Complexity: O(1) to make.
    public var keys: LazyMapSequence<Self, String> { lazy.map(\.key) }

    /// The objects in the order of their keys; lazy.
    /// - Complexity: O(1) to make.
    public var objects: LazyMapSequence<Self, Object> { lazy.map(\.object) }

    /// The records with keys from `range.lowerBound` up to, not including, `range.upperBound`. O(log *n*).
    public subscript(keys range: Range<String>) -> Self {
        slice(position(notBefore: range.lowerBound), position(notBefore: range.upperBound))
    }

    /// The records with keys from `range.lowerBound` to `range.upperBound`, both included. O(log *n*).
    public subscript(keys range: ClosedRange<String>) -> Self {
        slice(position(notBefore: range.lowerBound), position(after: range.upperBound))
    }

    /// The records with keys from `range.lowerBound` on. O(log *n*).
    public subscript(keys range: PartialRangeFrom<String>) -> Self {
        slice(position(notBefore: range.lowerBound), bounds.upperBound)
    }

    /// The records with keys before `range.upperBound`. O(log *n*).
    public subscript(keys range: PartialRangeUpTo<String>) -> Self {
        slice(bounds.lowerBound, position(notBefore: range.upperBound))
    }

    /// The records whose keys begin with `prefix`. O(log *n*).
    ///
    ///     let ofToday = snapshot[.departures][prefix: "2013-01-31/"]
    public subscript(prefix prefix: String) -> Self {
        let prefix = RecordKey.normalized(prefix)
        return withExtendedLifetime(state) {
            // The first key that does not begin with the prefix, by binary search over positions.
            var lower = root.rank(of: prefix).position
            let first = lower
            var upper = root.count
            while lower < upper {
                let middle = lower + (upper - lower) / 2
                let has = root.reference(at: middle)._withUnsafeGuaranteedRef { row in
                    prefix.withKeyBytes { row.hasKey(beginningWith: $0) }
                }
                if has { lower = middle + 1 } else { upper = middle }
            }
            return slice(first, lower)
        }
    }

    /// The position of `key`; `nil` if there is no such record here. O(log *n*).
    public func position(of key: String) -> Int? {
        withExtendedLifetime(state) {
            let rank = root.rank(of: RecordKey.normalized(key))
            return rank.isFound && bounds.contains(rank.position) ? rank.position : nil
        }
    }

    /// The position of `key`, or of the first key after it, in the whole collection: in a slice it may lie outside of the
    /// slice. O(log *n*).
    public func position(notBefore key: String) -> Int {
        withExtendedLifetime(state) { root.rank(of: RecordKey.normalized(key)).position }
    }

    private func position(after key: String) -> Int {
        withExtendedLifetime(state) {
            let rank = root.rank(of: RecordKey.normalized(key))
            return rank.isFound ? rank.position + 1 : rank.position
        }
    }

    private func slice(_ lower: Int, _ upper: Int) -> Self {
        let lower = Swift.min(Swift.max(lower, bounds.lowerBound), bounds.upperBound)
        let upper = Swift.min(Swift.max(upper, lower), bounds.upperBound)
        return Self(state: state, root: root, bounds: lower..<upper)
    }
}

// What queries ask of records that they are called on.
extension Records {
    /// Whether these are all records of their collection.
    package var isWhole: Bool { bounds == 0..<root.rowCount }

    /// The snapshot these are of, and the name of their collection; `nil` if there is no record.
    /// - Complexity: O(number of collections).
    package var origin: (snapshot: Snapshot, name: String)? {
        guard root.rowCount > 0 else { return nil }
        return zip(state.directory.bindings, state.roots)
            .first { !$0.isHidden && $1.isIdentical(to: root) }
            .map { (Snapshot(state), $0.0.name) }
    }
}
