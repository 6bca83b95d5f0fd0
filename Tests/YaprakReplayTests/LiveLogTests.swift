import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakReplay

/// Another process writes as fast as it can, and is read meanwhile.
@Suite(.bounded) struct LiveLogTests {
    let directory = TemporaryDirectory()

    @Test func `A log that is being written is read, walked and compared without a wrong word`() async throws {
        let path = FilePath(directory.appending("live.yaprak"))
        let writer = try Writer(path)
        defer { writer.stop() }
        let reader = try ReplayReader(path)
        let start = try reader.oldestReachableCommitNumber()
        let cursor = try reader.cursor(at: start)
        var steps = 0
        while steps < 1500 {
            guard let step = try cursor.next() else {
                try await Task.sleep(for: .milliseconds(1))
                continue
            }
            steps += 1
            // Each commit holds its own number, and says who was the last of its writers.
            let number = step.commit.commitNumber
            #expect(step.after.untyped("numbers")["\(number)"]?.object == .unsigned(number.rawValue))
            #expect(step.before.untyped("numbers")["\(number)"] == nil)
            #expect(step.changes.count == 2)
            if steps % 250 == 0 {
                let newest = try reader.snapshot()
                #expect(newest.commitNumber >= number)
                let records = newest.untyped("numbers").filter { !$0.key.hasPrefix("last") }
                #expect(UInt64(records.count) == newest.commitNumber.rawValue)
                let changes = try reader.changes(from: newest.commitNumber, to: number)
                #expect(changes.count { $0.kinds == .removed } >= Int(newest.commitNumber.rawValue - number.rawValue))
            }
        }
        #expect(try cursor.step(-700) == -700)
        #expect(
            UInt64(cursor.snapshot.untyped("numbers").count { !$0.key.hasPrefix("last") })
                == cursor.commitNumber.rawValue)
    }
}

/// A process that writes until it is stopped.
private final class Writer {
    private let process = Process.inRepository()

    /// Returns when it has made its first commits.
    init(_ path: FilePath) throws {
        process.executableURL = BuiltProgram.url("CrashWriter")
        process.arguments = [path.string, "keep"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        _ = pipe.fileHandleForReading.availableData
        // Somebody has to read what it says, or it waits for that.
        Thread.detachNewThread { while !pipe.fileHandleForReading.availableData.isEmpty {} }
    }

    func stop() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
