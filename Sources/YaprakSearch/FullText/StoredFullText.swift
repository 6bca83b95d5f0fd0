import YaprakCBOR
import YaprakTrees

/// An index as it is stored: its pages one after the other, and the numbers of the documents.
struct StoredFullText: Codable {
    /// What is stored does not match the records, or itself.
    struct SchemaMismatch: Error {}

    /// The form of what follows.
    var form = 1
    /// A hash of the collection's name and of all keys: the numbers are those of these records.
    var keys: UInt64
    /// The number of each record, in the order of keys; four bytes each, the low ones first.
    var numbers: [UInt8]
    /// The length of each record in the same order.
    var lengths: [UInt8]
    /// Numbers that are or were given.
    var capacity: Int
    /// The size of each page.
    var pageSizes: [UInt8]
    var pages: [UInt8]

    init(_ root: FullTextRoot, ofCollectionNamed collectionName: String) {
        capacity = root.capacity
        var hash = KeyHash(collectionName)
        var numbers: [UInt8] = []
        var lengths: [UInt8] = []
        root.keys.forEach { row in
            hash.add(row.keyString)
            let number = unsafeDowncast(row, to: DocumentRow.self).number
            numbers.append(fourBytesOf: number)
            lengths.append(fourBytesOf: root.length(of: number))
        }
        var sizes: [UInt8] = []
        var pages: [UInt8] = []
        root.pages.forEach { row in
            let page = unsafeDowncast(row, to: PostingPage.self)
            guard page.count > 0 else { return }
            sizes.append(fourBytesOf: UInt32(page.count))
            pages.append(contentsOf: UnsafeBufferPointer(start: page.bytes, count: page.count))
        }
        keys = hash.value
        self.numbers = numbers
        self.lengths = lengths
        pageSizes = sizes
        self.pages = pages
    }

    init(decoding bytes: [UInt8]) throws {
        self = try CBORDecoder().decode(Self.self, from: bytes)
        guard form == 1 else { throw SchemaMismatch() }
    }

    func encoded() throws -> [UInt8] { try CBOREncoder().encode(self) }

    /// The root over the records there are.
    ///
    /// Everything that a reader relies on is checked before anything is built: what a checkpoint has may be of other records,
    /// and its bytes may be anything.
    /// - Parameters:
    ///   - collectionName: the name of their collection: another one may have the same keys.
    ///   - keys: the keys of the records, ascending.
    /// - Throws: ``SchemaMismatch``, or what is wrong with a page.
    func root(
        ofCollectionNamed collectionName: String, keys recordKeys: [String], columnCount: Int, draft: TreeDraft
    ) throws -> FullTextRoot {
        var hash = KeyHash(collectionName)
        for key in recordKeys { hash.add(key) }
        guard hash.value == keys, numbers.count == 4 * recordKeys.count, lengths.count == numbers.count,
            (recordKeys.count...FullTextRoot.documentsMax).contains(capacity), pageSizes.count % 4 == 0,
            // Numbers are given again, so there are not many more than there were records at some time.
            capacity <= 64 * (recordKeys.count + 1 << 16)
        else { throw SchemaMismatch() }
        let numbers = numbers.numbersOfFourBytes
        var values = [UInt32](repeating: LengthPage.freeBit, count: capacity)
        var root = FullTextRoot()
        for (number, length) in zip(numbers, lengths.numbersOfFourBytes) {
            guard number < capacity, values[Int(number)] == LengthPage.freeBit, length < LengthPage.freeBit else {
                throw SchemaMismatch()
            }
            values[Int(number)] = length
            root.termCount += Int(length)
        }
        let made = try makePages(values)
        for number in values.indices.reversed() where values[number] == LengthPage.freeBit {
            values[number] |= root.firstFree
            root.firstFree = UInt32(number) + 1
        }
        root.capacity = capacity
        root.documentCount = recordKeys.count
        root.pages = draft.tree(ofAscending: made)
        let rows = zip(recordKeys, numbers).map { DocumentRow(key: $0, number: $1) }
        (root.keys, root.blocks, root.lengths) = Documents(rows: rows, lengths: values, draft: draft).makeTrees()
        return root
    }

    private func makePages(_ values: [UInt32]) throws -> [PostingPage] {
        var made: [PostingPage] = []
        var check = PageCheck()
        var start = 0
        try pages.withUnsafeBufferPointer { pages in
            for size in pageSizes.numbersOfFourBytes {
                guard size > 0, Int(size) <= pages.count - start else { throw SchemaMismatch() }
                let page = UnsafeBufferPointer(rebasing: pages[start..<start + Int(size)])
                let key = try check.check(page, values)
                made.append(
                    PostingPage.make(
                        .key(made.isEmpty ? "" : key), bytes: page.baseAddress.unsafelyUnwrapped, count: page.count))
                start += Int(size)
            }
            guard start == pages.count else { throw SchemaMismatch() }
        }
        return made
    }
}

/// A hash of a collection's name and of keys in their order (FNV-1a).
private struct KeyHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    init(_ collectionName: String) { add(collectionName) }

    mutating func add(_ key: String) {
        for byte in key.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
        value = (value ^ 0xFF) &* 0x100_0000_01B3
    }
}

extension [UInt8] {
    fileprivate mutating func append(fourBytesOf number: UInt32) {
        for shift in [0, 8, 16, 24] as [UInt32] { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    fileprivate var numbersOfFourBytes: [UInt32] {
        withUnsafeBytes { bytes in
            (0..<count / 4).map { UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)) }
        }
    }
}
