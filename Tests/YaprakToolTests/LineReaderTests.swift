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
