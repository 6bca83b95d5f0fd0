#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#endif

/// Does to this process what Ctrl-C does. Its handler has run, on this thread, when this returns: threads of a pool don't take
/// signals otherwise.
package func raiseInterrupt() {
    var interrupt = sigset_t()
    var before = sigset_t()
    sigemptyset(&interrupt)
    sigaddset(&interrupt, SIGINT)
    pthread_sigmask(SIG_UNBLOCK, &interrupt, &before)
    raise(SIGINT)
    pthread_sigmask(SIG_SETMASK, &before, nil)
}
