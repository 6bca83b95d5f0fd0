import YaprakCBOR
package import YaprakModel

/// A commit read back from the log, without the program's types. See ``CommitEncoder`` for the form.
package struct LoggedCommit: Sendable {
    package var number: CommitNumber = .zero
    package var nanoseconds: Int64 = 0
    package var origin = ""
    /// The info as one CBOR item.
    package var info: [UInt8]?
    package var clearedAll = false
    package var collections: [LoggedCollection] = []
    package var steps: [LoggedStep] = []
    package var histories: [LoggedHistory] = []

    /// What a commit did to one collection.
    package struct LoggedCollection: Sendable {
        package var name: String
        package var version: Int
        package var isCleared: Bool
        package var operations: [LoggedOperation]
    }

    /// What a commit did to one record; object and metadata as one CBOR item each.
    package struct LoggedOperation: Sendable {
        package var key: String
        package var kinds: ChangeKinds
        /// Whether `metadata` is what the record has afterwards, also where it is none.
        package var setsMetadata: Bool
        package var object: ArraySlice<UInt8>?
        package var metadata: ArraySlice<UInt8>?
    }

    /// A step of a primary extension, as one CBOR item.
    package struct LoggedStep: Sendable {
        package var name: String
        package var step: [UInt8]
    }

    /// What a commit did to a derived extension that logs it.
    package struct LoggedHistory: Sendable {
        package var name: String
        package var versionTag: String
        /// One CBOR item, `undefined` if the commit does not say; `nil` if nothing changed.
        package var item: [UInt8]?

        /// Whether the commit says that something changed, and not what.
        package var isUnknown: Bool { item == [0xf7] }
    }

    /// Reads a commit.
    /// - Throws: `CBORError`, or `corruptLog`, if the bytes are not a commit within the bounds of the format. They were
    ///   proven by their checksum before they came here, so that is a fault of the program that wrote them, or a newer form.
    package init(_ item: UnsafeRawBufferPointer) throws {
        // One copy for the whole commit, which its operations share.
        try self.init([UInt8](item)[...])
    }

    package init(_ item: ArraySlice<UInt8>) throws {
        self = try item.withUnsafeBytes { bytes in
            var reader = CommitReader(reader: CBORReader(bytes), item: item)
            return try reader.readCommit()
        }
    }

    fileprivate init() {}
}

extension ChangeKinds {
    /// The kinds that there are.
    fileprivate static let all = updates.union([.inserted, .removed])
}

/// Reads commits; unknown fields are skipped, so that a later minor version may add some.
private struct CommitReader {
    var reader: CBORReader
    let item: ArraySlice<UInt8>
    /// Operations, steps and histories so far: the memory of a commit is bounded by them, not by its bytes.
    private var elements = 0

    init(reader: CBORReader, item: ArraySlice<UInt8>) {
        self.reader = reader
        self.item = item
    }

    mutating func readCommit() throws -> LoggedCommit {
        var commit = LoggedCommit()
        for _ in 0..<(try count(reader.readMapHead())) {
            switch try reader.readText() {
            case CommitField.collections:
                let count = try count(reader.readArrayHead())
                guard count <= DatabaseLimits.collectionsMax else { throw malformed("it names \(count) collections") }
                for _ in 0..<count {
                    let collection = try readCollection()
                    // What earlier builds wrote under such names is nobody's.
                    if collection.name.utf8.first != 0 { commit.collections.append(collection) }
                }
            case CommitField.info: commit.info = [UInt8](try slice())
            case CommitField.number: commit.number = CommitNumber(try reader.readUnsigned())
            case CommitField.origin: commit.origin = try reader.readText()
            case CommitField.time: commit.nanoseconds = try reader.readInteger(as: Int64.self)
            case CommitField.steps:
                for _ in 0..<(try countElements(reader.readArrayHead())) {
                    try expect(reader.readArrayHead(), 2...2)
                    commit.steps.append(.init(name: try readName(), step: [UInt8](try slice())))
                }
            case CommitField.histories:
                for _ in 0..<(try countElements(reader.readArrayHead())) {
                    let parts = try expect(reader.readArrayHead(), 2...3)
                    commit.histories.append(
                        .init(
                            name: try readName(), versionTag: try reader.readText(),
                            item: parts == 3 ? [UInt8](try slice()) : nil))
                }
            case CommitField.clearedAll: commit.clearedAll = try reader.readBool()
            default: try reader.skip()
            }
        }
        return commit
    }

