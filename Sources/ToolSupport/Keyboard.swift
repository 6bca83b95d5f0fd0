#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Keys as they are pressed, without the return key.
///
///     guard let keyboard = Keyboard() else { … }          // no terminal to read from
///     defer { keyboard.leave() }
///     while case .key(let key) = keyboard.next(), key != .interrupt { … }
///
/// Ctrl-C is a key like any other meanwhile, so that its reader can restore the terminal first.
package final class Keyboard {
    /// A key that was pressed.
    package enum Key: Sendable, Hashable {
        case character(Character)
        case left, right, up, down, pageUp, pageDown, home, end, backspace, escape
        /// Ctrl-C.
        case interrupt
    }

    /// What a wait for a key ended with.
    package enum Event: Sendable, Hashable {
        case key(Key)
        /// Nothing was pressed in time.
        case timeout
        /// No key will come.
        case end
    }

    private var before = termios()
    private var isTaken = false

    /// Takes the terminal's keys; `nil` if standard input is no terminal.
    /// - Parameter keepsSignals: whether Ctrl-C, Ctrl-Z and Ctrl-\ stay signals.
    package init?(keepsSignals: Bool = false) {
        guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
        var raw = before
        if keepsSignals {
            raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        } else {
            cfmakeraw(&raw)
            // What is printed meanwhile still has lines.
            raw.c_oflag |= tcflag_t(OPOST)
        }
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) == 0 else { return nil }
        isTaken = true
        Interruption.keysAreTaken(before)
    }

    deinit { leave() }

    /// Gives the keys back as they were.
    package func leave() {
        guard isTaken else { return }
        isTaken = false
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
        Interruption.keysAreFree()
    }

    /// Waits for a key, as long as it takes or so many milliseconds; no longer where what is pressed is none that is known.
    package func next(milliseconds: Int? = nil) -> Event {
        while true {
            var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            var count: Int32
            repeat {
                count = poll(&descriptor, 1, milliseconds.map { Int32(clamping: $0) } ?? -1)
            } while count < 0 && errno == EINTR && milliseconds == nil
            if count == 0 { return .timeout }
            if count < 0 { return errno == EINTR ? .timeout : .end }
            guard let byte = read(STDIN_FILENO) else { return .end }
            if let key = key(startingWith: byte) { return .key(key) }
            if milliseconds != nil { return .timeout }
        }
    }

    private func key(startingWith byte: UInt8) -> Key? {
        switch byte {
        case 0x03: .interrupt
        case 0x1b: escape()
        case 0x20...0x7e: .character(Character(UnicodeScalar(byte)))
        case 0x0d, 0x0a: .character("\n")
        case 0x08, 0x7f: .backspace
        case 0xc2...0xf4: character(startingWith: byte).map { .character($0) }
        default: nil
        }
    }

    /// A character that is more than one byte of UTF-8.
    private func character(startingWith first: UInt8) -> Character? {
        var bytes = [first]
        for _ in 1..<(first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4) {
            guard let byte = read(STDIN_FILENO) else { return nil }
            bytes.append(byte)
        }
        return String(validating: bytes, as: UTF8.self)?.first
    }

    /// What follows an escape: the name of a key, or nothing if it was the key of that name.
    private func escape() -> Key? {
        guard isWaiting, let bracket = read(STDIN_FILENO), bracket == UInt8(ascii: "[") || bracket == UInt8(ascii: "O")
        else { return .escape }
        var parameters: [UInt8] = []
        while let byte = read(STDIN_FILENO) {
            switch byte {
            case UInt8(ascii: "A"): return .up
            case UInt8(ascii: "B"): return .down
            case UInt8(ascii: "C"): return .right
            case UInt8(ascii: "D"): return .left
            case UInt8(ascii: "H"): return .home
            case UInt8(ascii: "F"): return .end
            case UInt8(ascii: "~"):
                // What follows a semicolon are the keys that are held with it.
                let number = String(decoding: parameters.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
                let named: [String: Key] = ["1": .home, "4": .end, "5": .pageUp, "6": .pageDown]
                return named[number]
            case 0x30...0x3f: if parameters.count < 16 { parameters.append(byte) }
            default: return nil
            }
        }
        return nil
    }

    /// Whether more bytes come with the last.
    private var isWaiting: Bool {
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 50) > 0
    }

    private func read(_ descriptor: Int32) -> UInt8? {
        var byte: UInt8 = 0
        while true {
            #if canImport(Darwin)
                let count = Darwin.read(descriptor, &byte, 1)
            #elseif canImport(Glibc)
                let count = Glibc.read(descriptor, &byte, 1)
            #elseif canImport(Musl)
                let count = Musl.read(descriptor, &byte, 1)
            #endif
            if count == 1 { return byte }
            guard count < 0, errno == EINTR else { return nil }
        }
    }
}
