package import SystemPackage
import YaprakLocks

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Buffers text for a file descriptor, or keeps it.
package final class TextSink: Sendable {
    private let descriptor: FileDescriptor?
    private let held = Mutex<[UInt8]>([])
    private static let heldBytesMax = 32 << 10

    /// A sink that writes to a descriptor.
    package init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    /// A sink that keeps what it is given.
    package init() { descriptor = nil }

    /// What was written and not handed on; all of it, if there is no descriptor.
    package var text: String { held.withLock { String(decoding: $0, as: UTF8.self) } }

    /// Takes text. Standard error should be flushed after each line.
    /// - Throws: `Errno`; `brokenPipe` when the reader is gone.
    package func write(_ text: String) throws {
        try held.withLock { held in
            held.append(contentsOf: text.utf8)
            if held.count >= Self.heldBytesMax { try pass(&held) }
        }
    }

    /// Hands on what is held back.
    package func flush() throws { try held.withLock { try pass(&$0) } }

    /// Whether nobody will read what is written: the other end of the pipe is closed, or the terminal is gone. Asks the system,
    /// and writes nothing.
    package var hasLostReader: Bool {
        guard let descriptor else { return false }
        // Darwin looks at nothing of a descriptor that is asked for no event.
        var asked = pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
        return poll(&asked, 1, 0) > 0 && asked.revents & Self.lossEvents != 0
    }

    #if canImport(Darwin)
        // POLLNVAL is also said of devices that can't be polled, such as /dev/null.
        private static let lossEvents = Int16(POLLERR | POLLHUP)
    #else
        private static let lossEvents = Int16(POLLERR | POLLHUP | POLLNVAL)
    #endif

    /// Whether a terminal gets what is written.
    var isTerminal: Bool { descriptor.map { isatty($0.rawValue) == 1 } ?? false }

    private func pass(_ held: inout [UInt8]) throws {
        guard let descriptor, !held.isEmpty else { return }
        defer { held.removeAll(keepingCapacity: true) }
        try held.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                do {
                    rest = rest.dropFirst(try descriptor.write(UnsafeRawBufferPointer(rebasing: rest)))
                } catch let error as Errno where error == .resourceTemporarilyUnavailable {
                    // Another program that has the same terminal or pipe may have made it one that nobody waits for.
                    var asked = pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&asked, 1, -1)
                }
            }
        }
    }
}
