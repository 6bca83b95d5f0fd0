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
///     while let key = keyboard.next(), key != .interrupt { … }
///
/// Ctrl-C is a key like any other meanwhile, so that its reader can restore the terminal first.
package final class Keyboard {
    /// A key that was pressed.
    package enum Key: Sendable, Hashable {
        case character(Character)
        case left, right, up, down, pageUp, pageDown, home, end, backspace
        /// Ctrl-C.
        case interrupt
    }

    private var before = termios()
    private var isTaken = false

    /// Takes the terminal's keys; `nil` if standard input is no terminal.
    package init?() {
        guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
        var raw = before
        cfmakeraw(&raw)
        // What is printed meanwhile still has lines.
        raw.c_oflag |= tcflag_t(OPOST)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) == 0 else { return nil }
        isTaken = true
    }

    deinit { leave() }

    /// Gives the keys back as they were.
    package func leave() {
        guard isTaken else { return }
        isTaken = false
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
    }

    /// Waits for a key; `nil` at the end of the input.
    package func next() -> Key? {
        while let byte = read(STDIN_FILENO) {
            switch byte {
            case 0x03: return .interrupt
            case 0x1b: if let key = escape() { return key }
            case 0x20...0x7e: return .character(Character(UnicodeScalar(byte)))
            case 0x0d, 0x0a: return .character("\n")
            case 0x08, 0x7f: return .backspace
            case 0xc2...0xf4: if let character = character(startingWith: byte) { return .character(character) }
            default: continue
            }
        }
        return nil
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
        else { return .character("q") }
        var parameter: UInt8 = 0
        while let byte = read(STDIN_FILENO) {
            switch byte {
            case UInt8(ascii: "A"): return .up
            case UInt8(ascii: "B"): return .down
            case UInt8(ascii: "C"): return .right
            case UInt8(ascii: "D"): return .left
            case UInt8(ascii: "H"): return .home
            case UInt8(ascii: "F"): return .end
            case UInt8(ascii: "~"):
                let named: [UInt8: Key] = [
                    UInt8(ascii: "1"): .home, UInt8(ascii: "4"): .end, UInt8(ascii: "5"): .pageUp,
                    UInt8(ascii: "6"): .pageDown,
                ]
                return named[parameter]
            case 0x30...0x3f: parameter = byte
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
