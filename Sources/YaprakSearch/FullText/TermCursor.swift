/// All documents of one term, read from its runs: a run at once, so that their lengths are fetched before they are asked for.
final class TermCursor: DocumentCursor {
    private let runs: [PostingRun]
    private let rank: Rank
    @exclusivity(unchecked)
    private var run = 0
    @exclusivity(unchecked)
    private var index = 0
    @exclusivity(unchecked)
    private var decoded = -1
    private let numbers: UnsafeMutablePointer<UInt32>
    /// Behind the numbers, in the same memory.
    private let occurrences: UnsafeMutablePointer<UInt32>
    @exclusivity(unchecked)
    private var lengths: DocumentLengths?

    init(_ runs: [PostingRun], documents: Int, times: Int) {
        numbers = .allocate(capacity: 2 * PostingRun.documentsMax)
        occurrences = numbers + PostingRun.documentsMax
        self.runs = runs
        rank = Rank(documents: documents, matching: runs.reduce(0) { $0 + $1.count }, times: times)
        super.init()
        seek(0)
    }

    deinit { numbers.deallocate() }

    override func seek(_ target: UInt32) {
        while run < runs.count, runs[run].last < target { run &+= 1 }
        guard run < runs.count else {
            document = Self.end
            return
        }
        if decoded != run {
            runs[run].decode(numbers, occurrences)
            decoded = run
            index = 0
            lengths?.fetch(numbers, runs[run].count)
        }
        // A field is written at each step; a variable is not.
        var at = index
        while numbers[at] < target { at &+= 1 }
        index = at
        document = numbers[at]
    }

    override func fetchLengths(_ lengths: DocumentLengths) {
        self.lengths = lengths
        if document != Self.end { lengths.fetch(numbers, runs[run].count) }
    }

    override func score(_ norm: Double) -> Double { rank.score(Double(occurrences[index]), norm) }
}

/// Documents of terms, and the places where these stand in each.
class PlaceCursor: DocumentCursor {
    /// The number of documents, or of places where that is not known.
    let count: Int

    init(count: Int) { self.count = count }

    /// Adds the places in the document at hand, ascending.
    func readPlaces(into places: PlaceList) { fatalError("abstract") }
}

/// Documents of one term, where others say which: runs before the one that is sought are not decoded, and that one as far as it
/// has to be.
final class SkippingTermCursor: PlaceCursor {
    private let runs: [PostingRun]
    private let rank: Rank
    @exclusivity(unchecked)
    private var run = 0
    /// The run that is being read.
    @exclusivity(unchecked)
    private var entered = -1
    @exclusivity(unchecked)
    private var reader = ByteReader(UnsafePointer(bitPattern: 1)!)
    /// How often the term stands in the document at hand.
    @exclusivity(unchecked)
    private var occurrences: UInt32 = 0
    @exclusivity(unchecked)
    private var positions = ByteReader(UnsafePointer(bitPattern: 1)!)
    /// How many places there are from where the positions were read to those of the document at hand.
    @exclusivity(unchecked)
    private var passed: UInt32 = 0

    init(_ runs: [PostingRun], documents: Int, times: Int = 1) {
        self.runs = runs
        let count = runs.reduce(0) { $0 + $1.count }
        rank = Rank(documents: documents, matching: count, times: times)
        super.init(count: count)
        seek(0)
    }

    override func seek(_ target: UInt32) {
        while run < runs.count, runs[run].last < target { run &+= 1 }
        guard run < runs.count else {
            document = Self.end
            return
        }
        var (number, count, passed) = (document, occurrences, passed)
        var reader = reader
        if entered != run {
            entered = run
            number = runs[run].first
            passed = 0
            reader = ByteReader(runs[run].documents)
            positions = ByteReader(runs[run].positions)
            if runs[run].count == 1 {
                count = reader.number()
            } else {
                Self.step(&reader, &number, &count)
            }
        }
        // The last document of the run is not less.
        while number < target {
            passed &+= count
            Self.step(&reader, &number, &count)
        }
        self.reader = reader
        self.passed = passed
        occurrences = count
        document = number
    }

    @inline(__always)
    private static func step(_ reader: inout ByteReader, _ number: inout UInt32, _ occurrences: inout UInt32) {
        let difference = reader.number()
        number &+= difference >> 1
        occurrences = difference & 1 == 0 ? 1 : reader.number()
    }

    override func score(_ norm: Double) -> Double { rank.score(Double(occurrences), norm) }

    override func readPlaces(into places: PlaceList) {
        positions.skip(passed)
        passed = 0
        var copy = positions
        var place: UInt32 = 0
        let count = Int(occurrences)
        let found = places.extend(by: count)
        for number in 0..<count {
            place &+= copy.number()
            found[number] = place
        }
    }
}
