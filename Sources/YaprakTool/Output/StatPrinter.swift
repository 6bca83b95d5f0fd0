import ToolSupport
import Yaprak

/// Prints a line for each collection, as `git log --stat` does for files.
///
///     books   3 +~~
///     orders  1 -
///     2 collections, 4 records: 1 inserted, 2 changed, 1 removed
struct StatPrinter {
    let console: Console

    func write(_ counts: [(collection: String, counts: ChangeCounts)], indent: String) throws {
        guard !counts.isEmpty else { return }
        let nameWidth = min(40, counts.reduce(0) { max($0, $1.collection.plain.columns) })
        let most = counts.reduce(1) { max($0, $1.counts.total) }
        let numberWidth = String(most).count
        let room = max(10, console.width - indent.count - nameWidth - numberWidth - 4)
        for (collection, counts) in counts {
            let name = collection.plain.cut(to: nameWidth).padded(to: nameWidth)
            let number = String(counts.total).padded(to: numberWidth, leading: true)
            try console.out.write(
                "\(indent)\(name)  \(number) \(bar(counts, scale: min(1, Double(room) / Double(most))))\n")
        }
        try console.out.write(indent + summary(counts) + "\n")
    }

    private func bar(_ counts: ChangeCounts, scale: Double) -> String {
        let parts: [(Int, Character)] = [
            (counts.inserted, "+"), (counts.changed, "~"), (counts.removed, "-"), (counts.touched, "!"),
        ]
        return parts.map { count, sign in
            // A count that is not 0 is visible, however small it is beside the others.
            let width = count == 0 ? 0 : max(1, Int(Double(count) * scale))
            return width == 0
                ? "" : console.paint(String(repeating: sign, count: width), PatchPrinter.color(sign))
        }
        .joined()
    }

    private func summary(_ counts: [(collection: String, counts: ChangeCounts)]) -> String {
        var sum = ChangeCounts()
        for (_, part) in counts {
            sum.inserted += part.inserted
            sum.changed += part.changed
            sum.removed += part.removed
            sum.touched += part.touched
        }
        let parts = [
            (sum.inserted, "inserted"), (sum.changed, "changed"), (sum.removed, "removed"), (sum.touched, "touched"),
        ]
        let named = parts.filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }.joined(separator: ", ")
        return "\(counts.count.counted("collection")), \(sum.total.counted("record")): \(named)"
    }
}
