import SystemPackage
import YaprakLocks

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A terminal in full-screen mode: lines have positions, and only lines that changed are sent.
///
///     let screen = try Screen(console)
///     defer { screen.leave() }
///     try screen.show(["Departures", "17:10  B6 359"])
///
/// The previous contents and the cursor are restored at the end, also when Ctrl-C is pressed twice, or a signal ends the program.
package final class Screen: Sendable {
    private let console: Console
    private let state = Mutex(State())

    fileprivate struct State {
        /// Whether this screen has the terminal: others of the process are none of its business.
        var isTaken = true
        var resumeCount = Interruption.resumeCount
        var lines: [String] = []
        var size = Size(columns: 0, rows: 0)
    }

    /// How many characters fit.
    package struct Size: Equatable, Sendable {
        package let columns: Int
        package let rows: Int

        package init(columns: Int, rows: Int) {
            self.columns = columns
            self.rows = rows
        }
    }

    /// Takes the terminal: the alternate screen, without a cursor, where long lines are cut.
    package init(_ console: Console) throws {
        self.console = console
        Interruption.screenIsTaken()
        try send(Interruption.greeting.description)
    }

    deinit { leave() }

    /// How large the terminal is now.
    package static var currentSize: Size {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return Size(columns: 80, rows: 24)
        }
        return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Shows lines from the top, as many as fit. They may be painted.
    /// - Throws: `Errno`.
    package func show(_ lines: [String]) throws {
        let size = Self.currentSize
        let bytes = state.withLock { $0.turn(to: Array(lines.prefix(size.rows)), on: size) }
        if !bytes.isEmpty { try send(bytes) }
    }

    /// Gives the terminal back as it was; nothing more if it was given back before.
    package func leave() {
        let wasTaken = state.withLock { state in
            defer { state.isTaken = false }
            return state.isTaken
        }
        guard wasTaken else { return }
        try? send(Interruption.farewell.description)
        Interruption.screenIsFree()
    }

    private func send(_ text: String) throws {
        try console.out.write(text)
        try console.out.flush()
    }
}

extension Screen.State {
    /// Adopts lines; returns what to send.
    fileprivate mutating func turn(to lines: [String], on size: Screen.Size) -> String {
        var bytes = ""
        let resumeCount = Interruption.resumeCount
        if size != self.size || resumeCount != self.resumeCount {
            (self.size, self.resumeCount, self.lines) = (size, resumeCount, [])
            bytes = "\u{1b}[2J"
        }
        for row in 0..<max(lines.count, self.lines.count) {
            let line = row < lines.count ? lines[row] : ""
            guard row >= self.lines.count || self.lines[row] != line else { continue }
            bytes += "\u{1b}[\(row + 1);1H\(line)\u{1b}[K"
        }
        self.lines = lines
        return bytes
    }
}
