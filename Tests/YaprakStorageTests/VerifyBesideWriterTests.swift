import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// A check of a database that is being written, with a step of the writer between any two calls of the reader.
@Suite(.bounded) struct VerifyBesideWriterTests {
    /// What a writer does in the middle of a check.
    enum Step: CaseIterable {
        case appends, appendsGroup, appendsLongCommit, flushes, rotates, checkpoints, prunes, closes, opensAgain
    }

    @Test(arguments: Step.allCases)
    func `Whatever a writer does between two calls of a check, there are no findings`(step: Step) throws {
        for (durability, attests, level) in [(Durability.always, true, 0), (.always, false, 1), (.relaxed, true, 1)] {
            var calls = 0
            while try check(step, after: calls, durability, attests: attests, level) { calls += 1 }
            #expect(calls > 20, "a check reads more than that")
        }
    }

    /// Whether the check made so many calls.
    private func check(
        _ step: Step, after calls: Int, _ durability: Durability, attests: Bool, _ level: Int
    ) throws -> Bool {
        let disk = MemoryFileSystem()
        var options = Harness.options(durability)
        if !attests { options.attestAfter = .seconds(3600) }
        let writer = Writer(try Opened(disk, Harness.path, options), disk, options)
        try writer.append(12)
        try writer.opened.checkpoint()
        try writer.append(12)
        let watched = WatchedFileSystem(disk, after: calls) { writer.take(step) }
        let report = try StoreReader.open(Harness.path, fileSystem: watched).verify(level: level)
        let findings = report.findings.filter { !$0.file.hasSuffix(".tmp") }
        #expect(
            findings.isEmpty && report.newest >= 24,
            "\(step) after \(calls) calls, \(durability), \(attests), level \(level): \(report.newest), \(findings)")
        try writer.opened.store.close()
        #expect(try StoreReader.open(Harness.path, fileSystem: disk).verify(level: 1).findings.isEmpty)
        return watched.isDone
    }
}

/// One thread has it: the reader's, which takes the writer's steps itself.
private final class Writer: @unchecked Sendable {
    var opened: Opened
    private let disk: MemoryFileSystem
    private let options: StoreOptions

    init(_ opened: Opened, _ disk: MemoryFileSystem, _ options: StoreOptions) {
        self.opened = opened
        self.disk = disk
        self.options = options
    }

    func take(_ step: VerifyBesideWriterTests.Step) {
        do { try go(step) } catch { Issue.record(error) }
    }

    private func go(_ step: VerifyBesideWriterTests.Step) throws {
        switch step {
        case .appends: try opened.append(Harness.item(1))
        case .appendsGroup: try opened.append((0..<5).map { Harness.item($0, bytes: 200, compressible: false) })
        case .appendsLongCommit: try opened.append(Harness.item(1, bytes: 4_000, compressible: false))
        case .flushes: try opened.store.flush()
        case .rotates: try append(12)
        case .checkpoints: try opened.checkpoint()
        case .prunes:
            for _ in 0..<3 {
                try append(25)
                try opened.checkpoint()
            }
        case .closes: try opened.store.close()
        case .opensAgain:
            try opened.store.close()
            opened = try Opened(disk, Harness.path, options)
            try append(2)
        }
    }

    func append(_ count: Int, bytes: Int = 600) throws {
        // In two groups, so that frames have one commit and several.
        let items = (0..<count).map { Harness.item($0, bytes: bytes, compressible: false) }
        try opened.append(Array(items.dropLast()))
        try opened.append(items[count - 1])
    }
}
