/// The places of any of several terms.
final class MergedPlaces: PlaceCursor {
    private let postings: [(document: UInt32, place: UInt32)]
    @exclusivity(unchecked)
    private var index = 0

    init(_ runs: [PostingRun]) {
        let numbers = UnsafeMutablePointer<UInt32>.allocate(capacity: 2 * PostingRun.documentsMax)
        defer { numbers.deallocate() }
        let occurrences = numbers + PostingRun.documentsMax
        var postings: [(document: UInt32, place: UInt32)] = []
        for run in runs {
            run.decode(numbers, occurrences)
            var reader = ByteReader(run.positions)
            for index in 0..<run.count {
                var place: UInt32 = 0
                for _ in 0..<occurrences[index] {
                    place &+= reader.number()
                    postings.append((numbers[index], place))
                }
            }
        }
        postings.sort { ($0.document, $0.place) < ($1.document, $1.place) }
        self.postings = postings
        super.init(count: postings.count)
        seek(0)
    }

    override func seek(_ target: UInt32) {
        while index < postings.count, postings[index].document < target { index += 1 }
        document = index < postings.count ? postings[index].document : Self.end
    }

    override func readPlaces(into places: PlaceList) {
        var at = index
        while at < postings.count, postings[at].document == document {
            if places.count == 0 || places[places.count - 1] != postings[at].place { places.append(postings[at].place) }
            at += 1
        }
    }
}
