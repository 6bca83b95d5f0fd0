import Foundation
import ToolSupport
import Yaprak
import YaprakLocks

/// The search on a terminal: a line to type in, what is found, and what lies around the first.
final class TypeAhead: Sendable {
    private let database: Database
    private let console: Console
    private let keyboard: KeyboardBox
    private let text = Mutex("")

    /// Read by one thread alone.
    private struct KeyboardBox: @unchecked Sendable {
        let keyboard: Keyboard
    }

    init(_ database: Database, _ console: Console, _ keyboard: Keyboard) {
        self.database = database
        self.console = console
        self.keyboard = KeyboardBox(keyboard: keyboard)
    }

    /// Shows what is found until Escape or Ctrl-C.
    /// - Throws: what ended the list or the edits, if something did.
    func run() async throws {
        let screen = try Screen(console)
        defer { screen.leave() }
        let editing = Task { [database] in try await CityIndexes.edit(database, pause: .milliseconds(300)) }
        let (queries, typed) = AsyncStream.makeStream(of: SearchQuery?.self, bufferingPolicy: .bufferingNewest(1))
        let showing = Task { [self] in
            var list = ViewMappings(CityIndexes.bySize)
            list.setRangeForAllGroups(.flexible(length: 40, from: .beginning))
            for try await update in database.updates(of: list, searching: queries, in: CityIndexes.names) {
                try screen.show(lines(update))
            }
        }
        await withCheckedContinuation { continuation in
            // Keys are waited for on a thread of their own.
            Thread.detachNewThread { [self] in
                while case .key(let key) = keyboard.keyboard.next(), key != .interrupt, key != .escape {
                    let now = text.withLock { text in
                        switch key {
                        case .backspace: if !text.isEmpty { text.removeLast() }
                        case .character("\n"): text = ""
                        case .character(let character): text.append(character)
                        default: break
                        }
                        return text
                    }
                    typed.yield(now.isEmpty ? nil : .typing(now))
                }
                continuation.resume()
            }
        }
        typed.finish()
        editing.cancel()
        showing.cancel()
        // To be cancelled is no error of theirs.
        try await showing.value
        try await editing.value
    }

    /// The lines of the screen.
    private func lines(_ update: ListUpdate<AutoView<Record<City, NoMetadata>>>) -> [String] {
        let now = text.withLock { $0 }
        let rows = update.new.sections(of: update.mappings).flatMap { Array($0) }
        let total = update.mappings.rangePosition(of: "cities").map { $0.length + $0.offsetFromEnd } ?? 0
        let height = max(4, Screen.currentSize.rows - 5)
        let left = rows.prefix(height).map { row in
            "\(row.object.country.plain)  \(row.object.name.plain.cut(to: 28).padded(to: 30))\(row.object.population)"
        }
        var right: [String] = []
        if !now.isEmpty, let first = rows.first, let place = first.object.place {
            let others = update.new[CityIndexes.places].nearest(height, to: place).filter { $0.record.key != first.key }
            right = others.map { "\(Int($0.distance / 1000)) km  \($0.record.object.name.plain.cut(to: 24))" }
        }
        var lines = [
            console.paint(" City: \(now)▏", .strong),
            console.paint(" \(total) found; commit \(update.new.commitNumber)", .faint),
        ]
        for row in 0..<min(height, max(left.count, right.count)) {
            lines.append(
                " " + (row < left.count ? left[row] : "").padded(to: 46) + (row < right.count ? right[row] : ""))
        }
        lines.append(console.paint(" Return clears, Ctrl-C ends", .faint))
        return lines
    }
}
