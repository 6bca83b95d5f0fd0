import Foundation

extension BuiltProgram {
    /// How a program ended, and what it said on both its outputs.
    public struct End: Sendable {
        /// The exit code; nil if a signal ended the program.
        public let code: Int32?
        public let text: String
    }

    /// Runs a program to its end. No thread waits for it meanwhile.
    /// - Parameter addressSpace: bytes of memory, used or not, beyond which the program gets none. A Swift program that gets
    ///   none ends with a signal.
    public static func run(_ name: String, _ arguments: [String], addressSpace: Int? = nil) async throws -> End {
        let folder = TemporaryDirectory(), said = URL(fileURLWithPath: folder.appending("said"))
        try Data().write(to: said)
        let process = Process.inRepository()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        let limit = addressSpace.map { "ulimit -v \($0 >> 10) && " } ?? ""
        process.arguments = ["-c", limit + "exec \"$@\"", "sh", url(name).path] + arguments
        process.standardOutput = try FileHandle(forWritingTo: said)
        process.standardError = process.standardOutput
        let code: Int32? = try await withCheckedThrowingContinuation { ended in
            process.terminationHandler = {
                ended.resume(returning: $0.terminationReason == .exit ? $0.terminationStatus : nil)
            }
            do { try process.run() } catch { ended.resume(throwing: error) }
        }
        return End(code: code, text: String(decoding: try Data(contentsOf: said), as: UTF8.self))
    }
}
