import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Hears Ctrl-C, so that work in progress can end where it is whole. The second Ctrl-C ends the program at once.
///
///     Interruption.listen()
///     while !Interruption.isRequested { … }
package enum Interruption {
    private static let requested = Atomic(false)

    /// Whether somebody wants the work to end.
    package static var isRequested: Bool { requested.load(ordering: .relaxed) }

    /// Starts to listen, for the rest of the program's life.
    package static func listen() {
        // The handler may not be the first to touch the flag: what initializes it is not safe in a signal handler.
        _ = isRequested
        signal(SIGINT) { _ in
            if Interruption.requested.exchange(true, ordering: .relaxed) { _exit(130) }
        }
    }
}
