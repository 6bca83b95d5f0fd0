// On these two systems no program can start another.
#if !os(tvOS) && !os(watchOS)
    package import SystemPackage

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A command that the user gave, and how it ended.
    ///
    ///     switch try ChildProcess.run("make test", environment: ["FOLDER": folder.path.cString]) {
    ///     case .exited(0): …
    ///
    /// The shell runs the command in this program's process group, so that Ctrl-C reaches it too. Its output goes to standard
    /// error: standard output is for data. Variables are bytes that end with a zero: neither a path nor what this program got
    /// itself need be UTF-8.
    package enum ChildProcess {
        /// How a command ended.
        package enum Ending: Sendable, Hashable {
            /// It exited with this code.
            case exited(Int32)
            /// A signal ended it.
            case killed(signal: Int32)
        }

        /// Runs a command to its end. An interruption (``Interruption``) is passed on to it, once.
        /// - Parameters:
        ///   - environment: its variables, by their names.
        ///   - hasInput: whether it may read standard input; if not, there is nothing to read.
        ///   - inherited: more of them, each with its name; those that `environment` has are left out.
        /// - Throws: `Errno` if the shell can't be started.
        package static func run(
            _ command: String, environment: [String: [CChar]], hasInput: Bool = true,
            inherited: [[CChar]] = ChildProcess.inherited
        ) throws(Errno) -> Ending {
            let names = environment.keys.map { Array("\($0)=".utf8CString.dropLast()) }
            var variables = inherited.filter { variable in !names.contains { variable.starts(with: $0) } }
            for (name, value) in environment { variables.append(Array("\(name)=".utf8CString.dropLast()) + value) }
            let child = try spawn(["/bin/sh", "-c", command].map { Array($0.utf8CString) }, variables, hasInput)
            var status: Int32 = 0
            var pause: UInt32 = 500
            var isInterrupted = false
            while true {
                let ended = waitpid(child, &status, WNOHANG)
                if ended == child { break }
                if ended < 0, errno != EINTR { throw Errno(rawValue: errno) }
                if Interruption.isRequested, !isInterrupted {
                    isInterrupted = true
                    kill(child, SIGINT)
                }
                usleep(pause)
                pause = min(pause * 2, 20_000)
            }
            // As the macros of sys/wait.h compute it, which Swift does not import.
            let signal = status & 0x7f
            return signal == 0 ? .exited((status >> 8) & 0xff) : .killed(signal: signal)
        }

        /// The variables of this program.
        package static var inherited: [[CChar]] {
            var variables: [[CChar]] = []
            var place = environ
            while let variable = place.pointee {
                variables.append(Array(UnsafeBufferPointer(start: variable, count: strlen(variable) + 1)))
                place += 1
            }
            return variables
        }

        private static func spawn(
            _ arguments: [[CChar]], _ variables: [[CChar]], _ hasInput: Bool
        ) throws(Errno) -> pid_t {
            #if canImport(Darwin)
                var actions: posix_spawn_file_actions_t?
                var attributes: posix_spawnattr_t?
            #else
                var actions = posix_spawn_file_actions_t()
                var attributes = posix_spawnattr_t()
            #endif
            posix_spawn_file_actions_init(&actions)
            posix_spawnattr_init(&attributes)
            defer {
                posix_spawn_file_actions_destroy(&actions)
                posix_spawnattr_destroy(&attributes)
            }
            posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
            if !hasInput { posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) }
            // This program ignores closed pipes; its child must not.
            var defaults = sigset_t()
            sigemptyset(&defaults)
            sigaddset(&defaults, SIGPIPE)
            posix_spawnattr_setsigdefault(&attributes, &defaults)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

            var child: pid_t = 0
            let code = withStrings(arguments) { argv in
                withStrings(variables) { envp in posix_spawn(&child, "/bin/sh", &actions, &attributes, argv, envp) }
            }
            guard code == 0 else { throw Errno(rawValue: code) }
            return child
        }

        private static func withStrings<Result>(
            _ strings: [[CChar]], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
        ) -> Result {
            var pointers = strings.map { strdup($0) } + [nil]
            defer { for pointer in pointers { free(pointer) } }
            return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
        }
    }
#endif
