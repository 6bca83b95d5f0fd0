import Foundation
import SystemPackage
import TestSupport
import Testing
import ToolSupport

/// Whether anybody reads what is written.
@Suite(.bounded) struct LostReaderTests {
    private func hasLostReader(_ handle: FileHandle) -> Bool {
        TextSink(FileDescriptor(rawValue: handle.fileDescriptor)).hasLostReader
    }

    // Darwin looks at nothing where no event is asked for: `yaprak tail --follow | head -2` never ended.
    @Test func `A pipe has lost its reader when the other end is closed, full or not`() async throws {
        for isFull in [false, true] {
            let pipe = Pipe(), writer = pipe.fileHandleForWriting, end = writer.fileDescriptor
            if isFull {
                try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0)
                let bytes = [UInt8](repeating: 0, count: 4096)
                while write(end, bytes, bytes.count) > 0 {}
            }
            #expect(!hasLostReader(writer), "full: \(isFull)")
            try pipe.fileHandleForReading.close()
            // A program that another test starts at this moment has the other end, too, until it is running.
            var isLost = hasLostReader(writer)
            for _ in 0..<600 where !isLost {
                try await Task.sleep(for: .milliseconds(100))
                isLost = hasLostReader(writer)
            }
            #expect(isLost, "full: \(isFull)")
        }
    }

    @Test func `A device and a file have not lost their reader`() throws {
        #expect(!hasLostReader(try #require(FileHandle(forWritingAtPath: "/dev/null"))))
        let folder = TemporaryDirectory(), path = folder.appending("file")
        try Data([1]).write(to: URL(fileURLWithPath: path))
        #expect(!hasLostReader(try #require(FileHandle(forWritingAtPath: path))))
        #expect(!TextSink().hasLostReader)
    }
}
