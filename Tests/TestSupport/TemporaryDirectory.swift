import Foundation

/// A directory of a test's own, gone when the test is.
public final class TemporaryDirectory: Sendable {
    /// Where it is.
    public let path: String

    /// Makes one.
    public init() {
        path = FileManager.default.temporaryDirectory.appending(path: "yaprak-\(UUID().uuidString)").path(
            percentEncoded: false)
        try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of `name` in it.
    public func appending(_ name: String) -> String { path + "/" + name }

    /// The names of the files at `name` in it, ascending.
    public func files(in name: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: appending(name))) ?? []).sorted()
    }
}
