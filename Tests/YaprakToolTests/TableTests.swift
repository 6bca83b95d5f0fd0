import ArgumentParser
import TestSupport
import Testing
import ToolSupport
import YaprakCBOR

@testable import YaprakTool

/// Tables for people: what fits, what is cut, what is left out.
@Suite(.bounded) struct TableTests {
    private func table(_ columns: [Column], _ rows: [[CBORValue]], width: Int) throws -> [String] {
        let console = Console(out: TextSink(), err: TextSink(), isTerminal: true, width: width)
        var writer = RowWriter(.table, columns, console)
        for row in rows { try writer.write(row) }
        try writer.finish()
        return console.out.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    @Test func `Widths are fair: nobody loses while another is wider, and they fill the room`() {
        var random = SplitMix64(seed: 11)
        for round in 0..<600 {
            let wanted = (0..<(1 + random.below(8))).map { _ in 1 + random.below(60) }
            let needed = wanted.map { random.chance(30) ? $0 : min($0, 6) }
            let room = 1 + random.below(240)
            guard let widths = TableWriter.fair(wanted, needed, room: room) else {
                #expect(needed.reduce(0, +) > room, "round \(round)")
                continue
            }
            let sum = widths.reduce(0, +)
            #expect(sum == min(room, wanted.reduce(0, +)), "round \(round)")
            let widestThatLost = zip(widths, wanted).filter { $0 < $1 }.map(\.0).min() ?? .max
            for (index, width) in widths.enumerated() {
                #expect(width <= wanted[index] && width >= needed[index], "round \(round)")
                // At most the one column more that is left over.
                #expect(
                    widestThatLost == .max || width == needed[index] || width <= widestThatLost + 1, "round \(round)")
            }
        }
    }

    @Test func `What takes no room is a column all the same`() throws {
        for (name, text) in [("\u{301}", "\u{301}"), ("", "\u{301}"), ("\u{301}", "x")] {
            let columns = [Column(name: "a"), Column(name: name)]
            let lines = try table(columns, [[.text("1"), .text(text)], [.text("2"), .text("\u{302}")]], width: 40)
            #expect(lines.count == 3, "\(lines)")
        }
    }

    @Test func `Bars of the largest numbers have one scale`() {
        let scale = BarScale([1.7e308, -1.7e308, 0, nil, .infinity, .nan])
        #expect(scale.bar(1.7e308, of: 10) == "     █████" && scale.bar(-1.7e308, of: 10) == "▒▒▒▒▒")
        for value in [0, nil, Double.infinity, .nan] { #expect(!scale.bar(value, of: 10).contains("█")) }
        #expect(BarScale([5e-324]).bar(5e-324, of: 10).count <= 10)
    }

    @Test(arguments: [40, 80, 100, 140]) func `No line is longer than the terminal, and numbers are whole`(width: Int)
        throws
    {
        var random = SplitMix64(seed: 12)
        for round in 0..<12 {
            let columns = (0..<(1 + random.below(9))).map { Column(name: "column\($0)", isNumber: random.chance(30)) }
            let rows = (0..<(1 + random.below(30))).map { _ in
                columns.map { column -> CBORValue in
                    if random.chance(20) { return .null }
                    if column.isNumber { return .unsigned(UInt64(random.below(1_000_000))) }
                    return .text(String(repeating: "é", count: random.below(90)))
                }
            }
            let lines = try table(columns, rows, width: width)
            #expect(lines.allSatisfy { $0.columns <= width }, "round \(round)")
            let text = lines.joined(separator: "\n").utf8
            for row in rows {
                for case .unsigned(let number) in row {
                    #expect(text.firstRange(of: "\(number)".utf8) != nil, "round \(round): \(number)")
                }
            }
        }
    }

    @Test func `A column without values is left out until one comes`() throws {
        let columns = ["key", "note"].map { Column(name: $0) }
        #expect(try table(columns, [["a", .null], ["b", ""]], width: 40) == ["key", "a", "b"])
        #expect(
            try table([columns[0], Column(name: "note", isKept: true)], [["a", .null]], width: 40) == [
                "key  note", "a",
            ])
        let many: [[CBORValue]] = (0..<250).map { ["k", $0 == 240 ? "late" : .null] }
        let lines = try table(columns, many, width: 40)
        #expect(lines.count == 252 && lines[0] == "key")
        #expect(lines[241] == "key  note" && lines[242] == "k    late")
    }

    @Test func `What does not fit as a table becomes blocks of lines`() throws {
        let columns = (0..<9).map { Column(name: "column\($0)") }
        let lines = try table(columns, [columns.map { _ in "a value" }, columns.map { _ in "b" }], width: 40)
        #expect(lines.count == 19 && lines[0] == "column0  a value" && lines[9] == "")
    }

    @Test(
        arguments: [
            ("lgo", "log"), ("lo", "ls"), ("repiar", "repair"), ("chekpoint", "checkpoint"), ("LOG", "log"),
            ("xyzzy", nil),
            ("", nil), ("dif", "diff"),
        ] as [(String, String?)])
    func `A misspelled word is recognised if it is near`(word: String, meant: String?) {
        let known = YaprakCommand.configuration.subcommands.map { $0.configuration.commandName ?? "" }
        #expect(Suggestion.nearest(to: word, among: known) == meant)
    }
}
