package import YaprakCore
package import YaprakTrees

/// What an index is, without the types of its records: immutable, and part of each of its roots.
package final class IndexConfiguration: Sendable {
    /// No other has it. What remembers something of an index goes by it, and does not keep the closures of its columns.
    package let identity = ViewIdentity.next()
    package let name: String
    /// That of the program, and what of the index decides over its entries.
    let versionTag: String
    package let collection: CollectionTypes
    package let columns: [ColumnRule]
    package let isUnique: Bool
    package let holdsRecords: Bool
    let isPersistent: Bool
    /// Whether some records have more entries than one, or none.
    package let isMultiple: Bool
    /// The type of the only column of a unique index, if it ascends: the bytes of a value are the key of its entry.
    let uniqueType: IndexType?
    /// The parts of a record that its columns read.
    let reads: Aspects
    /// Whether its columns say the same of the same record each time, for sure: no code of the program takes part.
    let isPure: Bool
    /// Whether it keeps a list of each record's entries: its columns can't be asked for them again.
    let remembersEntries: Bool
    /// Whether an entry may not be where its columns say, so that the number of entries has to be looked at.
    let mayMissEntries: Bool

    static let columnsMax = 5

    init(
        _ name: String, versionTag: String, of collection: CollectionTypes, _ columns: [ColumnRule],
        isUnique: Bool, holdsRecords: Bool, isPersistent: Bool
    ) {
        precondition(
            (1...Self.columnsMax).contains(columns.count),
            "index \"\(name)\" has \(columns.count) columns; 1 to 5 are allowed")
        precondition(
            columns.count(where: \.isMultiple) <= 1, "index \"\(name)\" has two columns of several values; 1 is allowed"
        )
        self.name = name
        self.collection = collection
        self.columns = columns
        self.isUnique = isUnique
        self.holdsRecords = holdsRecords
        self.isPersistent = isPersistent
        isMultiple = columns.contains(where: \.isMultiple)
        let only = isUnique && columns.count == 1 ? columns[0] : nil
        uniqueType = only.flatMap { $0.isDescending || $0.type.optionals > 0 ? nil : $0.type }
        reads = columns.reduce(into: []) { $0.formUnion($1.reads) }
        isPure = columns.allSatisfy(\.isPure)
        remembersEntries = isMultiple && !isPure
        mayMissEntries = !isMultiple && !isPure
        let parts = columns.map { "\($0.type)\($0.isMultiple ? "*" : "")\($0.isDescending ? "-" : "+")" }
        self.versionTag =
            "\(versionTag)|\(parts.joined(separator: ","))|\(isUnique ? "unique" : "")|\(holdsRecords ? "records" : "keys")"
    }

    // MARK: Bytes of columns

    /// Whether two records have the same entries for sure, apart from what these hold.
    func haveSameEntries(_ a: RecordBox, _ b: RecordBox) -> Bool {
        // By number: a loop over the columns counts a reference to each.
        var number = 0
        while number < columns.count {
            if !columns[number].isSame(a, b) { return false }
            number += 1
        }
        return true
    }

    /// Whether a record keeps its entries.
    func isUnconcerned(by entry: ChangeEntry) -> Bool {
        guard let before = entry.before, let after = entry.after, !(before is RawRecord), !(after is RawRecord) else {
            return false
        }
        return isUnconcerned(by: entry.kinds, before, after)
    }

    /// The same of one with objects before and after: a part of it changed that no column reads, or its values are the same.
    func isUnconcerned(by kinds: ChangeKinds, _ before: RecordBox, _ after: RecordBox) -> Bool {
        !reads.concerns(kinds) || haveSameEntries(before, after)
    }

    /// Writes the columns of a record.
    /// - Returns: whether one of them is `nil`.
    func writeColumns(of record: RecordBox, to writer: inout IndexKeyWriter) -> Bool {
        var hasNil = false
        var number = 0
        while number < columns.count {
            if columns[number].append(record, to: &writer) { hasNil = true }
            number += 1
        }
        return hasNil
    }

    /// Hands over the columns of each entry of a record, and whether one is `nil`. An entry may come several times; two that
    /// differ never have the same value of a column of several.
    func forEachEntry(
        of record: RecordBox, _ writer: inout IndexKeyWriter, _ body: (inout IndexKeyWriter, _ hasNil: Bool) -> Void
    ) {
        writer.removeAll()
        if isMultiple { return write(column: 0, of: record, false, to: &writer, body) }
        let hasNil = writeColumns(of: record, to: &writer)
        body(&writer, hasNil)
    }

    /// The columns of each entry of a record, and whether one of them is `nil`.
    func entries(of record: RecordBox, _ writer: inout IndexKeyWriter) -> [[UInt8]: Bool] {
        var entries: [[UInt8]: Bool] = [:]
        forEachEntry(of: record, &writer) { entries[$0.array] = $1 }
        return entries
    }

    private func write(
        column number: Int, of record: RecordBox, _ hasNil: Bool, to writer: inout IndexKeyWriter,
        _ body: (inout IndexKeyWriter, Bool) -> Void
    ) {
        guard number < columns.count else { return body(&writer, hasNil) }
        let column = columns[number]
        let start = writer.count
        // A column behind these values may be code, and say something else each time that it is asked. So each value is handed
        // on once, however often it comes: a record has one entry with it.
        let isOnce = remembersEntries && column.isMultiple && number + 1 < columns.count
        var seen: Set<[UInt8]> = []
        column.write(record, &writer) { writer in
            if isOnce, !seen.insert(Array(writer.bytes[start...])).inserted { return }
            let isNil = column.finish(from: start, in: &writer)
            write(column: number + 1, of: record, hasNil || isNil, to: &writer, body)
        }
    }

    // MARK: Entries

    /// The entry of a record. The entries of a unique index differ by their columns; those of any other, and those without
    /// all of their values, by the key of the record as well.
    func entry(_ key: UnsafeBufferPointer<UInt8>, _ record: RecordBox) -> TreeRow {
        holdsRecords ? RecordEntry.make(key, record) : KeyEntry.make(key, record.key)
    }

    func recordKey(_ entry: TreeRow) -> String {
        holdsRecords
            ? unsafeDowncast(entry, to: RecordEntry.self).record.key
            : unsafeDowncast(entry, to: KeyEntry.self).recordKey
    }

    /// Whether the key of an entry has nothing behind its columns.
    func hasColumnsOnly(_ entry: TreeRow) -> Bool {
        entry.withKey { bytes in
            var reader = IndexKeyReader(bytes)
            return columns.allSatisfy { reader.skip($0) } && reader.isAtEnd
        }
    }

    /// The same entry under another key.
    func copy(_ entry: TreeRow, key: UnsafeBufferPointer<UInt8>) -> TreeRow {
        holdsRecords
            ? RecordEntry.make(key, unsafeDowncast(entry, to: RecordEntry.self).record)
            : KeyEntry.make(key, unsafeDowncast(entry, to: KeyEntry.self).recordKey)
    }
}

