import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Catches Ctrl-C, so that work in progress can end at a consistent point. The second Ctrl-C ends the program at once.
///
///     Interruption.listen()
///     while !Interruption.isRequested { … }
///
/// It also gives the terminal back if another program ends this one (SIGTERM, SIGHUP, SIGQUIT) or stops it (SIGTSTP) while a
/// screen or a keyboard has it.
package enum Interruption {
    private static let requested = Atomic(false)
    private static let taken = Atomic(false)
    private static let resumed = Atomic(false)
    private static let keysTaken = Atomic(false)
    /// How the terminal's keys were before a keyboard took them. Written before `keysTaken` is set, and not while it is.
    nonisolated(unsafe) private static var keysBefore = termios()
    /// Enters and leaves the full-screen mode of a terminal.
    static let greeting: StaticString = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l"
    static let farewell: StaticString = "\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

    /// Whether Ctrl-C was pressed.
    package static var isRequested: Bool { requested.load(ordering: .relaxed) }

    /// Does what Ctrl-C does, for another key.
    package static func request() { requested.store(true, ordering: .relaxed) }

    /// Takes back a request, where one Ctrl-C ends one of several commands.
    package static func forget() { requested.store(false, ordering: .relaxed) }

    /// Whether a screen has the terminal, which has to be restored in any case.
    static var screenIsTaken: Bool {
        get { taken.load(ordering: .relaxed) }
        set {
            if newValue { restoreAtEnd() }
            taken.store(newValue, ordering: .relaxed)
        }
    }

    /// Whether the program was stopped and continues: what is on the screen is gone. Reading it resets it.
    static var wasResumed: Bool { resumed.exchange(false, ordering: .relaxed) }

    /// Remembers how the keys were, to give them back in any case.
    static func keysAreTaken(_ before: termios) {
        keysBefore = before
        keysTaken.store(true, ordering: .releasing)
        restoreAtEnd()
    }

    /// The keys were given back.
    static func keysAreFree() { keysTaken.store(false, ordering: .releasing) }

    /// Starts to listen where another program has the terminal: no Ctrl-C ends this one at once.
    package static func listenPatiently() {
        _ = isRequested
        signal(SIGINT) { _ in Interruption.requested.store(true, ordering: .relaxed) }
    }

    /// Starts to listen, for the rest of the program's life.
    package static func listen() {
        touchStatics()
        signal(SIGINT) { _ in
            guard Interruption.requested.exchange(true, ordering: .relaxed) else { return }
            Interruption.restoreTerminal()
            _exit(130)
        }
    }

    /// Gives the terminal back when the program is ended or stopped by a signal.
    private static func restoreAtEnd() {
        touchStatics()
        for number in [SIGTERM, SIGHUP, SIGQUIT] {
            signal(number) { number in
                Interruption.restoreTerminal()
                // The signal is blocked here, and ends the program when this returns.
                signal(number, SIG_DFL)
                raise(number)
            }
        }
        signal(SIGTSTP) { _ in
            Interruption.restoreTerminal()
            raise(SIGSTOP)
            if Interruption.screenIsTaken {
                let words = Interruption.greeting
                _ = write(STDOUT_FILENO, words.utf8Start, words.utf8CodeUnitCount)
            }
            Interruption.resumed.store(true, ordering: .relaxed)
        }
    }

    // A handler may not be the first to touch what is static: what initializes it is not safe in a signal handler.
    private static func touchStatics() {
        _ = (isRequested, screenIsTaken, greeting, farewell, keysTaken.load(ordering: .relaxed), keysBefore)
        resumed.store(false, ordering: .relaxed)
    }

    /// Only calls that are safe in a signal handler.
    private static func restoreTerminal() {
        if screenIsTaken {
            let words = farewell
            _ = write(STDOUT_FILENO, words.utf8Start, words.utf8CodeUnitCount)
        }
        if keysTaken.load(ordering: .acquiring) { _ = tcsetattr(STDIN_FILENO, TCSANOW, &keysBefore) }
    }
}