    private mutating func readCollection() throws -> LoggedCommit.LoggedCollection {
        try expect(reader.readArrayHead(), 4...4)
        let name = try readName()
        let version = try reader.readInteger(as: Int64.self)
        var collection = LoggedCommit.LoggedCollection(
            name: name, version: Int(version), isCleared: try reader.readBool(), operations: [])
        let count = try countElements(reader.readArrayHead())
        // No more room than the bytes that are left can fill, whatever the count says.
        collection.operations.reserveCapacity(min(count, (reader.bytes.count - reader.position) / 3))
        for _ in 0..<count { collection.operations.append(try readOperation()) }
        return collection
    }

    private mutating func readOperation() throws -> LoggedCommit.LoggedOperation {
        var parts = try expect(reader.readArrayHead(), 2...4) - 2
        let key = try reader.readText()
        guard key.utf8.count <= DatabaseLimits.storedKeyBytesMax else {
            throw malformed("a key has \(key.utf8.count) bytes")
        }
        let bits = try reader.readUnsigned()
        let isWhole = bits & CommitField.wholeRecord != 0
        guard let low = UInt8(exactly: bits & ~CommitField.wholeRecord), low & ~ChangeKinds.all.rawValue == 0 else {
            throw malformed("kinds are \(bits)")
        }
        let kinds = ChangeKinds(rawValue: low)
        var operation = LoggedCommit.LoggedOperation(
            key: key, kinds: kinds, setsMetadata: isWhole || !kinds.isDisjoint(with: [.inserted, .metadataChanged]))
        if parts > 0, isWhole || !kinds.isDisjoint(with: [.inserted, .objectChanged]) {
            operation.object = try slice()
            parts -= 1
        }
        if parts > 0, operation.setsMetadata {
            operation.metadata = try slice()
            parts -= 1
        }
        guard parts == 0 else { throw malformed("an operation has more parts than its kinds say") }
        let isSet = isWhole || !kinds.isDisjoint(with: [.inserted, .objectChanged])
        guard !isSet || operation.object != nil || kinds.contains(.removed) else {
            throw malformed("an operation sets an object and has none")
        }
        return operation
    }

    /// The next item, as part of the commit's own bytes.
    private mutating func slice() throws -> ArraySlice<UInt8> {
        let start = reader.position
        try reader.skip()
        return item[(item.startIndex + start)..<(item.startIndex + reader.position)]
    }

    private mutating func readName() throws -> String {
        let name = try reader.readText()
        guard name.utf8.count <= DatabaseLimits.storedNameBytesMax else {
            throw malformed("a name has \(name.utf8.count) bytes")
        }
        return name
    }

    private mutating func countElements(_ head: Int?) throws -> Int {
        let count = try count(head)
        let (sum, overflow) = elements.addingReportingOverflow(count)
        guard !overflow, sum <= DatabaseLimits.elementsMax(inCommitOf: item.count) else {
            throw malformed("\(count) operations are more than a commit of \(item.count) bytes may have")
        }
        elements = sum
        return count
    }

    private func count(_ head: Int?) throws -> Int {
        guard let head else { throw malformed("a length is missing") }
        return head
    }

    @discardableResult
    private func expect(_ head: Int?, _ range: ClosedRange<Int>) throws -> Int {
        let count = try count(head)
        guard range.contains(count) else { throw malformed("an array has \(count) elements") }
        return count
    }

    private func malformed(_ what: String) -> DatabaseError {
        DatabaseError(.corruptLog, "a commit is not in the form of this version: \(what). Run `yaprak verify`.")
    }
}
