import Foundation
import TestSupport
import Testing
import ToolSupport
import YaprakCBOR

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Lines of text files, compressed or not, and the JSON in them.
@Suite(.bounded) struct LineReaderTests {
    @Test func `Real lines mean what Foundation reads in them`() throws {
        for name in ["cities", "departures-2013-01"] {
            let lines = try LineReader(fixture(name))
            let decoder = JSONDecoder()
            while let line = try lines.next() {
                guard lines.number % 500 == 1 else { continue }
                #expect(try CBORValue(json: line) == decoder.decode(CBORValue.self, from: Data(line)))
            }
        }
    }

    @Test func `Lines end with LF, CR LF and the file; damage of a frame is an error`() throws {
        let folder = try Folder()
        let lines = try LineReader(try folder.write("a\r\n\nb\rc\nd", to: "lines"))
        var read: [String] = []
        while let line = try lines.next() { read.append(String(decoding: line, as: UTF8.self)) }
        #expect(read == ["a", "", "b\rc", "d"])
        var bytes = try Data(contentsOf: URL(fileURLWithPath: fixture("cities")))
        try bytes.prefix(100_000).write(to: URL(fileURLWithPath: folder("cut")))
        bytes[50_000] ^= 0xff
        try bytes.write(to: URL(fileURLWithPath: folder("rot")))
        for name in ["cut", "rot"] {
            let lines = try LineReader(folder(name))
            #expect(throws: InputError.self) { while try lines.next() != nil {} }
        }
    }

    @Test(arguments: [true, false]) func `Damage of an LZ4 frame is thrown behind the blocks before it, and named`(
        inBlock: Bool
    ) throws {
        // A block that does not unpack, and a length that no block has.
        var bytes = lz4(["first\nsec", "ond\nthird"], damaged: true)
        if !inBlock { bytes.replaceSubrange((bytes.count - 8)..<(bytes.count - 4), with: [0xff, 0xff, 0xff, 0x7f]) }
        for piece in [1, 5, 1000] {
            var rest = bytes[...]
            let lines = LineReader(
                ByteSource { buffer in
                    let part = rest.prefix(piece)
                    rest = rest.dropFirst(piece)
                    buffer.copyBytes(from: part)
                    return part.count
                })
            #expect(try lines.next().map { String(decoding: $0, as: UTF8.self) } == "first")
            #expect(try lines.next().map { String(decoding: $0, as: UTF8.self) } == "second")
            let error = #expect(throws: InputError.self) { try lines.next() }
            #expect(error?.description.hasPrefix("the LZ4 frame is damaged: ERROR_") == true)
        }
        // Only the end shows that something before it is wrong.
        let wrong = lz4(["first\n"], damaged: false, checksum: [1, 2, 3, 4])
        let folder = try Folder(), path = folder("wrong.lz4")
        try Data(wrong).write(to: URL(fileURLWithPath: path))
        let lines = try LineReader(path)
        #expect(try lines.next()?.count == 5)
        let error = #expect(throws: InputError.self) { try lines.next() }
        #expect(error?.description.contains("anything in it may be wrong") == true, "\(String(describing: error))")
    }

    // Each read looked at all spaces before it.
    @Test func `Spaces behind an item that never ends cost their number`() throws {
        let spaces = Array(repeating: UInt8(ascii: " "), count: 4096)
        var parts = 2048
        let items = JSONItemReader(
            ByteSource { buffer in
                parts -= 1
                let part = parts == 2047 ? Array("[{}".utf8) : parts < 0 ? [] : spaces
                buffer.copyBytes(from: part)
                return part.count
            })
        #expect(try items.next()?.first == UInt8(ascii: "{"))
        #expect(throws: InputError.self) { try items.next() }
    }

    // What the first read gave decided: of a pipe it may be a byte or two.
    @Test func `A pipe may give the mark of a form in pieces`() throws {
        let folder = try Folder(), pipe = folder("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let marked = try folder.write("\u{feff}a\nb\n", to: "marked")
        for path in [marked, fixture("cities")] {
            let writer = Process.inRepository()
            writer.executableURL = URL(fileURLWithPath: "/bin/sh")
            writer.arguments = ["-c", #"(head -c 2 "$0"; sleep 0.2; tail -c +3 "$0") > "$1""#, path, pipe]
            try writer.run()
            let (plain, piped) = (try LineReader(path), try LineReader(pipe))
            while let line = try plain.next() {
                let same = try piped.next()
                guard same != line else { continue }
                Issue.record("line \(plain.number) differs")
                break
            }
            writer.terminate()
            writer.waitUntilExit()
        }
    }
}
