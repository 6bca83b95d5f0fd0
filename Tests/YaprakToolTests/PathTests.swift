#if os(Linux)
    import Foundation
    import SystemPackage
    import TestSupport
    import Testing
    import ToolSupport
    import Yaprak
    import YaprakReplay

    @testable import YaprakTool

    /// Names of files that are not UTF-8. They lead to where their bytes say, not to what can be shown of them.
    @Suite(.bounded) struct PathTests {
        private let folder: PrivateFolder
        /// A directory.
        private let odd: FilePath

        init() throws {
            folder = try PrivateFolder("yaprak-tool")
            odd = try Self.odd("directory", in: folder.path)
            try #require(odd.withPlatformString { mkdir($0, 0o700) } == 0)
        }

        /// A path whose last component begins with a byte that no UTF-8 has.
        private static func odd(_ name: String, in folder: FilePath) throws -> FilePath {
            folder.appending(
                try #require(FilePath.Component(platformString: [CChar(bitPattern: 0xff)] + name.utf8CString)))
        }

        private static func isThere(_ path: FilePath) -> Bool { path.withPlatformString { access($0, F_OK) } == 0 }

        private static func text(of path: FilePath) throws -> String {
            let file = try FileDescriptor.open(path, .readOnly)
            return try file.closeAfter {
                var bytes = [UInt8](repeating: 0, count: 64)
                let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
                return String(decoding: bytes[..<count], as: UTF8.self)
            }
        }

        @Test func `Output gets its name, replaces what has it only if asked to, and leaves nothing else`() throws {
            let path = try Self.odd("out", in: odd)
            for (text, overwrites) in [("old", false), ("new", true)] {
                let file = try OutputFile(path, overwrites: overwrites)
                try file.sink.write(text)
                try file.finish()
                #expect(try Self.text(of: path) == text)
            }
            #expect(throws: Errno.fileExists) { _ = try OutputFile(path, overwrites: false) }
            #expect(throws: Errno.isDirectory) { _ = try OutputFile(odd, overwrites: true) }
            try OutputFile(path, overwrites: true).sink.write("dropped")
            #expect(try Self.text(of: path) == "new")
            #expect(path.withPlatformString { unlink($0) } == 0 && odd.withPlatformString { rmdir($0) } == 0)
        }

        @Test func `A private folder is made where it is to be, and goes with all that is in it`() throws {
            let outside = try Self.odd("outside", in: odd)
            try FileDescriptor.open(outside, .writeOnly, options: .create, permissions: .ownerReadWrite).close()
            let path: FilePath
            do {
                let inner = try PrivateFolder("inner", in: odd)
                path = inner.path
                #expect(path.removingLastComponent() == odd && Self.isThere(path))
                let below = try Self.odd("below", in: path), link = try Self.odd("link", in: below)
                #expect(below.withPlatformString { mkdir($0, 0o700) } == 0)
                // What a link leads to stays.
                #expect(odd.withPlatformString { old in link.withPlatformString { symlink(old, $0) } } == 0)
                for name in ["a", "b"] {
                    let file = try Self.odd(name, in: below)
                    try FileDescriptor.open(file, .writeOnly, options: .create, permissions: .ownerReadWrite).close()
                }
                inner.remove("nothing")
                #expect(Self.isThere(link))
                withExtendedLifetime(inner) {}
            }
            #expect(!Self.isThere(path) && Self.isThere(outside))
        }

        // What is no UTF-8 was written as other bytes, and led nowhere.
        @Test func `A command of a bisection gets the path of its database, byte for byte`() async throws {
            let path = odd.appending("shop.yaprak")
            let database = try await Database.open(at: path, collections: .shopBooks)
            try await database.write { $0[.shopBooks]["abc"] = ShopBook(title: "Dune", rank: 3) }
            try await database.close()
            let question = try CommandQuestion(
                command: #"test "$YAPRAK_COMMIT" = 1 && test -d "$YAPRAK_DATABASE/wal""#,
                reader: try ReplayReader(path), scratch: nil)
            #expect(try question.verdict(on: 1, isFirst: true) == .good)
        }

        @Test func `A command gets variables as their bytes, each once`() throws {
            let odd = [CChar(bitPattern: 0xff), 0]
            let inherited =
                ["A=1", "B=2", "AB=3"].map { Array($0.utf8CString) } + [Array("C=".utf8CString.dropLast()) + odd]
            let command = """
                test "$A$B$AB" = 923 && test "$(printf %s "$C$D" | od -An -tx1 | tr -d ' ')" = ffff &&
                    test "$(env | grep -c '^A=')" = 1
                """
            let ending = try ChildProcess.run(
                "PATH=/usr/bin:/bin; " + command, environment: ["A": Array("9".utf8CString), "D": odd],
                inherited: inherited)
            #expect(ending == .exited(0))
            #expect(ChildProcess.inherited.contains { $0.starts(with: "PATH=".utf8CString.dropLast()) })
        }

        @Test func `A history is kept, with the directories that it needs`() throws {
            let history = LineHistory(path: try Self.odd("state", in: odd).appending("yaprak/history"))
            history.add("log")
            history.add("ls")
            #expect(history.lines() == ["log", "ls"])
        }
    }
#endif
