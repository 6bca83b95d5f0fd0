import Foundation

/// Documents in ascending order, one at a time: what a part of a query matches.
///
/// No access to a field of a cursor lasts longer than a step of its own code, so they go without the runtime's exclusivity
/// checks.
class DocumentCursor {
    /// The document at hand; ``end`` behind the last.
    @exclusivity(unchecked)
    final var document: UInt32 = 0

    static let end = UInt32.max

    /// Goes to the first document that is not less than `target`. Never goes back.
    func seek(_ target: UInt32) { fatalError("abstract") }

    /// Says that the lengths of all documents it goes to will be asked for.
    func fetchLengths(_ lengths: DocumentLengths) {}

    /// What the document at hand has of the rank, given its length relative to the mean.
    func score(_ norm: Double) -> Double { fatalError("abstract") }
}

/// How much a term is worth, and how much of it a document has: BM25 (Robertson, Zaragoza: The Probabilistic Relevance
/// Framework, 2009), with an inverse document frequency that is never negative.
struct Rank {
    static let k1 = 1.2
    static let b = 0.75

    /// The inverse document frequency, for each time that the query has the term.
    private let idf: Double

    init(documents: Int, matching: Int, times: Int = 1) {
        let (all, found) = (Double(documents), Double(matching))
        idf = log(1 + (all - found + 0.5) / (found + 0.5)) * Double(times)
    }

    /// - Parameters:
    ///   - frequency: how often it stands in the document, times the weight of each column.
    ///   - norm: ``norm(length:mean:)`` of the document.
    @inline(__always)
    func score(_ frequency: Double, _ norm: Double) -> Double {
        idf * (frequency * (Self.k1 + 1)) / (frequency + norm)
    }

    @inline(__always)
    static func norm(length: UInt32, mean: Double) -> Double {
        k1 * (1 - b + b * Double(length) / mean)
    }
}

/// Cursors that are walked together. Each is owned; walking them retains none.
struct CursorList<Cursor: DocumentCursor> {
    private let cursors: ContiguousArray<Cursor>

    init(_ cursors: ContiguousArray<Cursor>) { self.cursors = cursors }

    var count: Int { cursors.count }

    /// Lets `body` look at a cursor.
    @inline(__always)
    func with<Result>(_ index: Int, _ body: (Cursor) -> Result) -> Result {
        // The list owns the cursor while `body` runs, so no reference is counted.
        assert(index < count, "cursor \(index) of \(count)")
        return cursors.withUnsafeBufferPointer { cursors in
            cursors.withMemoryRebound(to: Unmanaged<Cursor>.self) { $0[index]._withUnsafeGuaranteedRef(body) }
        }
    }

    /// Takes all to the first document that is not less than `target` and that all of them have.
    /// - Parameter isGivenUp: asked for each document that one of them does not have.
    /// - Returns: the document; ``DocumentCursor/end`` if there is none, or it is given up.
    @inline(__always)
    func seek(_ target: UInt32, isGivenUp: () -> Bool = { false }) -> UInt32 {
        var target = target
        var agreeing = 0
        var at = 0
        while agreeing < count {
            let document = with(at) { cursor in
                if cursor.document < target { cursor.seek(target) }
                return cursor.document
            }
            if document == DocumentCursor.end { return document }
            if document == target {
                agreeing &+= 1
            } else if isGivenUp() {
                return DocumentCursor.end
            } else {
                agreeing = 1
            }
            target = document
            at = at &+ 1 == count ? 0 : at &+ 1
        }
        return target
    }
}

/// Documents that were found before, with how often.
final class ListCursor: DocumentCursor {
    private let documents: [UInt32]
    private let frequencies: [Double]
    private let rank: Rank
    @exclusivity(unchecked)
    private var index = 0

    init(_ found: FoundDocuments, _ rank: Rank) {
        documents = found.documents
        frequencies = found.frequencies
        self.rank = rank
        super.init()
        seek(0)
    }

    override func seek(_ target: UInt32) {
        // Targets ascend: steps that double from where it is.
        var step = 1
        while index &+ step < documents.count, documents[index &+ step] < target {
            index &+= step
            step &*= 2
        }
        while index < documents.count, documents[index] < target { index &+= 1 }
        document = index < documents.count ? documents[index] : Self.end
    }

