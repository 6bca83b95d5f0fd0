public import Foundation

/// The package's programs, as they were built beside the tests.
///
///     process.executableURL = BuiltProgram.url("CrashWriter")
public enum BuiltProgram {
    /// Where a program lies: an absolute path, also while a test has gone to another directory.
    public static func url(_ name: String) -> URL {
        tests.deletingLastPathComponent().appending(path: name)
    }

    #if canImport(Darwin)
        /// The bundle with the tests, which a program of Xcode loads.
        public static var tests: URL { Bundle(for: InBundle.self).bundleURL }

        private final class InBundle {}
    #else
        /// The program that runs the tests.
        public static var tests: URL {
            // The first argument may be a path from the directory that the process was started in.
            let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(fileURLWithPath: own ?? CommandLine.arguments[0])
        }
    #endif
}
