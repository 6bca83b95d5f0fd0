#if SQLite
    import Dispatch

    /// Runs an actor that reads files, on threads of the system.
    ///
    /// SQLite sleeps for seconds where another program holds the file, and the program's closures may take as long as they like:
    /// on a thread of Swift's tasks, of which there are as many as cores, all others would wait for them.
    final class ImportQueue: SerialExecutor {
        private let queue = DispatchQueue(label: "yaprak.import")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }
#endif
