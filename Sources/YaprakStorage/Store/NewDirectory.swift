internal import SystemPackage
internal import YaprakModel

/// A database directory that is being made: under a temporary name beside its place, until it is complete and durable.
///
/// Never replaces anything. A crash leaves the temporary directory, or the whole of the new one. The lock of the database
/// is held in it from the beginning until it has its own name: a temporary directory whose lock is free was left by a
/// process that is gone, and the next one with the same target removes it.
final class NewDirectory: Sendable {
    let segments: any Directory
    let checkpoints: any Directory
    let root: any Directory
    private let parent: any Directory
    private let path: FilePath
    private let name: String
    private let temporary: String
    /// nil on a file system without locks, where nobody takes anything for abandoned.
    private let lock: (any FileLock)?
    private let isDone = OnceFlag()

    /// Makes the temporary directory.
    ///
    /// - Throws: `alreadyExists`, `notFound` (the parent), `DiskError`.
    init(_ path: FilePath, random: UInt64, _ fileSystem: any FileSystem) throws {
        guard let parts = PathParts(path) else {
            throw DatabaseError(.notFound, "\(path) can't be made.", place: .init(file: path.string))
        }
        do {
            parent = try fileSystem.openDirectory(parts.parent)
        } catch {
            throw DatabaseError(
                .notFound, "The directory \(parts.parent) can't be opened. Make it first.",
                place: .init(file: parts.parent.string), cause: error)
        }
        self.path = path
        name = parts.name
        temporary = TemporaryName.of(parts.name, random)
        guard try !parent.contains(name) else { throw Self.taken(path, cause: nil) }
        AbandonedDirectories.remove(of: name, in: parent)
        try parent.makeDirectory(temporary)
        do {
            root = try parent.openDirectory(temporary)
            lock = try Self.takeLock(in: root, path)
            try root.makeDirectory(Layout.segmentsName)
            try root.makeDirectory(Layout.checkpointsName)
            segments = try root.openDirectory(Layout.segmentsName)
            checkpoints = try root.openDirectory(Layout.checkpointsName)
        } catch {
            if let root = try? parent.openDirectory(temporary) {
                try? root.removeDirectory(Layout.segmentsName)
                try? root.removeDirectory(Layout.checkpointsName)
                try? root.unlink(Layout.lockName)
            }
            try? parent.removeDirectory(temporary)
            throw error
        }
    }

    deinit { cancel() }

    /// Writes the file of tags, if there are any.
    func write(tags: [UInt8]) throws(DiskError) {
        if tags.isEmpty { return }
        let file = try root.open(Layout.tagsName, .create)
        defer { try? file.close() }
        try file.writeAll(tags, at: 0)
        try file.sync()
    }

    /// Makes every name durable, and gives the directory its own.
    ///
    /// - Throws: `alreadyExists` if something has come to the place meanwhile; `DiskError`.
    func finish() throws {
        try segments.sync()
        try checkpoints.sync()
        try root.sync()
        do {
            try parent.rename(temporary, to: name)
        } catch {
            guard error.errno == .fileExists || error.errno == .directoryNotEmpty else { throw error }
            throw Self.taken(path, cause: error)
        }
        _ = isDone.set()
        lock?.release()
        // A rename is not durable until its directory is.
        try parent.sync()
    }

    /// Gives up, and takes away what was made.
    func cancel() {
        guard isDone.set() else { return }
        for (directory, name) in [
            (segments, Layout.segmentsName), (checkpoints, Layout.checkpointsName),
        ] {
            for file in (try? directory.list(limit: FormatLimits.directoryEntriesMax)) ?? [] {
                try? directory.unlink(file)
            }
            try? root.removeDirectory(name)
        }
        for file in (try? root.list(limit: FormatLimits.directoryEntriesMax)) ?? [] { try? root.unlink(file) }
        try? parent.removeDirectory(temporary)
        lock?.release()
    }

    private static func takeLock(in root: any Directory, _ path: FilePath) throws -> (any FileLock)? {
        do {
            if let lock = try root.lock(Layout.lockName) { return lock }
        } catch {
            return nil
        }
        // Somebody else took it for abandoned in the moment before.
        throw DatabaseError(
            .alreadyOpen, "Another process makes \(path), too. Try again.", place: .init(file: path.string))
    }

    private static func taken(_ path: FilePath, cause: (any Error)?) -> DatabaseError {
        DatabaseError(
            .alreadyExists, "There is something at \(path). Choose another path, or remove it.",
            place: .init(file: path.string), cause: cause)
    }
}

extension Directory {
    /// Whether there is something of that name.
    fileprivate func contains(_ name: String) throws(DiskError) -> Bool {
        do throws(DiskError) {
            _ = try openDirectory(name)
            return true
        } catch {
            return error.errno != .noSuchFileOrDirectory
        }
    }
}
