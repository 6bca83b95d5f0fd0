/// The user pressed Ctrl-C. The output is complete up to here; the exit code is 130.
struct Interrupted: Error {}
