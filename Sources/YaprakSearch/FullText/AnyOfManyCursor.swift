/// Documents that any of many cursors has: a cursor that is further on is not looked at until its turn comes.
///
/// - Complexity: a document costs O(*h* log *n*) for the *h* of *n* parts that have it.
final class AnyOfManyCursor: DocumentCursor {
    private let parts: CursorList<DocumentCursor>
    /// The document at which each part is: a binary heap, the least first.
    @exclusivity(unchecked)
    private var places: [(document: UInt32, part: Int)]
    /// The parts that have the document at hand.
    @exclusivity(unchecked)
    private var found: [Int] = []
    /// How often a place was looked at. For tests.
    @exclusivity(unchecked)
    private(set) var steps = 0

    init(_ parts: ContiguousArray<DocumentCursor>) {
        self.parts = CursorList(parts)
        places = parts.enumerated().map { (document: $1.document, part: $0) }.sorted { $0.document < $1.document }
        super.init()
        seek(0)
    }

    override func seek(_ target: UInt32) {
        while places[0].document < target {
            places[0].document = parts.with(places[0].part) { part in
                part.seek(target)
                return part.document
            }
            sinkFirst()
        }
        document = places[0].document
    }

    /// Takes the first place down to where none below it is less.
    private func sinkFirst() {
        let place = places[0]
        var at = 0
        while true {
            var child = 2 &* at &+ 1
            guard child < places.count else { break }
            steps &+= 1
            if child &+ 1 < places.count, places[child &+ 1].document < places[child].document { child &+= 1 }
            if place.document <= places[child].document { break }
            places[at] = places[child]
            at = child
        }
        places[at] = place
    }

    override func score(_ norm: Double) -> Double {
        found.removeAll(keepingCapacity: true)
        findParts(from: 0)
        // Added in the order of the query, sums are the same to the last bit, whatever walks the parts.
        found.sort()
        var sum = 0.0
        for part in found { sum += parts.with(part) { $0.score(norm) } }
        return sum
    }

    /// Finds the parts that have the document at hand: the first place, and each below one that has it.
    private func findParts(from at: Int) {
        guard at < places.count else { return }
        steps &+= 1
        guard places[at].document == document else { return }
        found.append(places[at].part)
        findParts(from: 2 &* at &+ 1)
        findParts(from: 2 &* at &+ 2)
    }
}
