import Foundation
import SystemPackage
import TestSupport
import Testing
import ToolSupport

@testable import YaprakTool

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where text goes: pipes, files, devices.
@Suite(.bounded) struct TextSinkTests {
    // A program that shares the terminal may have made it so: the output ended with "resource temporarily unavailable".
    @Test func `A pipe that does not wait for its reader gets everything`() async throws {
        let pipe = Pipe(), end = pipe.fileHandleForWriting.fileDescriptor
        #expect(fcntl(end, F_SETFL, O_NONBLOCK) == 0)
        let reader = Task(executorPreference: OwnThreads.shared) {
            usleep(100_000)
            return pipe.fileHandleForReading.readDataToEndOfFile()
        }
        let text = String(repeating: "0123456789abcdef", count: 1 << 16)
        do {
            defer { try? pipe.fileHandleForWriting.close() }
            let sink = TextSink(FileDescriptor(rawValue: end))
            try sink.write(text)
            try sink.flush()
        }
        #expect(await reader.value == Data(text.utf8))
    }

    @Test func `A pipe or a device is not replaced by a file`() throws {
        let folder = try Folder(), pipe = folder("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(throws: Errno.notPermitted) { try OutputFile(FilePath(pipe), overwrites: true) }
        #expect(throws: Errno.isDirectory) { try OutputFile(FilePath(folder.path), overwrites: true) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["pipe"])
        var found = stat()
        #expect(stat(pipe, &found) == 0 && found.st_mode & S_IFMT == S_IFIFO)
    }

    @Test func `Who makes a file meanwhile keeps it, and nothing else is left`() throws {
        let folder = try Folder(), path = folder("x")
        do {
            let file = try OutputFile(FilePath(path), overwrites: false)
            try file.sink.write("mine")
            #expect(FileManager.default.createFile(atPath: path, contents: Data("other".utf8)))
            #expect(throws: Errno.fileExists) { try file.finish() }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["x"])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "other")
        // A link that leads nowhere is something, too; a name as long as names may be is none too long.
        #expect(symlink("nowhere", folder("link")) == 0)
        #expect(throws: Errno.fileExists) { try OutputFile(FilePath(folder("link")), overwrites: false) }
        let long = folder(String(repeating: "n", count: 255))
        let file = try OutputFile(FilePath(long), overwrites: false)
        try file.sink.write("long")
        try file.finish()
        #expect(try String(contentsOfFile: long, encoding: .utf8) == "long")
    }

    // The file took the link's place, and what it led to was never made.
    @Test func `Through links that lead nowhere yet the file is made where they lead`() throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder("data"), withIntermediateDirectories: true)
        #expect(symlink("data/next", folder("first")) == 0 && symlink(folder("data/out"), folder("data/next")) == 0)
        for text in ["made", "replaced"] {
            let file = try OutputFile(FilePath(folder("first")), overwrites: true)
            try file.sink.write(text)
            try file.finish()
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder("first")) == "data/next")
            #expect(try String(contentsOfFile: folder("data/out"), encoding: .utf8) == text)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("data")).sorted() == ["next", "out"])
        // In a circle, and into a directory that is not there.
        #expect(symlink("b", folder("a")) == 0 && symlink("a", folder("b")) == 0)
        #expect(throws: Errno.tooManySymbolicLinkLevels) { try OutputFile(FilePath(folder("a")), overwrites: true) }
        #expect(symlink("absent/out", folder("c")) == 0)
        #expect(throws: Errno.noSuchFileOrDirectory) { try OutputFile(FilePath(folder("c")), overwrites: true) }
        for (name, target) in [("a", "b"), ("b", "a"), ("c", "absent/out")] {
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder(name)) == target)
        }
    }

    @Test func `A file is durable before it has its name, and the name when it is finished`() throws {
        struct Seen: Equatable {
            var isDirectory: Bool
            var bytes: Int?
            var text: String?
        }
        let folder = try Folder(), path = try folder.write("old", to: "x")
        var seen: [Seen] = []
        func sync(_ descriptor: FileDescriptor) throws {
            var found = stat()
            #expect(fstat(descriptor.rawValue, &found) == 0)
            let isDirectory = found.st_mode & S_IFMT == S_IFDIR
            seen.append(
                Seen(
                    isDirectory: isDirectory, bytes: isDirectory ? nil : Int(found.st_size),
                    text: try? String(contentsOfFile: path, encoding: .utf8)))
        }
        let file = try OutputFile(FilePath(path), overwrites: true, sync: sync)
        try file.sink.write("newer")
        try file.finish()
        #expect(
            seen == [
                Seen(isDirectory: false, bytes: 5, text: "old"), Seen(isDirectory: true, bytes: nil, text: "newer"),
            ])
        // Where the disk fails, what was there stays, and nothing else does.
        let other = try OutputFile(FilePath(path), overwrites: true, sync: { _ in throw Errno.ioError })
        try other.sink.write("lost")
        #expect(throws: Errno.ioError) { try other.finish() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["x"])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "newer")
    }

    // The error was that of a file that could not be written, and the file was there.
    @Test func `Where only the name of a file is not confirmed, the error says that the file is there`() throws {
        let folder = try Folder(), path = folder("x")
        func sync(_ descriptor: FileDescriptor) throws {
            var found = stat()
            #expect(fstat(descriptor.rawValue, &found) == 0)
            if found.st_mode & S_IFMT == S_IFDIR { throw Errno.ioError }
        }
        let console = Console(out: TextSink(), err: TextSink())
        let failure = #expect(throws: Failure.self) {
            try FileOptions.write(to: path, overwrites: false, on: console, sync: sync) { try $0.out.write("whole") }
        }
        #expect(failure?.code == "syncFailed" && failure?.exitCode == 6)
        #expect(failure?.sentence.contains("x is complete and in its place") == true, "\(failure?.sentence ?? "")")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "whole")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["x"])
        // Where the file itself is not, nothing is there.
        let other = #expect(throws: Failure.self) {
            try FileOptions.write(to: folder("y"), overwrites: false, on: console, sync: { _ in throw Errno.ioError }) {
                try $0.out.write("lost")
            }
        }
        #expect(other?.code == "ioFailed")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["x"])
    }

    // A false length in the head of a frame, and a pipe that gives little: a number of seconds beyond any integer.
    @Test func `A bar of progress has an end, however far it is`() {
        let bar = ProgressBar(Console(out: TextSink(), err: TextSink()), "loading")
        #expect(bar.line(done: 1, of: .max, counted: 1, after: 100).hasSuffix("left"))
    }
}
