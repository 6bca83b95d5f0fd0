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
    private let command: String
    private let input: FileDescriptor
    private let process: pid_t

    private static let running = Mutex<Pager?>(nil)

    private init(_ command: String, process: pid_t, input: FileDescriptor) {
        self.command = command
        self.process = process
        self.input = input
        sink = TextSink(input)
    }

    /// Starts the pager that the user wants; nil for none, and where nobody names one and there is no `less`.
    static func start() -> Pager? {
        let named = variable("YAPRAK_PAGER") ?? variable("PAGER")
        // The shell would start in any case, and what it is sent would be lost.
        guard named != nil || isInstalled("less") else { return nil }
        let wanted = named ?? "less -FRX"
        guard !wanted.isEmpty, wanted != "cat", let pipe = try? FileDescriptor.pipe() else { return nil }
        // The pager must not hold the end that is written to, or it would never see the end.
        for end in [pipe.readEnd, pipe.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        defer { try? pipe.readEnd.close() }
        if variable("LESS") == nil { setenv("LESS", "FRX", 1) }
        guard let process = spawn(wanted, reading: pipe.readEnd) else {
            try? pipe.writeEnd.close()
            return nil
        }
        // Ctrl-C belongs to the pager; the subcommand is notified and ends at a consistent point. Once the pager is gone, the
        // second ends the tool at once.
        Interruption.listenPatiently(writingTo: pipe.writeEnd.rawValue)
        let pager = Pager(wanted, process: process, input: pipe.writeEnd)
        running.withLock { $0 = pager }
        return pager
    }

    /// Writes what is left, and waits for the pager to end.
    /// - Throws: ``Failure`` if the shell could not run it: nothing was shown then.
    static func finish() throws(Failure) {
        guard
            let pager = running.withLock({ running in
                defer { running = nil }
                return running
            })
        else { return }
        try? pager.sink.flush()
        Interruption.listenPatiently()
        try? pager.input.close()
        var status: Int32 = 0
        while waitpid(pager.process, &status, 0) < 0, errno == EINTR {}
        // The shell's codes for a command that it can't run or can't find; the low bits are those of a signal.
        guard status & 0x7f == 0, [126, 127].contains((status >> 8) & 0xff) else { return }
        throw Failure(
            "pagerFailed", "the pager \(pager.command.debugDescription) can't be run, and nothing was shown",
            exitCode: 6, hint: "--no-pager prints directly; YAPRAK_PAGER names another.")
    }

    /// Whether the shell finds a program.
    private static func isInstalled(_ program: String) -> Bool {
        let folders = (variable("PATH") ?? "/usr/bin:/bin").split(separator: ":", omittingEmptySubsequences: false)
        return folders.contains { access("\($0.isEmpty ? "." : $0)/\(program)", X_OK) == 0 }
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
