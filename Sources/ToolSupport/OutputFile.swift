package import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that is written completely or not at all, for this user alone, and never replaces another unasked. Of a link that is
/// to be overwritten what it leads to is replaced.
///
///     let file = try OutputFile("cities.csv", overwrites: false)
///     try file.sink.write("id,name\r\n")
///     try file.finish()
///
/// It is written under a hidden name in the same directory, and is renamed when it is complete: a program that is killed leaves
/// no part of it under its own name, at most an empty file, and what is to be overwritten keeps its contents until then. So does
/// a power cut: the file is durable before it gets its name, and the name is when ``finish()`` returns. What was begun and not
/// finished is removed.
package final class OutputFile {
    /// The file is complete and has its name, but the disk has not confirmed the name: a power cut may take it away.
    package struct NotDurable: Error {
        /// What the disk said, an `Errno`.
        package let cause: any Error
    }

    /// Where its text goes.
    package let sink: TextSink
    private let path: FilePath
    private let overwrites: Bool
    /// Where it is written.
    private let written: FilePath
    private let descriptor: FileDescriptor
    private let sync: (FileDescriptor) throws -> Void
    private var isFinished = false

    /// Makes the file.
    /// - Parameter sync: makes a file or a directory durable; another one in tests.
    /// - Throws: `Errno`; `fileExists` if there is anything under the name, a link too, and it isn't to be overwritten;
    ///   `notPermitted` for a device or a pipe that is to be, and what reading a link throws: one that leads nowhere makes the
    ///   file there, one that leads in a circle stays.
    package init(
        _ path: FilePath, overwrites: Bool, sync: @escaping (FileDescriptor) throws -> Void = OutputFile.synchronize
    ) throws(Errno) {
        self.sync = sync
        if overwrites { try Self.checkReplaceable(path) } else { try Self.checkAbsent(path) }
        // What a link leads to is replaced, and not the link.
        let path = try overwrites ? Self.resolved(path) : path
        self.path = path
        self.overwrites = overwrites
        let name = path.lastComponent?.string ?? ""
        written = path.removingLastComponent().appending(
            ".\(name.utf8.count <= 200 ? name : "output")-\(UInt64.random(in: 0 ... .max))")
        do {
            descriptor = try FileDescriptor.open(
                written, .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                permissions: [.ownerRead, .ownerWrite])
        } catch {
            throw error as? Errno ?? .ioError
        }
        sink = TextSink(descriptor)
    }

    private static func checkAbsent(_ path: FilePath) throws(Errno) {
        var found = stat()
        if path.withPlatformString({ lstat($0, &found) }) == 0 { throw .fileExists }
    }

    /// The path without links. What is not there yet is where the last link leads.
    private static func resolved(_ path: FilePath) throws(Errno) -> FilePath {
        var path = path
        // As many as the system follows.
        for _ in 0..<40 {
            if let real = path.withPlatformString({ realpath($0, nil) }) {
                defer { free(real) }
                return FilePath(platformString: real)
            }
            let error = Errno(rawValue: errno)
            guard let target = linkTarget(path) else { return path }
            guard error == .noSuchFileOrDirectory else { throw error }
            path = path.removingLastComponent().pushing(target)
        }
        throw .tooManySymbolicLinkLevels
    }

    /// Where a link leads, from its own directory; `nil` for what is none.
    private static func linkTarget(_ path: FilePath) -> FilePath? {
        // One byte stays 0: the system writes none at the end.
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = path.withPlatformString { readlink($0, &bytes, bytes.count - 1) }
        return count > 0 ? FilePath(platformString: bytes) : nil
    }

    /// A device or a pipe would be replaced by a file, which nobody wants who names `/dev/null`.
    private static func checkReplaceable(_ path: FilePath) throws(Errno) {
        var found = stat()
        guard path.withPlatformString({ stat($0, &found) }) == 0 else { return }
        switch found.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: throw .isDirectory
        default: throw .notPermitted
        }
    }

    /// Writes what is buffered and gives the file its name.
    /// - Throws: `Errno`, and nothing is there then but what was there before; ``NotDurable``, and the file is there.
    package func finish() throws {
        try sink.flush()
        // Whatever closing says, the number is free afterwards, and may be another file's.
        isFinished = true
        var isClaimed = false
        do {
            do { try sync(descriptor) } catch {
                try? descriptor.close()
                throw error
            }
            try descriptor.close()
            if !overwrites {
                // An empty file takes the name first: another program that has taken it meanwhile keeps it.
                try Self.claim(path)
                isClaimed = true
            }
            let status = written.withPlatformString { old in path.withPlatformString { rename(old, $0) } }
            guard status == 0 else { throw Errno(rawValue: errno) }
        } catch {
            _ = written.withPlatformString { unlink($0) }
            if isClaimed { _ = path.withPlatformString { unlink($0) } }
            throw error
        }
        do { try syncDirectory() } catch { throw NotDurable(cause: error) }
    }

    /// A rename is not durable until its directory is. One that may be written to and not read can't be synced.
    private func syncDirectory() throws {
        let parent = path.removingLastComponent()
        let directory = try? FileDescriptor.open(
            parent.isEmpty ? "." : parent, .readOnly, options: [.directory, .closeOnExec])
        guard let directory else { return }
        defer { try? directory.close() }
        try sync(directory)
    }

    /// Makes a file or a directory durable, on a file system that can.
    package static func synchronize(_ descriptor: FileDescriptor) throws {
        #if canImport(Darwin)
            // There fsync does not flush the drive's cache. It is for file systems without the other call.
            let withoutFlush: [Errno] = [.invalidArgument, .notSupported, .inappropriateIOCTLForDevice]
            if try hasDone(or: withoutFlush, { fcntl(descriptor.rawValue, F_FULLFSYNC) }) { return }
        #endif
        _ = try hasDone(or: [.invalidArgument, .notSupported]) { fsync(descriptor.rawValue) }
    }

    /// Makes a call until no signal interrupts it; false if it fails with one of these errors.
    static func hasDone(or missing: [Errno], _ call: () -> Int32) throws -> Bool {
        while call() == -1 {
            let error = Errno(rawValue: errno)
            if missing.contains(error) { return false }
            guard error == .interrupted else { throw error }
        }
        return true
    }

    private static func claim(_ path: FilePath) throws {
        try FileDescriptor.open(
            path, .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
            permissions: [.ownerRead, .ownerWrite]
        ).close()
    }

    deinit {
        guard !isFinished else { return }
        try? descriptor.close()
        _ = written.withPlatformString { unlink($0) }
    }

    /// A name for a file that says what `text` does, on any file system: letters, digits and some signs stay, every other
    /// byte becomes `%` and two digits.
    ///
    /// It has no slash, does not begin with a dot or a dash, is no longer than 200 bytes, and differs from `taken` by more
    /// than the case of its letters.
    package static func name(for text: String, ending: String, taken: inout Set<String>) -> String {
        var name = ""
        for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "_"): name.unicodeScalars.append(.init(byte))
            case UInt8(ascii: "-") where index > 0, UInt8(ascii: ".") where index > 0:
                name.unicodeScalars.append(.init(byte))
            default: name += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        name = String(name.prefix(180))
        var candidate = name + "." + ending
        var number = 2
        while !taken.insert(candidate.lowercased()).inserted {
            candidate = "\(name)~\(number).\(ending)"
            number += 1
        }
        return candidate
    }
}
