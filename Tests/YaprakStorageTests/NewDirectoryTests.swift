import Foundation
import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// The names of directories that are made: backups, forks, repairs.
@Suite(.bounded) struct NewDirectoryTests {
    private func make(_ path: FilePath, _ fileSystem: any FileSystem = PosixFileSystem()) throws {
        try Store.createStandalone(path, at: 1, options: Harness.options(), fileSystem: fileSystem).finish()
    }

    // The temporary name is longer than the name; and a name that is too long was said to be taken, and to be removed.
    @Test func `A name may be as long as the file system allows, and one that is longer is said to be`() throws {
        try Harness.withTemporaryDirectory { folder in
            let longest = String(repeating: "n", count: 255)
            for name in [longest, String(longest.dropLast(22)), String(repeating: "ü", count: 127)] {
                try make(folder.appending(name))
                #expect { try make(folder.appending(name)) } throws: {
                    ($0 as? DatabaseError)?.code == .alreadyExists
                }
            }
            let error = #expect(throws: DatabaseError.self) { try make(folder.appending(longest + "n")) }
            #expect(error?.code == .notFound && error?.message.contains("longer") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.string).count == 3)
        }
    }

    @Test func `A temporary name is that of its target alone, and has its whole name where there is room`() {
        let short = String(repeating: "n", count: 233), long = short + "more"
        #expect(TemporaryName.of(short, 1) == ".\(short).tmp-0000000000000001")
        #expect(TemporaryName.of(short, 1).utf8.count == 255 && TemporaryName.of(long, 1).utf8.count == 255)
        let umlauts = TemporaryName.of(String(repeating: "ü", count: 200), 1)
        #expect(umlauts.utf8.count == 254 && TemporaryName.isOne(umlauts, for: String(repeating: "ü", count: 127)))
        #expect(TemporaryName.isOne(TemporaryName.of(long, 7), for: long))
        #expect(!TemporaryName.isOne(TemporaryName.of("n", 7), for: "m"))
    }

    @Test func `A target counts as taken only where something is there`() throws {
        let disk = MemoryFileSystem()
        let root = try disk.openDirectory("/")
        try root.makeDirectory("folder")
        disk.setContents("/file", [1])
        for name in ["/folder", "/file"] as [FilePath] {
            #expect { try make(name, disk) } throws: { ($0 as? DatabaseError)?.code == .alreadyExists }
        }
        let cases: [(Errno, FilePath, DatabaseError.Code)] = [
            (.tooManyOpenFiles, "/new", .writeFailed), (.ioError, "/new", .writeFailed),
            // It can't be entered: the names that its parent has decide.
            (.permissionDenied, "/folder", .alreadyExists),
        ]
        for (errno, path, code) in cases {
            // The parent, and then the name in it.
            disk.fail(.openDirectory, nth: 2, errno: errno)
            let error = #expect(throws: DatabaseError.self, "\(errno)") { try make(path, disk) }
            #expect(disk.faultsAreSpent && error?.code == code, "\(errno)")
            disk.healFaults()
        }
        #expect(disk.names("/") == ["file", "folder"])
    }
}
