import SystemPackage
import ToolSupport
import YaprakLocks

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Another program that shows the output page by page.
///
/// Call `Pager.finish()` before the tool prints anything else and before it ends: it waits for the pager.
final class Pager: Sendable {
    /// The input of the pager.
    let sink: TextSink
    private let input: FileDescriptor
    private let process: pid_t

    private static let running = Mutex<Pager?>(nil)

    private init(process: pid_t, input: FileDescriptor) {
        self.process = process
        self.input = input
        sink = TextSink(input)
    }

    /// Starts the pager that the user wants; nil for none.
    static func start() -> Pager? {
        let wanted = variable("YAPRAK_PAGER") ?? variable("PAGER") ?? "less -FRX"
        guard !wanted.isEmpty, wanted != "cat", let pipe = try? FileDescriptor.pipe() else { return nil }
        // The pager must not hold the end that is written to, or it would never see the end.
        for end in [pipe.readEnd, pipe.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        defer { try? pipe.readEnd.close() }
        if variable("LESS") == nil { setenv("LESS", "FRX", 1) }
        guard let process = spawn(wanted, reading: pipe.readEnd) else {
            try? pipe.writeEnd.close()
            return nil
        }
        // Ctrl-C belongs to the pager; the subcommand is notified and ends at a consistent point.
        Interruption.listenPatiently()
        let pager = Pager(process: process, input: pipe.writeEnd)
        running.withLock { $0 = pager }
        return pager
    }

    /// Writes what is left, and waits for the pager to end.
    static func finish() {
        guard
            let pager = running.withLock({ running in
                defer { running = nil }
                return running
            })
        else { return }
        try? pager.sink.flush()
        try? pager.input.close()
        var status: Int32 = 0
        while waitpid(pager.process, &status, 0) < 0, errno == EINTR {}
    }

    private static func spawn(_ command: String, reading input: FileDescriptor) -> pid_t? {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.rawValue, STDIN_FILENO)
        #if canImport(Darwin)
            var attributes: posix_spawnattr_t?
        #else
            var attributes = posix_spawnattr_t()
        #endif
        guard posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer { posix_spawnattr_destroy(&attributes) }
        // This program ignores closed pipes; a pager that is several programs must not.
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var arguments = ["/bin/sh", "-c", command].map { (text: String) in strdup(text) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        return posix_spawn(&process, "/bin/sh", &actions, &attributes, &arguments, environ) == 0 ? process : nil
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
