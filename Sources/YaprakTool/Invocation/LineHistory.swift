import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The lines that were typed in earlier sessions, in a file that only the user can read.
///
///     let history = LineHistory.standard()
///     history.add("log -3")
///     history.lines()                        // […, "log -3"]
///
/// Nothing here fails: where there is no such file, and none can be made, nothing is kept. What is no regular file (a link to
/// /dev/null, say) is left alone.
struct LineHistory {
    static let linesMax = 1000
    private static let bytesMax = 1 << 20

    /// The file; `nil` to keep nothing.
    let path: FilePath?

    /// `yaprak/history` in the user's directory for the state of programs.
    static func standard() -> LineHistory {
        // A relative path there is invalid, says the XDG Base Directory Specification.
        if let named = variable("XDG_STATE_HOME"), named.isAbsolute {
            return LineHistory(path: named.appending("yaprak/history"))
        }
        guard let home = variable("HOME"), home.isAbsolute else { return LineHistory(path: nil) }
        return LineHistory(path: home.appending(".local/state/yaprak/history"))
    }

    private static func variable(_ name: String) -> FilePath? { getenv(name).map { FilePath(platformString: $0) } }

    /// Whether a line is kept: not what is empty, begins with a space or has control characters.
    static func keeps(_ line: String) -> Bool {
        guard let first = line.first, first != " " else { return false }
        return line.utf8.count < 65_536 && line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// The lines, the oldest first.
    func lines() -> [String] { path.map { Self.lines(in: $0) } ?? [] }

    private static func lines(in path: FilePath) -> [String] {
        // Opening a FIFO or a device would wait, or do something.
        guard isRegular(path),
            let file = try? FileDescriptor.open(path, .readOnly, options: [.nonBlocking, .closeOnExec])
        else { return [] }
        defer { try? file.close() }
        guard let end = try? file.seek(offset: 0, from: .end) else { return [] }
        let start = max(0, end - Int64(bytesMax))
        var bytes = [UInt8](repeating: 0, count: Int(end - start))
        let count = (try? bytes.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: start, into: $0) }) ?? 0
        var lines = bytes[..<count].split(separator: 0x0a, omittingEmptySubsequences: false)
        if start > 0 { lines = Array(lines.dropFirst()) }
        return lines.compactMap { line in
            guard let text = String(validating: line, as: UTF8.self), keeps(text) else { return nil }
            return text
        }.suffix(linesMax)
    }

    /// Appends a line, unless it is the last already. Lines of other sessions stay.
    func add(_ line: String) {
        guard let path, Self.keeps(line) else { return }
        _ = Self.makeDirectories(path.removingLastComponent())
        // A link is followed; what it leads to is replaced.
        let target = Self.resolved(path) ?? path
        var status = stat()
        if target.withPlatformString({ lstat($0, &status) }) == 0 {
            let isWritable = target.withPlatformString { access($0, W_OK) } == 0
            guard Self.isRegular(target), isWritable else { return }
        }
        let directory = target.removingLastComponent()
        guard let lock = try? FileDescriptor.open(directory, .readOnly, options: [.directory, .closeOnExec]) else {
            return
        }
        defer { try? lock.close() }
        guard Self.isLocked(lock) else { return }
        var lines = Self.lines(in: target)
        guard lines.last != line else { return }
        lines.append(line)
        Self.replace(target, in: directory, with: lines.suffix(Self.linesMax))
    }

    private static func replace(_ target: FilePath, in directory: FilePath, with lines: ArraySlice<String>) {
        let new = directory.appending("history.new")
        // What a session that was killed left behind.
        _ = new.withPlatformString { unlink($0) }
        guard
            let file = try? FileDescriptor.open(
                new, .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                permissions: [.ownerReadWrite])
        else { return }
        let text = lines.map { $0 + "\n" }.joined()
        let isWritten = (try? file.writeAll(text.utf8)) == text.utf8.count
        let isClosed = (try? file.close()) != nil
        if isClosed, isWritten,
            new.withPlatformString({ old in target.withPlatformString { rename(old, $0) } }) == 0
        {
            return
        }
        _ = new.withPlatformString { unlink($0) }
    }

    /// Another session has it for a moment only; two seconds are enough for many sessions on a busy machine.
    private static func isLocked(_ lock: FileDescriptor) -> Bool {
        for _ in 0..<1000 {
            if flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK || errno == EINTR else { return false }
            usleep(2000)
        }
        return false
    }

    private static func isRegular(_ path: FilePath) -> Bool {
        var status = stat()
        return path.withPlatformString({ stat($0, &status) }) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private static func resolved(_ path: FilePath) -> FilePath? {
        guard let text = path.withPlatformString({ realpath($0, nil) }) else { return nil }
        defer { free(text) }
        return FilePath(platformString: text)
    }

    /// Directories that only the user can use, as far as they are not there.
    private static func makeDirectories(_ path: FilePath) -> Bool {
        if make(path) || errno == EEXIST { return true }
        guard errno == ENOENT, path.removingLastComponent() != path, makeDirectories(path.removingLastComponent())
        else {
            return false
        }
        return make(path)
    }

    private static func make(_ directory: FilePath) -> Bool { directory.withPlatformString { mkdir($0, 0o700) } == 0 }
}
