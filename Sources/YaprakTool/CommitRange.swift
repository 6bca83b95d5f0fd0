import ArgumentParser
import Yaprak

/// Which commits: `7`, `7..12`, `7..`, `..12`; both ends belong to it.
struct CommitRange: ExpressibleByArgument, Equatable {
    var first: CommitNumber?
    var last: CommitNumber?

    init(first: CommitNumber? = nil, last: CommitNumber? = nil) {
        self.first = first
        self.last = last
    }

    init?(argument: String) {
        guard let dots = argument.firstRange(of: "..") else {
            guard let number = UInt64(argument), number > 0 else { return nil }
            self.init(first: CommitNumber(number), last: CommitNumber(number))
            return
        }
        let low = argument[..<dots.lowerBound], high = argument[dots.upperBound...]
        guard low.isEmpty || UInt64(low) != nil, high.isEmpty || UInt64(high) != nil else { return nil }
        self.init(first: UInt64(low).map { CommitNumber($0) }, last: UInt64(high).map { CommitNumber($0) })
        if let first, let last, first > last { return nil }
    }
}
