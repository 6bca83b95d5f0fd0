public import YaprakCore
package import YaprakTrees

/// An index in one snapshot, without the types of its records: what reads of it are made of.
@usableFromInline
package struct IndexSource: Sendable {
    package let snapshot: Snapshot
    package let root: IndexRoot

    package init(_ snapshot: Snapshot, _ root: IndexRoot) {
        self.snapshot = snapshot
        self.root = root
    }

    package var configuration: IndexConfiguration { root.configuration }

    /// The tree that leads from an entry to its record: that of the records where entries hold keys.
    var records: TreeRoot {
        configuration.holdsRecords ? TreeRoot() : snapshot.tree(of: configuration.collection)
    }

    /// The record of an entry. Unretained: valid while the snapshot is.
    @inline(__always)
    func record(_ entry: Unmanaged<TreeRow>, in records: TreeRoot) -> Unmanaged<RecordBox> {
        entry._withUnsafeGuaranteedRef { entry in
            if configuration.holdsRecords {
                return .passUnretained(unsafeDowncast(entry, to: RecordEntry.self).record)
            }
            let row = unsafeDowncast(entry, to: KeyEntry.self).withRecordKey { records.lookup($0) }
            guard let row else { preconditionFailure("an entry of \"\(configuration.name)\" has a record") }
            return Unmanaged<RecordBox>.fromOpaque(row.toOpaque())
        }
    }

    // MARK: Positions

    package func positions(_ span: IndexSpan, behind prefix: [UInt8]) -> Range<Int> {
        let low = position(span.lower, behind: prefix)
        return low..<max(low, position(span.upper, behind: prefix))
    }

    private func position(_ bytes: [UInt8], behind prefix: [UInt8]) -> Int {
        if prefix.isEmpty { return bytes.withUnsafeBufferPointer { root.tree.lowerBound($0) } }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: prefix.count + bytes.count) { buffer in
            _ = buffer.initialize(fromContentsOf: prefix)
            _ = buffer[prefix.count...].initialize(fromContentsOf: bytes)
            return root.tree.lowerBound(UnsafeBufferPointer(buffer))
        }
    }

    /// Hands over the entries of a range of positions with their records, from the first or from the last, until the closure
    /// returns false.
    package func forEachEntry(in range: Range<Int>, isReversed: Bool, _ body: (TreeRow, RecordBox) -> Bool) {
        let records = records
        var cursor = TreeCursor(root.tree, at: isReversed ? range.upperBound : range.lowerBound)
        for _ in range {
            guard let entry = isReversed ? cursor.previous() : cursor.next() else { return }
            let goesOn = record(entry, in: records)._withUnsafeGuaranteedRef { record in
                entry._withUnsafeGuaranteedRef { body($0, record) }
            }
            if !goesOn { return }
        }
    }

    /// The first record whose first column has a value, found without a list of positions.
    @usableFromInline
    func first(_ value: inout IndexKeyWriter, _ type: IndexType) throws -> RecordBox? {
        // The usual question is answered without a reference counted but that to the record. The caller keeps the source.
        let isKey = Unmanaged.passUnretained(root.configuration)._withUnsafeGuaranteedRef {
            $0.holdsRecords && $0.uniqueType == type
        }
        if isKey, !type.isNotANumber(value.bytes) {
            guard let entry = root.tree.lookup(value.bytes) else { return nil }
            return entry._withUnsafeGuaranteedRef { unsafeDowncast($0, to: RecordEntry.self).record }
        }
        return try firstOfOthers(&value, type)
    }

    @inline(never)
    private func firstOfOthers(_ value: inout IndexKeyWriter, _ type: IndexType) throws -> RecordBox? {
        let configuration = configuration
        if configuration.uniqueType == type, !type.isNotANumber(value.bytes) {
            return withExtendedLifetime(snapshot) {
                root.tree.lookup(value.bytes).map { record($0, in: records).takeUnretainedValue() }
            }
        }
        let column = configuration.columns[0]
        try configuration.check(type, column: 0)
        if type.isNotANumber(value.bytes) { throw configuration.notANumber() }
        if column.type.optionals != type.optionals || column.isDescending {
            let plain = value.array
            value.removeAll()
            for _ in type.optionals..<column.type.optionals { value.append(2) }
            value.append(plain)
            if column.isDescending { value.invert(from: 0, isText: column.type.isText) }
        }
        return withExtendedLifetime(snapshot) {
            let bytes = value.bytes
            if configuration.isUnique, configuration.columns.count == 1, let entry = root.tree.lookup(bytes) {
                return record(entry, in: records).takeUnretainedValue()
            }
            let position = root.tree.lowerBound(bytes)
            guard position < root.tree.count else { return nil }
            let entry = root.tree.reference(at: position)
            let isFound = entry._withUnsafeGuaranteedRef { $0.hasKey(beginningWith: bytes) }
            return isFound ? record(entry, in: records).takeUnretainedValue() : nil
        }
    }
}

