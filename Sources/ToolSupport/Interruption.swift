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
    private static let screens = Atomic(0)
    private static let resumptions = Atomic(0)
    private static let keysTaken = Atomic(false)
    /// What is written for another program that has the terminal; -1 for nothing.
    private static let output = Atomic<Int32>(-1)
    /// Where the text is that the first Ctrl-C prints on standard error: it ends with a zero byte, and stays. 0 for none.
    private static let explanation = Atomic<UInt>(0)
    /// How the terminal's keys were before a keyboard took them. Written before `keysTaken` is set, and not while it is.
    ///
    /// On the heap: for a static of this type Swift 6.3.1 reserves 57 bytes, without the padding inside it, and writes 60.
    nonisolated(unsafe) private static let keysBefore = makeKeys()
    /// How they were when the program was stopped. Used by the handler only.
    nonisolated(unsafe) private static let keysMeanwhile = makeKeys()

    private static func makeKeys() -> UnsafeMutablePointer<termios> {
        let keys = UnsafeMutablePointer<termios>.allocate(capacity: 1)
        keys.initialize(to: termios())
        return keys
    }

    /// Enters and leaves the full-screen mode of a terminal.
    static let greeting: StaticString = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l"
    static let farewell: StaticString = "\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

    /// Whether Ctrl-C was pressed. After ``explain(_:)``: if it is `false`, the first Ctrl-C has not come yet, and is explained.
    package static var isRequested: Bool { requested.load(ordering: .sequentiallyConsistent) }

    /// Does what Ctrl-C does, for another key.
    package static func request() { requested.store(true, ordering: .relaxed) }

    /// Takes back a request, where one Ctrl-C ends one of several commands.
    package static func forget() { requested.store(false, ordering: .relaxed) }

    /// Says what the first Ctrl-C prints on standard error from now on, while work goes on in spite of it; nothing if `nil`.
    package static func explain(_ sentence: StaticString?) {
        explanation.store(UInt(bitPattern: sentence?.utf8Start), ordering: .sequentiallyConsistent)
    }

    /// A screen has the terminal, which has to be restored in any case.
    static func screenIsTaken() {
        restoreAtEnd()
        screens.add(1, ordering: .relaxed)
    }

    /// A screen gave the terminal back.
    static func screenIsFree() { screens.subtract(1, ordering: .relaxed) }

    /// How often the program was stopped and continued: what was on the screen before is gone.
    package static var resumeCount: Int { resumptions.load(ordering: .relaxed) }

    /// Remembers how the keys were, to give them back in any case.
    static func keysAreTaken(_ before: termios) {
        keysBefore.pointee = before
        keysTaken.store(true, ordering: .releasing)
        restoreAtEnd()
    }

    /// Remembers how the keys are now, before something else than a ``Keyboard`` takes them: a library.
    package static func keysWillBeTaken() {
        var now = termios()
        if tcgetattr(STDIN_FILENO, &now) == 0 { keysAreTaken(now) }
    }

    /// The keys were given back.
    package static func keysAreFree() { keysTaken.store(false, ordering: .releasing) }

    /// Starts to listen where another program has the terminal: no Ctrl-C ends this one at once, unless the other one is gone.
    ///
    /// - Parameter output: a pipe that the other program reads. When it has lost its reader, the second Ctrl-C ends this one.
    ///   Listen without it before it is closed. -1 for none.
    package static func listenPatiently(writingTo output: Int32 = -1) {
        touchStatics()
        Interruption.output.store(output, ordering: .sequentiallyConsistent)
        signal(SIGINT) { _ in
            let isSecond = Interruption.requested.exchange(true, ordering: .sequentiallyConsistent)
            guard isSecond, Interruption.outputHasLostReader else { return SignalPipe.wake() }
            Interruption.restoreTerminal()
            _exit(130)
        }
    }

    /// Starts to listen, for the rest of the program's life.
    package static func listen() {
        touchStatics()
        signal(SIGINT) { _ in
            guard Interruption.requested.exchange(true, ordering: .sequentiallyConsistent) else {
                Interruption.printExplanation()
                return SignalPipe.wake()
            }
            Interruption.restoreTerminal()
            _exit(130)
        }
    }

    /// Notices from now on that the terminal has another size: ``awaitInput()`` returns.
    package static func listenToResizes() {
        touchStatics()
        signal(SIGWINCH) { _ in SignalPipe.wake() }
    }

    /// Waits until standard input has something to read, or its end; `false` if a signal came first.
    package static func awaitInput() -> Bool { SignalPipe.awaitInput() }

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
            let errorBefore = errno
            let hasKeys = Interruption.keysTaken.load(ordering: .acquiring)
            if hasKeys { tcgetattr(STDIN_FILENO, Interruption.keysMeanwhile) }
            Interruption.restoreTerminal()
            raise(SIGSTOP)
            if hasKeys { tcsetattr(STDIN_FILENO, TCSANOW, Interruption.keysMeanwhile) }
            if Interruption.screens.load(ordering: .relaxed) > 0 {
                let words = Interruption.greeting
                _ = write(STDOUT_FILENO, words.utf8Start, words.utf8CodeUnitCount)
            }
            Interruption.resumptions.add(1, ordering: .relaxed)
            SignalPipe.wake()
            errno = errorBefore
        }
    }

    /// Only calls that are safe in a signal handler.
    private static var outputHasLostReader: Bool {
        let output = Interruption.output.load(ordering: .sequentiallyConsistent)
        guard output >= 0 else { return false }
        let errorBefore = errno
        // Darwin looks at nothing of a descriptor that is asked for no event.
        var asked = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        let isLost = poll(&asked, 1, 0) > 0 && asked.revents & Int16(POLLERR | POLLHUP) != 0
        errno = errorBefore
        return isLost
    }

    /// Only calls that are safe in a signal handler.
    private static func printExplanation() {
        let address = explanation.load(ordering: .sequentiallyConsistent)
        guard let text = UnsafePointer<UInt8>(bitPattern: address) else { return }
        let errorBefore = errno
        var count = 0
        while text[count] != 0 { count += 1 }
        _ = write(STDERR_FILENO, text, count)
        errno = errorBefore
    }

    // A handler may not be the first to touch what is static: what initializes it is not safe in a signal handler.
    private static func touchStatics() {
        _ = (
            isRequested, resumeCount, greeting, farewell, keysTaken.load(ordering: .relaxed), keysBefore, keysMeanwhile
        )
        _ = (screens.load(ordering: .relaxed), explanation.load(ordering: .relaxed), output.load(ordering: .relaxed))
        SignalPipe.open()
    }

    /// Only calls that are safe in a signal handler.
    private static func restoreTerminal() {
        if screens.load(ordering: .relaxed) > 0 {
            let words = farewell
            _ = write(STDOUT_FILENO, words.utf8Start, words.utf8CodeUnitCount)
        }
        if keysTaken.load(ordering: .acquiring) { _ = tcsetattr(STDIN_FILENO, TCSANOW, keysBefore) }
    }
}
