package import SystemPackage

/// Everything the engine does with a disk. Tests replace it with a simulated disk.
///
/// After the first path, all names are relative to an opened directory.
package protocol FileSystem: Sendable {
    /// Opens an existing directory. A symbolic link is refused.
    func openDirectory(_ path: FilePath) throws(DiskError) -> any Directory
}

/// How a file is opened.
package enum OpenMode: Sendable {
    /// For reading. The file must exist.
    case read
    /// For reading and writing. The file must exist.
    case write
    /// For reading and writing. The file must not exist yet.
    case create
    /// For reading and writing. The file is created if absent.
    case createIfAbsent
}

/// An opened directory.
package protocol Directory: AnyObject, Sendable {
    /// Opens a directory in this one. A symbolic link is refused.
    func openDirectory(_ name: String) throws(DiskError) -> any Directory
    /// Creates a directory that only the owner can access.
    func makeDirectory(_ name: String) throws(DiskError)
    /// Opens a regular file in this one; anything else is refused.
    func open(_ name: String, _ mode: OpenMode) throws(DiskError) -> any File
    /// The names in this directory, in no order; at most `limit`.
    func list(limit: Int) throws(DiskError) -> [String]
    /// Renames; never replaces.
    func rename(_ source: String, to target: String) throws(DiskError)
    /// Renames a file to the name of another, which it replaces atomically.
    func replace(_ target: String, by source: String) throws(DiskError)
    /// Makes a hard link in `directory` to a file of this one.
    func link(_ source: String, to target: String, in directory: any Directory) throws(DiskError)
    /// Removes the name of a file.
    func unlink(_ name: String) throws(DiskError)
    /// Removes an empty directory.
    func removeDirectory(_ name: String) throws(DiskError)
    /// Makes the names in this directory durable.
    func sync() throws(DiskError)
    /// Takes the exclusive lock of a file in this directory; nil if it is taken.
    func lock(_ name: String) throws(DiskError) -> (any FileLock)?
    /// Gives other processes time to finish what they write. A simulated disk has no others, and does not wait.
    func waitForOthers(microseconds: UInt32)
}

/// An opened file. Reads may run on many threads at once; writes come from one.
package protocol File: AnyObject, Sendable {
    /// The length of the file.
    func size() throws(DiskError) -> UInt64
    /// Whether any name leads to the file: false once it was removed.
    func hasName() throws(DiskError) -> Bool
    /// Whether more than one name leads to the file: what is written to it is then in other places, too.
    func hasOtherNames() throws(DiskError) -> Bool
    /// The first offset from `offset` on whose byte may be other than zero, because space is allocated for it; `UInt64.max` if
    /// there is none. A file system that does not tell answers with `offset`.
    func nextData(from offset: UInt64) -> UInt64
    /// Reads at an offset. May read less than requested, zero bytes only at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int
    /// Writes at an offset. May write less than requested.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int
    /// Makes the content and the length durable.
    func syncData() throws(DiskError)
    /// Makes the content, the length and all other metadata of the file durable.
    func sync() throws(DiskError)
    /// Allocates space from the end of the file up to `length`, or only the length, where a system has no call for both. The
    /// new part reads as zeros.
    func allocate(to length: UInt64) throws(DiskError)
    /// Truncates the file.
    func truncate(to length: UInt64) throws(DiskError)
    /// Asks the operating system to drop its cache of this file.
    func dropCache()
    /// Closes the file, even if it throws.
    func close() throws(DiskError)
}

extension File {
    func hasName() throws(DiskError) -> Bool { true }
    package func hasOtherNames() throws(DiskError) -> Bool { false }
    package func nextData(from offset: UInt64) -> UInt64 { offset }
}

/// A lock that is held until it is released.
package protocol FileLock: AnyObject, Sendable {
    /// Whether the file of the lock had other names when it was taken: then nothing is written to it.
    var hasOtherNames: Bool { get }
    /// Writes who holds it into the first 64 bytes of the file, for information only.
    func note(_ text: String)
    /// Releases the lock.
    func release()
}

extension FileLock {
    package var hasOtherNames: Bool { false }
}