extension KeyEntry {
    @inline(__always)
    func withRecordKey<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result?) -> Result? {
        recordKey.utf8.withContiguousStorageIfAvailable(body) ?? nil
    }
}

/// Walks the records of some ranges of positions, without their types.
@usableFromInline
package struct IndexCursor {
    private let source: IndexSource
    private let records: TreeRoot
    private let ranges: IndexRanges
    private var range = 0
    private var cursor: TreeCursor
    private var end: Int

    package init(_ source: IndexSource, _ ranges: IndexRanges) {
        self.source = source
        self.ranges = ranges
        records = source.records
        cursor = TreeCursor(source.root.tree, at: ranges.first.lowerBound)
        end = ranges.first.upperBound
    }

    /// The next entry.
    @inline(__always)
    mutating func nextEntry() -> Unmanaged<TreeRow>? {
        while cursor.position >= end {
            guard range < ranges.rest.count else { return nil }
            cursor = TreeCursor(source.root.tree, at: ranges.rest[range].lowerBound)
            end = ranges.rest[range].upperBound
            range += 1
        }
        return cursor.next()
    }

    /// The record of the next entry. Unretained: valid while the snapshot is.
    @usableFromInline
    package mutating func next() -> Unmanaged<RecordBox>? {
        guard let entry = nextEntry() else { return nil }
        return source.record(entry, in: records)
    }

    /// The records of the next entries, as many as there is room for. Unretained: valid while the snapshot is.
    ///
    /// Nothing is counted between two of them, so that the processor fetches several entries at once.
    /// - Returns: how many there were; fewer than there is room for only at the end.
    package mutating func fill(_ batch: UnsafeMutableBufferPointer<Unmanaged<RecordBox>>) -> Int {
        let (source, records) = (source, records)
        var count = 0
        while count < batch.count, let entry = nextEntry() {
            batch.initializeElement(at: count, to: source.record(entry, in: records))
            count += 1
        }
        return count
    }
}

/// Ranges of positions, ascending and apart from one another. One of them, as nearly always, needs no array.
@usableFromInline
package struct IndexRanges: Sendable {
    package let first: Range<Int>
    package let rest: [Range<Int>]
    @usableFromInline package let count: Int

    package init(_ range: Range<Int>) {
        first = range
        rest = []
        count = range.count
    }

    package init(_ ranges: [Range<Int>]) {
        let ranges = ranges.filter { !$0.isEmpty }
        first = ranges.first ?? 0..<0
        rest = Array(ranges.dropFirst())
        count = ranges.reduce(0) { $0 + $1.count }
    }

    package var all: [Range<Int>] { [first] + rest }

    /// The position of the entry at an offset.
    func position(at offset: Int) -> Int {
        precondition(offset >= 0, "offset \(offset) is outside of \(0..<count)")
        if offset < first.count { return first.lowerBound + offset }
        var left = offset - first.count
        for range in rest {
            if left < range.count { return range.lowerBound + left }
            left -= range.count
        }
        preconditionFailure("offset \(offset) is outside of \(0..<count)")
    }

    /// The offset of the entry at a position, if it is among them.
    func offset(of position: Int) -> Int? {
        var before = 0
        for range in all {
            if range.contains(position) { return before + position - range.lowerBound }
            before += range.count
        }
        return nil
    }

    /// Those from one offset up to another.
    func slice(_ offsets: Range<Int>) -> IndexRanges {
        var before = 0
        return IndexRanges(
            all.map { range in
                defer { before += range.count }
                let low = min(max(offsets.lowerBound - before, 0), range.count)
                let high = min(max(offsets.upperBound - before, 0), range.count)
                return range.lowerBound + low..<range.lowerBound + high
            })
    }
}
