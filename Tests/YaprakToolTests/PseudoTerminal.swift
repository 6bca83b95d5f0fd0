import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A program on a terminal of its own, as a person has it: with a size, keys, and what the screen is sent.
///
///     let terminal = try PseudoTerminal("yaprak", ["replay", shop, "--step"], columns: 80, rows: 24)
///     try terminal.wait(for: "commit 1 of 3")
///     terminal.type("q")
///     #expect(terminal.end() == .exited(0))
final class PseudoTerminal {
    enum Ending: Equatable {
        case exited(Int32)
        case killed(Int32)
    }

    struct TimedOut: Error, CustomStringConvertible {
        let description: String
    }

    let process = Process.inRepository()
    private let master: Int32
    private let slave: Int32
    private(set) var text = ""
    /// How the terminal was before the program had it.
    private let before: termios

    /// Starts one of the package's programs, or one at an absolute path.
    init(
        _ program: String, _ arguments: [String], columns: Int, rows: Int, environment: [String: String] = [:]
    ) throws {
        (master, slave) = try Self.open()
        var modes = termios()
        tcgetattr(slave, &modes)
        before = modes
        process.executableURL = program.hasPrefix("/") ? URL(fileURLWithPath: program) : BuiltProgram.url(program)
        process.arguments = arguments
        var variables = ProcessInfo.processInfo.environment
        variables["TERM"] = "xterm"
        variables["NO_COLOR"] = nil
        // Not the developer's own pager.
        variables["YAPRAK_PAGER"] = nil
        variables["PAGER"] = "cat"
        variables.merge(environment) { $1 }
        process.environment = variables
        let handle = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
        (process.standardInput, process.standardOutput, process.standardError) = (handle, handle, handle)
        resize(columns: columns, rows: rows)
        try process.run()
    }

    /// The two ends of a new terminal: the program's is the second.
    private static func open() throws -> (Int32, Int32) {
        #if os(Linux)
            // The module map of Glibc has none of posix_openpt and its like: the requests to the driver, from
            // asm-generic/ioctls.h.
            let unlock: UInt = 0x4004_5431, number: UInt = 0x8004_5430
            let master = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY)
            var isLocked: Int32 = 0, index: UInt32 = 0
            guard master >= 0, ioctl(master, unlock, &isLocked) == 0, ioctl(master, number, &index) == 0 else {
                throw TimedOut(description: "there is no pseudo-terminal: \(errno)")
            }
            let slave = Glibc.open("/dev/pts/\(index)", O_RDWR | O_NOCTTY)
        #else
            let master = posix_openpt(O_RDWR | O_NOCTTY)
            guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master) else {
                throw TimedOut(description: "there is no pseudo-terminal: \(errno)")
            }
            let slave = Darwin.open(name, O_RDWR | O_NOCTTY)
        #endif
        guard slave >= 0 else { throw TimedOut(description: "the terminal can't be opened: \(errno)") }
        return (master, slave)
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        close(master)
        close(slave)
    }

    func resize(columns: Int, rows: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
    }

    func type(_ keys: String) { _ = Array(keys.utf8).withUnsafeBytes { write(master, $0.baseAddress, $0.count) } }

    /// Reads what is there, waiting for it a moment.
    private func readSome(milliseconds: Int32) -> Bool {
        var asked = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard poll(&asked, 1, milliseconds) > 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(master, &bytes, bytes.count)
        guard count > 0 else { return false }
        text += String(decoding: bytes[..<count], as: UTF8.self)
        return true
    }

    /// Waits until the screen was sent a text, counted from `start`.
    func wait(for expected: String, after start: Int = 0, seconds: Double = 60) throws {
        let end = Date(timeIntervalSinceNow: seconds)
        while !text.dropFirst(start).contains(expected) {
            guard Date() < end else {
                throw TimedOut(
                    description: "\(expected.debugDescription) did not come in: \(text.suffix(2000).debugDescription)")
            }
            _ = readSome(milliseconds: 50)
        }
    }

    /// Reads until nothing has come for a while.
    func settle(milliseconds: Int32) { while readSome(milliseconds: milliseconds) {} }

    /// Waits for the program to end; reads what is left. Who does not end within a minute is ended by a signal.
    func end() -> Ending {
        let end = Date(timeIntervalSinceNow: 60)
        while process.isRunning {
            _ = readSome(milliseconds: 20)
            guard Date() >= end else { continue }
            Issue.record("the program did not end: \(text.suffix(2000).debugDescription)")
            kill(process.processIdentifier, SIGKILL)
            break
        }
        while readSome(milliseconds: 20) {}
        process.waitUntilExit()
        return process.terminationReason == .exit
            ? .exited(process.terminationStatus) : .killed(process.terminationStatus)
    }

    /// Whether the terminal has lines, echo and signals as before.
    var isAsBefore: Bool {
        var now = termios()
        tcgetattr(slave, &now)
        return now.c_lflag == before.c_lflag && now.c_iflag == before.c_iflag && now.c_oflag == before.c_oflag
    }
}
