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
package enum Interruption {
    private static let requested = Atomic(false)
    private static let taken = Atomic(false)
    /// Leaves the full-screen mode of a terminal.
    static let farewell: StaticString = "\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

    /// Whether Ctrl-C was pressed.
    package static var isRequested: Bool { requested.load(ordering: .relaxed) }

    /// Whether a screen has the terminal, which has to be restored in any case.
    static var screenIsTaken: Bool {
        get { taken.load(ordering: .relaxed) }
        set { taken.store(newValue, ordering: .relaxed) }
    }

    /// Starts to listen where another program has the terminal: no Ctrl-C ends this one at once.
    package static func listenPatiently() {
        _ = isRequested
        signal(SIGINT) { _ in Interruption.requested.store(true, ordering: .relaxed) }
    }

    /// Starts to listen, for the rest of the program's life.
    package static func listen() {
        // The handler may not be the first to touch what is static: what initializes it is not safe in a signal handler.
        _ = (isRequested, screenIsTaken, farewell)
        signal(SIGINT) { _ in
            guard Interruption.requested.exchange(true, ordering: .relaxed) else { return }
            if Interruption.screenIsTaken {
                let words = Interruption.farewell
                _ = write(STDOUT_FILENO, words.utf8Start, words.utf8CodeUnitCount)
            }
            _exit(130)
        }
    }
}
