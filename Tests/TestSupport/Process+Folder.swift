public import Foundation

extension Process {
    /// A process that runs in the folder of the package.
    ///
    /// By itself it would take over the folder in which its object is made, and a suite may stand in one that is gone when it
    /// is run.
    public static func inRepository() -> Process {
        let process = Process()
        process.currentDirectoryURL = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return process
    }
}
