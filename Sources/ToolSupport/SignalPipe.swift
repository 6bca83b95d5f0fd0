#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Ends a wait for input when a signal comes, whichever thread the system gave the signal to.
///
/// A signal interrupts the calls of one thread only, and none that begins a moment later. A byte in a pipe is still there.
enum SignalPipe {
    /// The end that is waited for, and the end that handlers write to; -1 if the system has none to give.
    private static let ends: (read: Int32, write: Int32) = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return (-1, -1) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return (ends[0], ends[1])
    }()

    /// Makes the pipe: not a thing for a handler.
    static func open() { _ = ends }

    /// To be called by handlers. A full pipe is as good as a written one.
    static func wake() {
        let before = errno
        var byte: UInt8 = 0
        _ = write(ends.write, &byte, 1)
        errno = before
    }

    /// Waits until standard input has something to read, or its end; `false` if a signal came first.
    static func awaitInput() -> Bool {
        var asked = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&asked, 2, -1) > 0 else { return false }
        guard asked[1].revents != 0 else { return true }
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(ends.read, &bytes, bytes.count) > 0 {}
        return false
    }
}
