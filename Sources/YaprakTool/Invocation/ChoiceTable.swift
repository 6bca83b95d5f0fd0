import ToolSupport

/// Texts in columns, one below the other, as many as fit.
enum ChoiceTable {
    static func rows(_ texts: [String], width: Int) -> [String] {
        let columnWidth = min(width, (texts.map(\.columns).max() ?? 0) + 2)
        let columnCount = max(1, width / max(1, columnWidth))
        let rowCount = (texts.count + columnCount - 1) / columnCount
        return (0..<rowCount).map { row in
            let cells = stride(from: row, to: texts.count, by: rowCount).map { texts[$0].cut(to: max(1, width - 1)) }
            return cells.dropLast().map { $0.padded(to: columnWidth) }.joined() + (cells.last ?? "")
        }
    }
}
