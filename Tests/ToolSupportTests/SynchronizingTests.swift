import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import ToolSupport

/// How a file that a tool writes is made durable.
@Suite(.bounded) struct SynchronizingTests {
    /// A call that fails with each of these in turn, then succeeds.
    private final class Call {
        private var errors: [Errno]
        private(set) var count = 0
        init(_ errors: [Errno]) { self.errors = errors }
        func make() -> Int32 {
            count += 1
            guard !errors.isEmpty else { return 0 }
            errno = errors.removeFirst().rawValue
            return -1
        }
    }

    // On Darwin another call was made after any failure, and its success was reported.
    @Test func `A sync that fails is no sync that a file system does not have`() throws {
        let missing: [Errno] = [.invalidArgument, .notSupported]
        let failed = Call([.interrupted, .ioError])
        #expect(throws: Errno.ioError) { try OutputFile.hasDone(or: missing, failed.make) }
        #expect(failed.count == 2)
        for error in missing {
            let call = Call([.interrupted, error])
            #expect(try !OutputFile.hasDone(or: missing, call.make))
            #expect(call.count == 2)
        }
        let interrupted = Call([.interrupted, .interrupted])
        #expect(try OutputFile.hasDone(or: missing, interrupted.make))
        #expect(interrupted.count == 3)
    }

    @Test func `Files and directories are synced`() throws {
        let folder = TemporaryDirectory(), path = folder.appending("file")
        try Data([1]).write(to: URL(fileURLWithPath: path))
        for path in [path, folder.path] {
            let descriptor = try FileDescriptor.open(FilePath(path), .readOnly)
            try OutputFile.synchronize(descriptor)
            try descriptor.close()
        }
        #expect(throws: Errno.badFileDescriptor) { try OutputFile.synchronize(FileDescriptor(rawValue: -1)) }
    }
}
