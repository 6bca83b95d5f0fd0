import Dispatch
import Foundation
import Synchronization

/// Processes that do a measure each, one after another.
final class Children: Sendable {
    private let settings: Settings
    /// The process at work; 0 between two.
    private let child = Atomic<Int32>(0)
    private let isInterrupted = Atomic(false)

    init(_ settings: Settings) { self.settings = settings }

    /// Ends the child at work when a Ctrl-C comes: it is in a process group of its own, so that it is sent none.
    /// - Returns: what has to be kept as long as children work.
    func handleInterrupts() -> any DispatchSourceSignal {
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT)
        source.setEventHandler { [self] in
            isInterrupted.store(true, ordering: .sequentiallyConsistent)
            let child = child.load(ordering: .sequentiallyConsistent)
            if child != 0 { kill(child, SIGTERM) }
        }
        source.activate()
        return source
    }

    /// What a process says of one measure. What it complains of goes where this process complains.
    func findings(of measure: String) throws -> [Finding] {
        let process = Process(), output = Pipe()
        process.executableURL = Bundle.main.executableURL
        process.arguments = settings.arguments(for: measure)
        process.standardOutput = output
        try process.run()
        child.store(process.processIdentifier, ordering: .sequentiallyConsistent)
        if isInterrupted.load(ordering: .sequentiallyConsistent) { process.terminate() }
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        child.store(0, ordering: .sequentiallyConsistent)
        if isInterrupted.load(ordering: .sequentiallyConsistent) {
            settings.removeFiles()
            exit(130)
        }
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw ChildError(status: process.terminationStatus)
        }
        return try JSONDecoder().decode([Finding].self, from: text)
    }
}

struct ChildError: Error, CustomStringConvertible {
    let status: Int32
    var description: String { "its process ended with \(status)" }
}
