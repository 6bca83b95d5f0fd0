internal import YaprakModel

/// The name of a directory while it is being made.
enum TemporaryName {
    /// `.shop.yaprak.tmp-0123456789abcdef` for `shop.yaprak`.
    static func of(_ name: String, _ random: UInt64) -> String { prefix(name) + hexadecimal(random) }

    /// Whether a name is exactly a temporary one for `name`.
    static func isOne(_ candidate: String, for name: String) -> Bool {
        guard candidate.hasPrefix(prefix(name)) else { return false }
        let digits = candidate.dropFirst(prefix(name).count).utf8
        return digits.count == 16
            && digits.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    private static func prefix(_ name: String) -> String { ".\(name).tmp-" }
}

/// What forks, backups, repairs and compactions left that were killed.
enum AbandonedDirectories {
    /// Removes the temporary directories for `name` whose makers are gone.
    ///
    /// One is removed if it has exactly the name, nothing in it but what a database has, and its lock is free: its maker
    /// holds that until the directory has its own name. What can't be removed stays; nobody needs it to be gone.
    static func remove(of name: String, in parent: any Directory) {
        guard let names = try? parent.list(limit: FormatLimits.directoryEntriesMax) else { return }
        for candidate in names where TemporaryName.isOne(candidate, for: name) { remove(candidate, in: parent) }
    }

    private static func remove(_ name: String, in parent: any Directory) {
        guard let root = try? parent.openDirectory(name), holdsOnlyOurs(root),
            let lock = (try? root.lock(DatabaseDirectory.lockName)) ?? nil
        else { return }
        defer { lock.release() }
        // Its maker may have given it its own name, and the lock back, since it was opened.
        guard (try? parent.openDirectory(name)) != nil, holdsOnlyOurs(root) else { return }
        for kind in [FileKind.segment, .checkpoint] {
            if let directory = try? root.openDirectory(folder(of: kind)) {
                for file in (try? directory.list(limit: FormatLimits.directoryEntriesMax)) ?? []
                where isOurs(file, kind) {
                    try? directory.unlink(file)
                }
            }
            try? root.removeDirectory(folder(of: kind))
        }
        try? root.unlink(StoreReader.tagFileName)
        try? root.unlink(DatabaseDirectory.lockName)
        try? parent.removeDirectory(name)
    }

    private static func folder(of kind: FileKind) -> String {
        switch kind {
        case .segment: DatabaseDirectory.segmentsName
        case .checkpoint: DatabaseDirectory.checkpointsName
        }
    }

    private static func isOurs(_ name: String, _ kind: FileKind) -> Bool {
        FileName(name, kind) != nil || FileName.isTemporary(name, kind)
    }

    private static func holdsOnlyOurs(_ root: any Directory) -> Bool {
        let known = [
            DatabaseDirectory.lockName, StoreReader.tagFileName, DatabaseDirectory.segmentsName,
            DatabaseDirectory.checkpointsName,
        ]
        guard let names = try? root.list(limit: FormatLimits.directoryEntriesMax), names.allSatisfy(known.contains)
        else {
            return false
        }
        for kind in [FileKind.segment, .checkpoint] where names.contains(folder(of: kind)) {
            guard let directory = try? root.openDirectory(folder(of: kind)),
                let files = try? directory.list(limit: FormatLimits.directoryEntriesMax),
                files.allSatisfy({ isOurs($0, kind) })
            else { return false }
        }
        return true
    }
}
