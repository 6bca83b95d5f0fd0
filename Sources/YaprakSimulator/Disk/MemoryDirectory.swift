internal import SystemPackage
internal import YaprakLocks
internal import YaprakStorage

/// A directory of the simulated disk.
final class MemoryDirectory: Directory {
    private let system: MemoryFileSystem
    private let node: Int

    init(_ system: MemoryFileSystem, _ node: Int) {
        self.system = system
        self.node = node
    }

    /// Counts the call, then runs `body` on the disk.
    private func call<T: Sendable>(
        _ operation: DiskError.Operation, _ name: String, changes: Bool,
        _ body: (inout SimulatedDisk, SimulatedDisk.Course) throws(DiskError) -> T
    ) throws(DiskError) -> T {
        system.beforeCall(operation, changes)
        let result = system.disk.withLock { disk in
            Result { () throws(DiskError) -> T in
                let course = try disk.begin(operation, name, of: node, changes: changes)
                let result = try body(&disk, course)
                guard let error = course.errorAfter else { return result }
                throw DiskError(operation, name, error)
            }
        }
        return try result.get()
    }

    func openDirectory(_ name: String) throws(DiskError) -> any Directory {
        let opened = try call(.openDirectory, name, changes: false) { disk, _ throws(DiskError) in
            try disk.directory(name, in: node, .openDirectory)
        }
        return MemoryDirectory(system, opened)
    }

    func makeDirectory(_ name: String) throws(DiskError) {
        try call(.makeDirectory, name, changes: true) { disk, _ throws(DiskError) in
            guard disk.directories[node]?.current[name] == nil else {
                throw DiskError(.makeDirectory, name, .fileExists)
            }
            let made = disk.nextNode
            disk.nextNode += 1
            disk.directories[made] = .init()
            disk.change(node, set: [(name, made)])
        }
    }

    func open(_ name: String, _ mode: OpenMode) throws(DiskError) -> any File {
        let opened = try call(.open, name, changes: mode == .create || mode == .createIfAbsent) {
            disk, _ throws(DiskError) in
            if let existing = disk.directories[node]?.current[name] {
                guard mode != .create else { throw DiskError(.open, name, .fileExists) }
                guard disk.files[existing] != nil else { throw DiskError(.open, name, .invalidArgument) }
                return existing
            }
            guard mode == .create || mode == .createIfAbsent else {
                throw DiskError(.open, name, .noSuchFileOrDirectory)
            }
            let made = disk.makeFile()
            disk.change(node, set: [(name, made)])
            return made
        }
        return MemoryFile(system, opened, name)
    }

    func list(limit: Int) throws(DiskError) -> [String] {
        try call(.list, ".", changes: false) { disk, _ throws(DiskError) in
            let names = disk.directories[node]?.current.keys.sorted() ?? []
            guard names.count <= limit else { throw DiskError(.list, ".", .fileTooLarge) }
            return names
        }
    }

    func rename(_ source: String, to target: String) throws(DiskError) {
        try call(.rename, target, changes: true) { disk, _ throws(DiskError) in
            guard let moved = disk.directories[node]?.current[source] else {
                throw DiskError(.rename, source, .noSuchFileOrDirectory)
            }
            let present = disk.directories[node]?.current[target]
            guard present == nil || present == moved && disk.files[moved] != nil && source != target else {
                throw DiskError(.rename, target, .fileExists)
            }
            guard disk.renamesInTwoSteps, disk.files[moved] != nil else {
                disk.change(node, remove: [source], set: [(target, moved)])
                return
            }
            disk.change(node, set: [(target, moved)])
            // The first name may remain: the file has its new one.
            guard (try? disk.begin(.unlink, source, changes: true)) != nil else { return }
            disk.change(node, remove: [source])
        }
    }

    func replace(_ target: String, by source: String) throws(DiskError) {
        try call(.rename, target, changes: true) { disk, _ throws(DiskError) in
            guard let moved = disk.directories[node]?.current[source] else {
                throw DiskError(.rename, source, .noSuchFileOrDirectory)
            }
            if let replaced = disk.directories[node]?.current[target] {
                // Two names of one file stay two.
                if replaced == moved { return }
                let isFolder = disk.directories[moved] != nil
                guard isFolder == (disk.directories[replaced] != nil) else {
                    throw DiskError(.rename, target, isFolder ? .notDirectory : .isDirectory)
                }
                guard disk.isEmpty(replaced) else { throw DiskError(.rename, target, .directoryNotEmpty) }
            }
            disk.change(node, remove: [source], set: [(target, moved)])
        }
    }

    func link(_ source: String, to target: String, in directory: any Directory) throws(DiskError) {
        guard let other = directory as? MemoryDirectory, other.system === system else {
            throw DiskError(.link, target, .improperLink)
        }
        try call(.link, target, changes: true) { disk, _ throws(DiskError) in
            guard let linked = disk.directories[node]?.current[source] else {
                throw DiskError(.link, source, .noSuchFileOrDirectory)
            }
            guard disk.directories[other.node]?.current[target] == nil else {
                throw DiskError(.link, target, .fileExists)
            }
            guard disk.files[linked] != nil else { throw DiskError(.link, source, .notPermitted) }
            disk.change(other.node, set: [(target, linked)])
        }
    }

    func unlink(_ name: String) throws(DiskError) { try removeName(name, .unlink) }

    func removeDirectory(_ name: String) throws(DiskError) { try removeName(name, .removeDirectory) }

    private func removeName(_ name: String, _ operation: DiskError.Operation) throws(DiskError) {
        try call(operation, name, changes: true) { disk, _ throws(DiskError) in
            guard let removed = disk.directories[node]?.current[name] else {
                throw DiskError(operation, name, .noSuchFileOrDirectory)
            }
            let isFolder = disk.directories[removed] != nil
            guard isFolder == (operation == .removeDirectory) else {
                throw DiskError(operation, name, isFolder ? .isDirectory : .notDirectory)
            }
            guard disk.isEmpty(removed) else { throw DiskError(operation, name, .directoryNotEmpty) }
            disk.change(node, remove: [name])
        }
    }

    func sync() throws(DiskError) {
        try call(.syncDirectory, ".", changes: true) { disk, course throws(DiskError) in
            if !course.isReduced { disk.syncNames(of: node) }
        }
    }

    func lock(_ name: String) throws(DiskError) -> (any FileLock)? {
        let taken = try call(.lock, name, changes: false) { disk, _ throws(DiskError) in
            disk.locks.insert(node).inserted
        }
        return taken ? MemoryLock(system, node) : nil
    }

    func waitForOthers(microseconds: UInt32) {}
}
