/// The difference of two texts, line by line: `-` what only the first has, `+` what only the second has.
enum TextDifference {
    /// So many lines are compared; longer texts are shown as a whole.
    private static let linesMax = 4_000

    /// All lines that differ, with two lines of both around them.
    static func lines(from old: [String], to new: [String], context: Int = 2) -> [String] {
        let all = marked(old, new)
        var shown = [Bool](repeating: false, count: all.count)
        for (index, line) in all.enumerated() where !line.hasPrefix(" ") {
            for near in max(0, index - context)...min(all.count - 1, index + context) { shown[near] = true }
        }
        var lines: [String] = []
        var skipped = false
        for (index, line) in all.enumerated() {
            if shown[index] {
                if skipped { lines.append("  …") }
                lines.append(line)
            }
            skipped = !shown[index]
        }
        if skipped, !lines.isEmpty { lines.append("  …") }
        return lines
    }

    private static func marked(_ old: [String], _ new: [String]) -> [String] {
        guard old.count <= linesMax, new.count <= linesMax else { return old.map { "- \($0)" } + new.map { "+ \($0)" } }
        var removed: Set<Int> = [], inserted: Set<Int> = []
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var lines: [String] = []
        var (from, to) = (0, 0)
        while from < old.count || to < new.count {
            if removed.contains(from) {
                lines.append("- \(old[from])")
                from += 1
            } else if inserted.contains(to) {
                lines.append("+ \(new[to])")
                to += 1
            } else {
                lines.append("  \(old[from])")
                (from, to) = (from + 1, to + 1)
            }
        }
        return lines
    }
}
