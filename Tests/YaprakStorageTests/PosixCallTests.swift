import Foundation
import SystemPackage
import TestSupport
import Testing
import YaprakLocks

@testable import YaprakStorage

/// What is asked of the operating system, call by call.
@Suite(.bounded) struct PosixCallTests {
    private func withFile(_ calls: PosixCalls, _ body: (PosixFile) throws -> Void) throws {
        try Harness.withTemporaryDirectory { path in
            let descriptor = open(path.appending("file").string, O_RDWR | O_CREAT, 0o600)
            try #require(descriptor >= 0)
            let file = PosixFile(descriptor, "file", calls: calls)
            try body(file)
            try file.close()
        }
    }

    // It began at 0 each time. Where a file system can't allocate, the C library writes a zero over a zero of each block: over
    // durable ones, and for a segment of 64 MiB half a million times.
    @Test func `Space is allocated behind the end of a file, and never over what is in it`() throws {
        let asked = YaprakLocks.Mutex<[[Int]]>([])
        var calls = PosixCalls.system
        let system = calls
        calls.allocate = { file, offset, count in
            asked.withLock { $0.append([Int(offset), Int(count)]) }
            return system.allocate(file, offset, count)
        }
        try withFile(calls) { file in
            try file.writeAll([1, 2, 3], at: 0)
            for length in [4096, 8192, 8192, 4096] as [UInt64] { try file.allocate(to: length) }
            #expect(try file.size() == 8192)
            #expect(try file.readAll(8192, at: 0) == [1, 2, 3] + [UInt8](repeating: 0, count: 8189))
        }
        #expect(asked.withLock { $0 } == [[3, 4093], [4096, 4096]])
    }

    @Test func `What is in a file stays in it when its cache is dropped, written to the disk or not`() throws {
        try withFile(.system) { file in
            file.dropCache()
            #expect(try file.size() == 0)
            let first = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 >> 3) }
            try file.writeAll(first, at: 0)
            try file.sync()
            file.dropCache()
            #expect(try file.readAll(40_000, at: 0) == first)
            try file.writeAll([1, 2, 3], at: 20_000)
            file.dropCache()
            #expect(try file.readAll(3, at: 20_000) == [1, 2, 3])
            #expect(try file.readAll(20_000, at: 0) == Array(first[..<20_000]))
        }
    }

    // On Darwin the call answers from within data with the data behind it, or that there is none: a scan for frames jumped over
    // all that followed a hole.
    @Test func `From within data the next data is there, and from within a hole not behind its end`() throws {
        try withFile(.system) { file in
            let hole: UInt64 = 8 << 20, size: UInt64 = 9 << 20
            for start in stride(from: hole, to: size, by: 1 << 16) {
                try file.writeAll([UInt8](repeating: 7, count: 1 << 16), at: start)
            }
            try file.sync()
            for offset in [hole, hole + 4096, hole + 5000, size - 1] {
                #expect(file.nextData(from: offset) == offset)
            }
            for offset in [0, 4096, hole - 1] { #expect((offset...hole).contains(file.nextData(from: offset))) }
            // With a hole behind it, too.
            try file.allocate(to: size + 4096)
            try file.truncate(to: 2 * size)
            for offset in [hole, size - 1] { #expect(file.nextData(from: offset) == offset) }
        }
    }

    /// Answers with each of these in turn, then with success, and counts.
    private final class Answers: Sendable {
        private let rest: YaprakLocks.Mutex<[Errno]>
        private let made = YaprakLocks.Mutex(0)
        init(_ errors: [Errno]) { rest = YaprakLocks.Mutex(errors) }
        var calls: Int { made.withLock { $0 } }
        func next() -> Errno? {
            made.withLock { $0 += 1 }
            return rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }
    }

    /// Syncs a file in both ways, and a directory.
    private func syncs(_ answers: Answers, _ body: (() throws -> Void) throws -> Void) throws {
        var calls = PosixCalls.system
        calls.sync = { _ in answers.next() }
        calls.syncData = { _ in answers.next() }
        calls.syncDirectory = { _ in answers.next() }
        try withFile(calls) { file in
            try body { try file.sync() }
            try body { try file.syncData() }
        }
        try Harness.withTemporaryDirectory { path in
            let directory = PosixDirectory(open(path.string, O_RDONLY), calls: calls)
            try body { try directory.sync() }
        }
    }

    // A signal that a profiler or a child of the process sent made the database read-only.
    @Test func `A sync that a signal interrupts is resumed, and does not count as failed`() throws {
        let answers = Answers(Array(repeating: .interrupted, count: 6))
        try syncs(answers) { try $0() }
        #expect(answers.calls == 9)
        try syncs(Answers([])) { try $0() }
    }

    @Test func `A sync that fails is not asked again, also behind a signal`() throws {
        for errors in [[Errno.ioError], [.interrupted, .ioError], [.interrupted, .interrupted, .noSpace]] {
            let answers = Answers(errors + errors + errors)
            try syncs(answers) { sync in
                #expect {
                    try sync()
                } throws: {
                    ($0 as? DiskError)?.errno == errors.last && ($0 as? DiskError)?.isFailedSync == true
                }
            }
            #expect(answers.calls == 3 * errors.count)
        }
    }
}