// What walks entries in order asks for.
extension IndexConfiguration {
    /// The bytes of some columns of a record, none of them of elements.
    package func columnBytes(_ numbers: Range<Int>, of record: RecordBox) -> [UInt8] {
        var writer = IndexKeyWriter()
        for column in columns[numbers] { _ = column.append(record, to: &writer) }
        return writer.array
    }

    /// The bytes of the first columns of an entry.
    package func columnBytes(_ count: Int, in entry: TreeRow) -> [UInt8] {
        entry.withKey { bytes in
            var reader = IndexKeyReader(bytes)
            for column in columns.prefix(count) { guard reader.skip(column) else { break } }
            return Array(bytes.prefix(reader.position))
        }
    }

    /// Whether a record has what the first columns of an entry have; nothing is asked of a column of elements.
    package func hasFixedColumns(_ count: Int, of entry: TreeRow, _ record: RecordBox) -> Bool {
        entry.withKey { bytes in
            var reader = IndexKeyReader(bytes)
            for number in 0..<count {
                let start = reader.position
                guard reader.skip(columns[number]) else { return false }
                if columns[number].isMultiple { continue }
                let own = columnBytes(number..<number + 1, of: record)
                if !own.elementsEqual(bytes[start..<reader.position]) { return false }
            }
            return true
        }
    }

    /// Whether an entry has the first columns of another, given as bytes.
    package func hasColumns(_ columns: [UInt8], _ entry: TreeRow) -> Bool {
        columns.withUnsafeBufferPointer { entry.hasKey(beginningWith: $0) }
    }
}

extension ColumnRule {
    /// Writes the only value of a record, as an entry has it.
    /// - Returns: whether it is missing.
    fileprivate func append(_ record: RecordBox, to writer: inout IndexKeyWriter) -> Bool {
        let start = writer.count
        writeOne(record, &writer)
        return finish(from: start, in: &writer)
    }

    /// Turns a value round where large ones come first.
    /// - Returns: whether it is missing.
    fileprivate func finish(from start: Int, in writer: inout IndexKeyWriter) -> Bool {
        let isNil = type.optionals > 0 && writer.bytes[start...].prefix(type.optionals).contains(1)
        if isDescending { writer.invert(from: start, isText: type.isText) }
        return isNil
    }
}

extension IndexKeyWriter {
    /// The key of a record, behind the columns.
    mutating func append(key: String) {
        if key.utf8.withContiguousStorageIfAvailable({ append($0) }) == nil { append(Array(key.utf8)) }
    }
}
