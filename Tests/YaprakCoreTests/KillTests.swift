import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak

/// The real disk and a real kill: what the simulated one promises must hold there, too.
@Suite(.bounded) struct KillTests {
    let directory = TemporaryDirectory()

    @Test func `No acknowledged commit is lost to kill -9, and none is invented`() async throws {
        let path = FilePath(directory.appending("killed.yaprak"))
        let rounds = ProcessInfo.processInfo.environment["YAPRAK_SOAK"] == nil ? 12 : 500
        var random = SplitMix64(seed: 2013)
        var acknowledged = 0
        for round in 0..<rounds {
            let said = try await write(to: path, killAfter: 5 + random.below(200))
            acknowledged = max(acknowledged, said)
            let numbers = RecordCollection<Int, NoMetadata>("numbers")
            let database = try await Database.open(at: path, collections: numbers)
            let newest = Int(database.commitNumber.rawValue)
            #expect(newest >= acknowledged, "round \(round), seed 2013")
            let snapshot = database.snapshot[numbers]
            #expect((1...max(newest, 1)).allSatisfy { newest == 0 || snapshot["\($0)"] == $0 }, "round \(round)")
            #expect(snapshot.keys.count { !$0.hasPrefix("last") } == newest, "round \(round)")
            try await database.close()
        }
        #expect(acknowledged > rounds * 5)
    }

    /// Lets a process write until it has said `lines` commits, and kills it.
    /// - Returns: the newest commit it said was acknowledged.
    private func write(to path: FilePath, killAfter lines: Int) async throws -> Int {
        let process = Process.inRepository()
        process.executableURL = BuiltProgram.url("CrashWriter")
        process.arguments = [path.string]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        var newest = 0
        var text = ""
        var said = 0
        while said < lines {
            let data = pipe.fileHandleForReading.availableData
            if data.isEmpty { break }
            text += String(decoding: data, as: UTF8.self)
            let complete = text.split(separator: "\n", omittingEmptySubsequences: false)
            for line in complete.dropLast() {
                said += 1
                if let number = Int(line) { newest = max(newest, number) }
            }
            text = String(complete.last ?? "")
        }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        // What was said before the kill, and not yet read, counts.
        let rest = pipe.fileHandleForReading.readDataToEndOfFile()
        for line in (text + String(decoding: rest, as: UTF8.self)).split(separator: "\n").dropLast() {
            if let number = Int(line) { newest = max(newest, number) }
        }
        return newest
    }
}
