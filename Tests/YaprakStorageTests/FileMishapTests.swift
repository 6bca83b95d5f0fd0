import Foundation
import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// What the file system did to us: writes that fail half-way, files that are gone, things in the place of files.
@Suite(.bounded) struct FileMishapTests {
    @Test(arguments: [false, true])
    func `A failed write leaves nothing that comes back after a kill`(isCut: Bool) throws {
        for errno in [Errno.ioError, .noSpace] {
            for size in [100, 3000] {
                let disk = MemoryFileSystem()
                var options = Harness.options()
                options.frameBytesMax = 1000
                var opened = try Opened(disk, Harness.path, options)
                try opened.append(Harness.item(1))
                // The first write is short, so that whole frames of the group are in the file; the second one fails.
                disk.shortenWrite(nth: 1)
                disk.fail(.write, nth: 2, errno: errno)
                // What can't be overwritten is cut off.
                if isCut { disk.fail(.write, nth: 3, errno: errno) }
                #expect(throws: DatabaseError.self) {
                    try opened.append((2...9).map { Harness.item($0, bytes: size) })
                }
                var images = [
                    disk.afterKill(), disk.crashed(keeping: .none, names: .all),
                    disk.crashed(keeping: .prefix(0), names: .all),
                ]
                // The remains may be on the disk, and what made them unreadable not: unless that was synced.
                images.append(disk.crashed(keeping: .prefix(.max), names: .all))
                images += (1...16).map { disk.crashed(keeping: .random(seed: $0), names: .all) }
                for image in images {
                    #expect(try reopened(image, Harness.path, options).get() == [Harness.item(1)])
                }
                disk.healFaults()
                try opened.store.resume(after: 1)
                try opened.append(Harness.item(2))
                try opened.store.close()
                #expect(try reopened(disk, Harness.path, options).get() == [Harness.item(1), Harness.item(2)])
            }
        }
    }

    @Test(arguments: [Durability.always, .relaxed])
    func `Commits into files that somebody has removed are not acknowledged`(durability: Durability) throws {
        try Harness.withTemporaryDirectory { path in
            let database = path.appending("gone.yaprak")
            var opened = try Opened(PosixFileSystem(), database, Harness.options(durability))
            try opened.append(Harness.item(1))
            try FileManager.default.removeItem(atPath: database.string)
            #expect { try opened.append(Harness.item(2)) } throws: { ($0 as? DatabaseError)?.code == .writeFailed }
            #expect { try opened.append(Harness.item(2)) } throws: { ($0 as? DatabaseError)?.code == .readOnly }
            try? opened.store.close()
        }
    }

    // Both succeeded, and the next opening made an empty database.
    @Test(arguments: [Durability.always, .relaxed])
    func `A flush and a close throw where somebody has removed the files`(durability: Durability) throws {
        for isFlushed in [false, true] {
            let disk = MemoryFileSystem()
            var opened = try Opened(disk, Harness.path, Harness.options(durability))
            try opened.append(Harness.item(1))
            for name in disk.names("/db/wal") { disk.remove(FilePath("/db/wal").appending(name)) }
            if isFlushed {
                let error = #expect(throws: DatabaseError.self) { try opened.store.flush() }
                #expect(error?.code == .writeFailed && error?.place.file?.hasPrefix("wal/") == true)
                #expect { try opened.append(Harness.item(2)) } throws: { ($0 as? DatabaseError)?.code == .readOnly }
            }
            let error = #expect(throws: DatabaseError.self) { try opened.store.close() }
            #expect(error?.code == .writeFailed && error?.message.contains("removed") == true)
            // It is closed all the same, and the lock is free.
            #expect(throws: DatabaseError.self) { try opened.store.close() }
            #expect(try reopened(disk).get().isEmpty)
        }
    }

    @Test(arguments: ["pipe", "directory", "link", "socket"])
    func `Something else in the place of a checkpoint is skipped, and verify goes on`(kind: String) throws {
        try Harness.withTemporaryDirectory { path in
            let database = path.appending("odd.yaprak")
            var opened = try Opened(PosixFileSystem(), database)
            for number in 1...6 {
                try opened.append(Harness.item(number))
                if number % 2 == 0 { try opened.checkpoint() }
            }
            try opened.store.close()
            let reader = try StoreReader.open(database)
            let newest = try #require(try reader.checkpoints().last)
            let file = database.appending(newest.file).string
            try FileManager.default.removeItem(atPath: file)
            switch kind {
            case "pipe": #expect(mkfifo(file, 0o600) == 0)
            case "socket":
                // Its own path may have few bytes.
                let short = path.appending("s").string
                try #require(Self.makeSocket(short))
                try FileManager.default.moveItem(atPath: short, toPath: file)
            case "directory":
                try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
            default: try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "/dev/zero")
            }
            #expect(try reader.verify(level: 1).severity == .unreadable)
            #expect(try reader.checkpoints().count == 1)
            #expect(try reader.checkpoint(atOrBefore: 6)?.number == 4)
            let again = try Opened(PosixFileSystem(), database)
            #expect(again.items == opened.items && again.report.checkpointCommitNumber == 4)
            #expect(again.report.notes.contains { $0.contains(newest.file.suffix(10)) })
            try again.store.close()
        }
    }

    private static func makeSocket(_ path: String) -> Bool {
        #if canImport(Glibc)
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
            guard path.utf8.count < place.count else { return false }
            place.copyBytes(from: path.utf8)
            return true
        }
        return fits
            && withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            } == 0
    }

    // Darwin says so of a socket, which was then a file system that fails.
    @Test func `An operation that what is there does not support is about what is there`() {
        var kinds: [Errno] = [.invalidArgument, .isDirectory, .tooManySymbolicLinkLevels, .noSuchAddressOrDevice]
        #if canImport(Darwin)
            kinds.append(.notSupportedOnSocket)
        #else
            // There it is what a file system says of a file that it can't open.
            #expect(!DiskError(.open, "x", .notSupportedOnSocket).isAboutNoFile)
        #endif
        for errno in kinds {
            #expect(DiskError(.open, "x", errno).isAboutNoFile && DiskError(.open, "x", errno).saysNothing)
            #expect(!DiskError(.read, "x", errno).isAboutNoFile)
        }
        for errno in [Errno.permissionDenied, .tooManyOpenFiles, .ioError] {
            #expect(!DiskError(.open, "x", errno).isAboutNoFile)
        }
    }

    #if os(Linux)
        // As text the two paths are one: bytes that are not UTF-8 become U+FFFD.
        @Test func `A path that is not UTF-8 leads to its own directory`() throws {
            try Harness.withTemporaryDirectory { folder in
                func path(_ name: [UInt8]) -> FilePath {
                    let bytes = Array(folder.string.utf8) + [UInt8(ascii: "/")] + name + [0]
                    return FilePath(platformString: bytes.map { CChar(bitPattern: $0) })
                }
                let (odd, plain) = (path([0x61, 0xFF]), path([0x61, 0xEF, 0xBF, 0xBD]))
                #expect(odd.string == plain.string && odd != plain)
                try #require(odd.withPlatformString { mkdir($0, 0o700) } == 0)
                var first = try Opened(PosixFileSystem(), odd)
                try first.append(Harness.item(1))
                var second = try Opened(PosixFileSystem(), plain)
                try second.append([Harness.item(2), Harness.item(3)])
                try first.store.close()
                try second.store.close()
                #expect(try reopened(PosixFileSystem(), odd).get() == [Harness.item(1)])
                #expect(try StoreReader.open(odd).newest() == 1)
                #expect(try StoreReader.open(plain).newest() == 2)
                // What is made gets its name as text.
                let error = #expect(throws: DatabaseError.self) { try Opened(PosixFileSystem(), path([0x62, 0xFF])) }
                #expect(error?.code == .notFound && error?.message.contains("UTF-8") == true)
                #expect(throws: DatabaseError.self) { try StoreReader.open(odd).fork(at: 1, to: path([0x62, 0xFF])) }
                #expect(try PosixFileSystem().openDirectory(folder).list(limit: 9).count == 2)
            }
        }
    #endif

    @Test func `A database that another program has locked is not opened, and is afterwards`() throws {
        try Harness.withTemporaryDirectory { folder in
            let path = folder.appending("db")
            let items = try reopened(PosixFileSystem(), path).get()
            // As another program has it: this process does not know of the lock.
            let other = try FileDescriptor.open(path.appending("LOCK"), .readWrite)
            defer { try? other.close() }
            try #require(flock(other.rawValue, LOCK_EX | LOCK_NB) == 0)
            #expect {
                try reopened(PosixFileSystem(), path).get()
            } throws: {
                // The one that opened it before has left its number.
                let error = $0 as? DatabaseError
                return error?.code == .alreadyOpen && error?.message.contains("in process \(getpid())") == true
            }
            try #require(flock(other.rawValue, LOCK_UN) == 0)
            #expect(try reopened(PosixFileSystem(), path).get() == items)
        }
    }
}
