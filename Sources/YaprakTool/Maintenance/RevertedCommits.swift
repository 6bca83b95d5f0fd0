import Yaprak
import YaprakReplay

/// The commits to revert: one, or a range.
struct RevertedCommits {
    private let position: LogPosition?
    private let range: LogRange

    init(_ text: String) throws {
        if let position = LogPosition(argument: text) {
            self.position = position
            range = LogRange()
        } else {
            position = nil
            range = try LogRange.argument(text)
        }
    }

    func numbers(in reader: ReplayReader) throws -> ClosedRange<CommitNumber> {
        if let position {
            let number = try reader.commitNumber(at: position)
            return number...number
        }
        guard let numbers = try reader.commitNumbers(in: range) else {
            throw Failure(
                "notFound", "there are no commits in \(range)", exitCode: 3,
                hint: "a..b are the commits after a: write one number for one commit.")
        }
        return numbers
    }
}
