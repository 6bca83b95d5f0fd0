import Dispatch
import Foundation

extension Settings {
    /// Removes the files and ends the process when a Ctrl-C comes, or a request to end.
    ///
    /// For a process that measures itself: one with ``Children`` has to end them first.
    /// - Returns: what has to be kept as long as files are there.
    func removeFilesWhenInterrupted() -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                removeFiles()
                // At once: what measures goes on meanwhile, and would make files again.
                _exit(128 + number)
            }
            source.activate()
            return source
        }
    }
}
