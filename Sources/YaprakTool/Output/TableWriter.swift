import ToolSupport

/// Prints rows as a table for a person.
///
/// Widths come from the first rows. A column that has no values in them is left out until one comes; the heads are then printed
/// again. On a terminal a table that is too wide loses the same from all columns that are wider than their share; numbers are
/// never cut. Where even that leaves too little, each row becomes a block of lines, one for each value.
struct TableWriter {
    private let columns: [Column]
    private let console: Console
    /// Rows that wait until the widths are known.
    private var waiting: [[String]] = []
    /// The width of each column; 0 for one that is left out. Empty until they are known.
    private var widths: [Int] = []
    private var isUpright = false
    private var blockCount = 0

    private static let sampleMax = 200
    private static let gap = "  "
    /// A text that is cut keeps so much.
    static let widthMin = 6

    init(_ columns: [Column], _ console: Console) {
        self.columns = columns
        self.console = console
    }

    mutating func write(_ cells: [String]) throws {
        guard !widths.isEmpty else {
            waiting.append(cells)
            if waiting.count == Self.sampleMax { try settle() }
            return
        }
        try print(cells)
    }

    /// Prints rows that wait for others, to know how wide columns are: others may not come soon.
    mutating func settle() throws {
        guard widths.isEmpty, !waiting.isEmpty else { return }
        let shown = columns.indices.filter { column in
            columns[column].isKept || waiting.contains { !$0[column].isEmpty }
        }
        widths = Array(repeating: 0, count: columns.count)
        fit(shown, waiting)
        if !isUpright { try printHead() }
        for row in waiting { try print(row) }
        waiting = []
    }

    // MARK: Widths

    private var room: Int { console.isTerminal ? console.width : .max }

    /// Chooses the widths of the columns that are shown.
    private mutating func fit(_ shown: [Int], _ rows: [[String]]) {
        let values = shown.map { column in rows.reduce(0) { max($0, $1[column].columns) } }
        // 0 is the width of a column that is left out, and some texts take no room.
        let wanted = zip(shown, values).map { max(1, columns[$0].title.columns, $1) }
        let needed = zip(shown, zip(values, wanted)).map { column, width in
            columns[column].isNumber ? width.0 : min(width.1, Self.widthMin)
        }
        let gaps = Self.gap.count * max(0, shown.count - 1)
        guard let fitting = Self.fair(wanted, needed, room: room == .max ? .max : room - gaps) else {
            isUpright = true
            for column in shown { widths[column] = max(1, columns[column].title.columns) }
            return
        }
        for (column, width) in zip(shown, fitting) { widths[column] = width }
    }

    /// Widths that fit into `room`: what is below a common limit keeps what it wants, the rest gets the limit, and nobody
    /// less than it needs; `nil` if that is too much.
    static func fair(_ wanted: [Int], _ needed: [Int], room: Int) -> [Int]? {
        if wanted.reduce(0, +) <= room { return wanted }
        func widths(_ limit: Int) -> [Int] { zip(wanted, needed).map { max($1, min($0, limit)) } }
        guard widths(0).reduce(0, +) <= room else { return nil }
        var low = 0, high = wanted.max() ?? 0
        while low < high {
            let middle = (low + high + 1) / 2
            if widths(middle).reduce(0, +) <= room { low = middle } else { high = middle - 1 }
        }
        var widths = widths(low)
        // What is left over goes to the first that want more.
        var left = room - widths.reduce(0, +)
        for index in widths.indices where left > 0 && widths[index] < wanted[index] {
            widths[index] += 1
            left -= 1
        }
        return widths
    }

    // MARK: Lines

    private mutating func print(_ cells: [String]) throws {
        if isUpright { return try printBlock(cells) }
        if let late = columns.indices.first(where: { widths[$0] == 0 && !cells[$0].isEmpty }) {
            // A value where there was none: the column comes, and the heads say so.
            let shown = columns.indices.filter { widths[$0] > 0 || $0 == late }
            fit(shown, [cells])
            if isUpright { return try printBlock(cells) }
            try printHead()
            return try print(cells)
        }
        grow(for: cells)
        try printLine(cells)
    }

    /// Widens columns for values that are longer than those before, as far as there is room.
    private mutating func grow(for cells: [String]) {
        let shown = columns.indices.filter { widths[$0] > 0 }
        var left =
            room == .max ? Int.max : room - shown.reduce(-Self.gap.count) { $0 + widths[$1] + Self.gap.count }
        for column in shown where column != shown.last || columns[column].isNumber {
            let more = min(left, cells[column].columns - widths[column])
            guard more > 0 else { continue }
            widths[column] += more
            left -= more
        }
    }

    private func printHead() throws { try printLine(columns.map(\.title), color: .faint) }

    private func printLine(_ cells: [String], color: Console.Color? = nil) throws {
        let shown = columns.indices.filter { widths[$0] > 0 }
        var line = "", used = 0
        for column in shown {
            let isNumber = columns[column].isNumber, isLast = column == shown.last
            // The last text may have what is left of the line.
            let width = isLast && !isNumber && room != .max ? max(widths[column], room - used) : widths[column]
            let text = room == .max || isNumber && color == nil ? cells[column] : cells[column].cut(to: width)
            let cell = isLast && !isNumber ? text : text.padded(to: widths[column], leading: isNumber)
            line += cell
            used += cell.columns
            if !isLast {
                line += Self.gap
                used += Self.gap.count
            }
        }
        while line.last == " " { line.removeLast() }
        try console.out.write((color.map { console.paint(line, $0) } ?? line) + "\n")
    }

    /// A row as lines of a name and a value.
    private mutating func printBlock(_ cells: [String]) throws {
        let nameWidth = columns.reduce(0) { max($0, $1.title.columns) }
        if blockCount > 0 { try console.out.write("\n") }
        blockCount += 1
        for (column, cell) in zip(columns, cells) where column.isKept || !cell.isEmpty {
            let name = console.paint(column.title.padded(to: nameWidth), .faint)
            let value = cell.cut(to: max(Self.widthMin, room - nameWidth - Self.gap.count))
            try console.out.write("\(name)\(Self.gap)\(value)\n")
        }
    }
}
