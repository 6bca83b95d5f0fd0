package import SystemPackage

/// Everything the engine does to a disk. Tests put a simulated one in its place.
///
/// Below the first path there are only names relative to an opened directory.
package protocol FileSystem: Sendable {
    /// Opens a directory that exists. A symbolic link is refused.
    func openDirectory(_ path: FilePath) throws(DiskError) -> any Directory
}

/// How a file is opened.
package enum OpenMode: Sendable {
    /// For reading; it exists.
    case read
    /// For reading and writing; it exists.
    case write
    /// For reading and writing; it must not exist yet.
    case create
    /// For reading and writing; made if absent.
    case createIfAbsent
}

/// An opened directory.
package protocol Directory: AnyObject, Sendable {
    /// Opens a directory in this one. A symbolic link is refused.
    func openDirectory(_ name: String) throws(DiskError) -> any Directory
    /// Makes a directory for the owner only.
    func makeDirectory(_ name: String) throws(DiskError)
    /// Opens a regular file in this one; anything else is refused.
    func open(_ name: String, _ mode: OpenMode) throws(DiskError) -> any File
    /// The names in this directory, in no order; at most `limit`.
    func list(limit: Int) throws(DiskError) -> [String]
    /// Renames; never replaces.
    func rename(_ source: String, to target: String) throws(DiskError)
    /// Gives a file the name of another, which is gone then; at no time is there neither.
    func replace(_ target: String, by source: String) throws(DiskError)
    /// Makes a second name, in `directory`, for a file of this one.
    func link(_ source: String, to target: String, in directory: any Directory) throws(DiskError)
    /// Removes the name of a file.
    func unlink(_ name: String) throws(DiskError)
    /// Removes an empty directory.
    func removeDirectory(_ name: String) throws(DiskError)
    /// Makes the names in this directory durable.
    func sync() throws(DiskError)
    /// Takes the exclusive lock that belongs to a file of this directory; nil if someone has it.
    func lock(_ name: String) throws(DiskError) -> (any FileLock)?
}

/// An opened file. Reads may run on many threads at once; writes come from one.
package protocol File: AnyObject, Sendable {
    /// The length of the file.
    func size() throws(DiskError) -> UInt64
    /// Whether any name leads to the file: none does when somebody has removed it.
    func hasName() throws(DiskError) -> Bool
    /// Reads at an offset; may read less than asked for, zero bytes only at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int
    /// Writes at an offset; may write less than asked for.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int
    /// Makes content and length durable.
    func syncData() throws(DiskError)
    /// Makes content, length and everything else of the file durable.
    func sync() throws(DiskError)
    /// Takes space up to `length` from the file system; the file reads as zeros there.
    func allocate(to length: UInt64) throws(DiskError)
    /// Shortens the file.
    func truncate(to length: UInt64) throws(DiskError)
    /// Asks the operating system to forget what it has cached of this file.
    func dropCache()
    /// Closes. Errors are reported, and the file is closed nevertheless.
    func close() throws(DiskError)
}

extension File {
    func hasName() throws(DiskError) -> Bool { true }
}

/// A lock that is held until it is released.
package protocol FileLock: AnyObject, Sendable {
    /// Writes down who holds it, in the first 64 bytes of the file; information only.
    func note(_ text: String)
    /// Gives it back.
    func release()
}
