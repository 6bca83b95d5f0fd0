import Dispatch
import Foundation

/// Processes that do a measure each, one after another.
struct Children {
    let settings: Settings

    /// What a process says of one measure. What it complains of goes where this process complains.
    func findings(of measure: String) throws -> [Finding] {
        let child = Process(), output = Pipe()
        child.executableURL = Bundle.main.executableURL
        child.arguments = settings.arguments(for: measure)
        child.standardOutput = output
        try child.run()
        // The child is in a process group of its own: a Ctrl-C does not reach it.
        signal(SIGINT, SIG_IGN)
        let interrupts = DispatchSource.makeSignalSource(signal: SIGINT)
        interrupts.setEventHandler { child.terminate() }
        interrupts.activate()
        defer { interrupts.cancel() }
        let text = output.fileHandleForReading.readDataToEndOfFile()
        child.waitUntilExit()
        if child.terminationReason == .uncaughtSignal, child.terminationStatus == SIGTERM {
            settings.removeFiles()
            exit(130)
        }
        guard child.terminationReason == .exit, child.terminationStatus == 0 else {
            throw ChildError(status: child.terminationStatus)
        }
        return try JSONDecoder().decode([Finding].self, from: text)
    }
}

struct ChildError: Error, CustomStringConvertible {
    let status: Int32
    var description: String { "its process ended with \(status)" }
}
