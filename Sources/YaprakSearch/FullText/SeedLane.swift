import YaprakCore

/// What one thread gathers of an index that is made: the terms of some documents, in the order of their numbers.
///
/// Most of the time goes by with waiting for the slots of rare terms. So some terms are collected first, and their slots are
/// fetched at once. As for exclusivity see ``ByteBuffer``.
final class SeedLane: @unchecked Sendable {
    // One thread's at a time; that is the whole of the @unchecked.
    private struct Pending {
        let probe: TermTable.Probe
        let place: UInt32
    }

    private static let pendingMax = 32

    private let terms: DocumentTerms
    private let texts: RecordTexts
    private let table = TermTable(capacity: 1 << 14)
    private let pending = UnsafeMutablePointer<Pending>.allocate(capacity: pendingMax)
    /// The bytes of those, each in a place of its own.
    private let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: pendingMax * WordScanner.termBytesMax)
    @exclusivity(unchecked)
    private var pendingCount = 0
    /// The terms of all documents, by the numbers of the table; those of each in the order of its columns.
    @exclusivity(unchecked)
    private var placed: [PlacedTerm] = []
    /// The number of each document, and where its terms end.
    @exclusivity(unchecked)
    private var documents: [(number: UInt32, end: Int)] = []

    /// Hands over the texts of a record's columns.
    typealias RecordTexts = (_ record: RecordBox, _ column: (Int, String) -> Void) -> Void

    init(_ terms: DocumentTerms, _ texts: @escaping RecordTexts) {
        self.terms = terms
        self.texts = texts
    }

    deinit {
        pending.deallocate()
        bytes.deallocate()
    }

    /// The number of terms of all documents.
    var termCount: Int { placed.count + pendingCount }

    /// Adds a document, and returns how many terms it has.
    func add(_ number: UInt32, _ record: RecordBox) -> Int {
        var count = 0
        texts(record) { column, text in
            count += terms.split(text, column: column) { term, place in
                (pending + pendingCount).initialize(to: Pending(probe: table.fetch(term), place: place))
                (bytes + pendingCount * WordScanner.termBytesMax)
                    .update(from: term.baseAddress.unsafelyUnwrapped, count: term.count)
                pendingCount &+= 1
                if pendingCount == Self.pendingMax { look() }
            }
        }
        documents.append((number, termCount))
        return count
    }

    /// Looks for the terms that are pending.
    private func look() {
        for index in 0..<pendingCount {
            let item = pending[index]
            let term = UnsafeBufferPointer(
                start: UnsafePointer(bytes) + index * WordScanner.termBytesMax, count: item.probe.count)
            placed.append(PlacedTerm(term: table.number(of: term, item.probe), place: item.place))
        }
        pendingCount = 0
    }

    /// The postings of all documents, which are forgotten. O(terms + different terms · log of their number).
    func takePostings() -> LanePostings {
        look()
        defer { (placed, documents) = ([], []) }
        return LanePostings(table, placed, documents)
    }
}