    override func score(_ norm: Double) -> Double { rank.score(frequencies[index], norm) }
}

/// Documents that a part of a query matches, ascending, and how often, times the weights of the columns.
struct FoundDocuments {
    var documents: [UInt32] = []
    var frequencies: [Double] = []

    mutating func append(_ document: UInt32, _ frequency: Double) {
        documents.append(document)
        frequencies.append(frequency)
    }
}

/// Asks now and then whether anybody waits for what a cursor finds: one call of its `seek` may pass over all documents.
struct CancellationCheck {
    private let isCancelled: (() -> Bool)?
    private var passedCount: UInt32 = 0

    init(_ isCancelled: (() -> Bool)?) { self.isCancelled = isCancelled }

    /// Counts a document that is skipped. Asks once for ``FullTextSearch/cancellationStride`` of them.
    /// - Returns: whether nobody waits any more.
    @inline(__always)
    mutating func passAndAsk() -> Bool {
        passedCount &+= 1
        return passedCount % FullTextSearch.cancellationStride == 0 && isCancelled?() == true
    }

    /// Counts several documents. Asks where they end a stretch of ``FullTextSearch/cancellationStride``.
    /// - Returns: whether nobody waits any more.
    mutating func passAndAsk(_ count: Int) -> Bool {
        let stretch = passedCount / FullTextSearch.cancellationStride
        passedCount &+= UInt32(truncatingIfNeeded: count)
        return passedCount / FullTextSearch.cancellationStride != stretch && isCancelled?() == true
    }
}

/// Documents that all of several cursors have.
final class AllCursor: DocumentCursor {
    private let parts: CursorList<DocumentCursor>
    @exclusivity(unchecked)
    private var cancellation: CancellationCheck

    init(_ parts: ContiguousArray<DocumentCursor>, _ cancellation: CancellationCheck) {
        self.parts = CursorList(parts)
        self.cancellation = cancellation
        super.init()
        seek(0)
    }

    override func seek(_ target: UInt32) {
        document = parts.seek(target) { cancellation.passAndAsk() }
    }

    override func score(_ norm: Double) -> Double {
        var sum = 0.0
        for index in 0..<parts.count { sum += parts.with(index) { $0.score(norm) } }
        return sum
    }
}

/// Documents that any of several cursors has. Each step looks at all of them, which takes the least time where they are few.
final class AnyCursor: DocumentCursor {
    /// Of a query with more alternatives than these, an ``AnyOfManyCursor`` walks them.
    static let alternativesMax = 16

    private let parts: CursorList<DocumentCursor>

    init(_ parts: ContiguousArray<DocumentCursor>) {
        self.parts = CursorList(parts)
        super.init()
        seek(0)
    }

    override func seek(_ target: UInt32) {
        var first = Self.end
        for index in 0..<parts.count {
            parts.with(index) { part in
                if part.document < target { part.seek(target) }
                first = min(first, part.document)
            }
        }
        document = first
    }

    override func score(_ norm: Double) -> Double {
        var sum = 0.0
        for index in 0..<parts.count {
            parts.with(index) { if $0.document == document { sum += $0.score(norm) } }
        }
        return sum
    }
}

/// Documents that one cursor has and another does not.
final class ExclusionCursor: DocumentCursor {
    private let wanted: DocumentCursor
    let unwanted: DocumentCursor
    @exclusivity(unchecked)
    private var cancellation: CancellationCheck

    init(_ wanted: DocumentCursor, without unwanted: DocumentCursor, _ cancellation: CancellationCheck) {
        self.wanted = wanted
        self.unwanted = unwanted
        self.cancellation = cancellation
        super.init()
        seek(0)
    }

    override func seek(_ target: UInt32) {
        if wanted.document < target { wanted.seek(target) }
        while wanted.document < Self.end {
            if unwanted.document < wanted.document { unwanted.seek(wanted.document) }
            if unwanted.document != wanted.document { break }
            if cancellation.passAndAsk() {
                document = Self.end
                return
            }
            wanted.seek(wanted.document + 1)
        }
        document = wanted.document
    }

    override func score(_ norm: Double) -> Double { wanted.score(norm) }
}
