package import SystemPackage
internal import YaprakModel

/// A failed call to the file system.
package struct DiskError: ErrorWithoutValues, Sendable, CustomStringConvertible {
    /// The calls there are.
    package enum Operation: String, Sendable, CaseIterable {
        case openDirectory, makeDirectory, open, list, rename, link, unlink, removeDirectory, syncDirectory, lock
        case size, read, write, syncData, sync, allocate, truncate, close
    }

    /// What was called.
    package let operation: Operation
    /// The name it was called for.
    package let name: String
    /// What the system said.
    package let errno: Errno

    package init(_ operation: Operation, _ name: String, _ errno: Errno) {
        self.operation = operation
        self.name = name
        self.errno = errno
    }

    /// `write 0001.wal: No space left on device`.
    package var description: String { "\(operation.rawValue) \(name): \(errno)" }
}

extension Errno: ErrorWithoutValues {}
