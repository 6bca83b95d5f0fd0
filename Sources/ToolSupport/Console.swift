import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where a program's output goes: data to one place, everything else to the other.
///
///     let console = Console.standard()
///     try console.out.write("commit 42\n")
///     try console.flush()
///
/// A value, so that a test can run a subcommand against two strings.
package struct Console: Sendable {
    /// Data.
    package let out: TextSink
    /// Everything else: progress, notes, errors.
    package let err: TextSink
    /// Whether a person reads the data.
    package let isTerminal: Bool
    /// Whether a person watches the rest.
    package let isWatched: Bool
    /// Whether text can be put at places of the terminal.
    package let isAddressable: Bool
    /// How many characters fit in a line.
    package let width: Int
    /// Whether colors may be used in data, and in the rest.
    package let usesColor: Bool

    package init(
        out: TextSink, err: TextSink, isTerminal: Bool = false, isWatched: Bool = false,
        isAddressable: Bool = false, width: Int = 80, usesColor: Bool = false
    ) {
        self.out = out
        self.err = err
        self.isTerminal = isTerminal
        self.isWatched = isWatched
        self.isAddressable = isAddressable
        self.width = width
        self.usesColor = usesColor
    }

    /// Standard output and standard error, with the properties of the terminal, if they are one.
    ///
    /// `NO_COLOR` and `TERM=dumb` are respected. A reader that has gone away (`yaprak log | head`) becomes the error
    /// `Errno.brokenPipe` instead of a signal. To be called before any file is opened: a program that was started without one
    /// of its standard files (`yaprak load … >&-`) would open another in its place, one of the database say, and print into it.
    package static func standard() -> Console {
        occupyStandardFiles()
        signal(SIGPIPE, SIG_IGN)
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let isDumb = variable("TERM") == "dumb" || variable("TERM") == nil
        let isPlain = variable("NO_COLOR")?.isEmpty == false || variable("TERM") == "dumb"
        return Console(
            out: TextSink(.standardOutput), err: TextSink(.standardError), isTerminal: isTerminal,
            isWatched: isatty(STDERR_FILENO) == 1 && variable("TERM") != "dumb",
            isAddressable: isTerminal && !isDumb, width: terminalWidth(), usesColor: isTerminal && !isPlain)
    }

    /// The same with the width that the terminal has now, where it is one.
    package func withCurrentWidth() -> Console {
        guard out.isTerminal || err.isTerminal else { return self }
        return Console(
            out: out, err: err, isTerminal: isTerminal, isWatched: isWatched, isAddressable: isAddressable,
            width: Self.terminalWidth(), usesColor: usesColor)
    }

    /// Writes what is buffered.
    package func flush() throws {
        try out.flush()
        try err.flush()
    }

    /// `text` in a color, where colors may be used.
    package func paint(_ text: String, _ color: Color) -> String {
        usesColor ? "\u{1b}[\(color.rawValue)m\(text)\u{1b}[0m" : text
    }

    /// Colors by their meaning; the numbers are those of ECMA-48.
    package enum Color: String, Sendable {
        case strong = "1"
        case faint = "2"
        case bad = "31"
        case good = "32"
        case warning = "33"
        case info = "36"
    }

    /// Puts something in the place of standard files that are closed; what is written to it, or read from it, is an error, as
    /// before.
    private static func occupyStandardFiles() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
            // The lowest number that is free: this one.
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    private static func terminalWidth() -> Int {
        var size = winsize()
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
            if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        }
        return variable("COLUMNS").flatMap { Int($0) }.map { min(max($0, 1), 10_000) } ?? 100
    }
}
