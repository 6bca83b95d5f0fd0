import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// A check of a database that is being written, with steps of the writer between any two calls of the reader.
@Suite(.bounded) struct VerifyBesideWriterTests {
    /// What a writer does in the middle of a check.
    enum Step: CaseIterable {
        case appends, appendsGroup, appendsLongCommit, flushes, rotates, checkpoints, prunes, closes, opensAgain
    }

    /// What became of the database before.
    enum Past: CaseIterable {
        case written, killed, killedWithinCommit, closed
    }

    @Test(arguments: Step.allCases)
    func `Whatever a writer does between two calls of a check, there are no findings`(step: Step) throws {
        // Every other call, and of the second kind those between: all of them in a long run.
        let kinds = [(Durability.always, true, 0), (.always, false, 1), (.relaxed, true, 1)]
        let stride = Soak.volume(2, soak: 1)
        for (index, (durability, attests, level)) in kinds.enumerated() {
            try sweep(
                [step], 0, .written, durability, attests: attests, level, from: index % stride, stride: stride)
        }
    }

    @Test(arguments: [Past.killed, .closed])
    func `Nor after a kill or a close, whatever the next writer does in two steps`(past: Past) throws {
        for steps in [[Step.prunes], [.opensAgain, .prunes], [.prunes, .prunes]] {
            try sweep(steps, 3, past, .always, attests: true, 1, stride: Soak.volume(2, soak: 1))
        }
    }

    @Test func `Nor while a database is opened whose last commit was not written to its end`() throws {
        for step in [Step.opensAgain, .rotates, .prunes] {
            try sweep([step], 0, .killedWithinCommit, .always, attests: true, 1)
        }
    }

    /// Takes the first step before each call of a check in turn, or before each of so many, and the others some calls later.
    private func sweep(
        _ steps: [Step], _ distance: Int, _ past: Past, _ durability: Durability, attests: Bool, _ level: Int,
        from first: Int = 0, stride: Int = 1
    ) throws {
        var calls = first
        while try check(steps, distance, past, calls, durability, attests: attests, level) { calls += stride }
        #expect(calls > 20, "a check reads more than that")
    }

    /// Whether the check made so many calls.
    private func check(
        _ steps: [Step], _ distance: Int, _ past: Past, _ calls: Int, _ durability: Durability, attests: Bool,
        _ level: Int
    ) throws -> Bool {
        let writer = try Writer(past, durability, attests: attests)
        let number = writer.lastNumber
        let actions = steps.enumerated().map { index, step in
            (call: calls + index * distance, action: { @Sendable in writer.take(step) })
        }
        let watched = WatchedFileSystem(writer.disk, beforeCalls: actions)
        let report = try StoreReader.open(Harness.path, fileSystem: watched).verify(level: level)
        // A file in progress may be noted, and what a kill has left unfinished, as long as nobody has opened the database.
        let findings = report.findings.filter {
            !$0.file.hasSuffix(".tmp") && !(past == .killedWithinCommit && $0.severity == .torn)
        }
        #expect(
            findings.isEmpty && report.newest.rawValue >= number,
            """
            \(steps), \(distance) calls apart, before call \(calls), \(past), \(durability), \(attests), level \(level): \
            newest \(report.newest) of \(number), \(findings)
            """)
        try writer.close()
        let after = try StoreReader.open(Harness.path, fileSystem: writer.disk).verify(level: 1).severity
        // Opening alone leaves aside what a kill has left unfinished.
        #expect(after == .clean || after == .torn && past == .killedWithinCommit)
        return watched.isDone
    }
}

/// One thread has it: the reader's, which takes the writer's steps itself.
private final class Writer: @unchecked Sendable {
    let disk: MemoryFileSystem
    private let options: StoreOptions
    private var opened: Opened?

    /// The newest commit that is durable.
    var lastNumber: UInt64 { UInt64(opened?.items.count ?? 23) }

    init(_ past: VerifyBesideWriterTests.Past, _ durability: Durability, attests: Bool) throws {
        var options = Harness.options(durability)
        options.frameBytesMax = 2_000
        if !attests { options.attestAfter = .seconds(3600) }
        self.options = options
        let first = MemoryFileSystem()
        var opened = try Opened(first, Harness.path, options)
        try Self.append(12, to: &opened)
        try opened.checkpoint()
        try Self.append(11, to: &opened)
        switch past {
        case .written:
            disk = first
            self.opened = opened
        case .killed:
            disk = first.copy()
            try opened.store.close()
            self.opened = try Opened(disk, Harness.path, options)
            try self.opened?.append(Harness.item(1))
        case .closed:
            disk = first
            try opened.store.close()
        case .killedWithinCommit:
            // Its first frames are there, and not the last.
            try opened.append(Harness.item(1, bytes: 5_000, compressible: false))
            disk = first.copy()
            try opened.store.close()
            let name = FilePath("/db/wal/\(disk.names("/db/wal").sorted().last!)")
            var bytes = disk.contents(name)!
            let end = bytes.lastIndex { $0 != 0 }!
            for index in max(0, end - 1_500)...end { bytes[index] = 0 }
            disk.setContents(name, bytes)
        }
    }

    func take(_ step: VerifyBesideWriterTests.Step) {
        do {
            if opened == nil { opened = try Opened(disk, Harness.path, options) }
            try go(step, &opened!)
        } catch { Issue.record(error) }
    }

    func close() throws {
        if opened == nil { opened = try Opened(disk, Harness.path, options) }
        try opened?.store.close()
    }

    private func go(_ step: VerifyBesideWriterTests.Step, _ opened: inout Opened) throws {
        switch step {
        case .appends: try opened.append(Harness.item(1))
        case .appendsGroup: try opened.append((0..<5).map { Harness.item($0, bytes: 200, compressible: false) })
        case .appendsLongCommit: try opened.append(Harness.item(1, bytes: 4_000, compressible: false))
        case .flushes: try opened.store.flush()
        case .rotates: try Self.append(12, to: &opened)
        case .checkpoints: try opened.checkpoint()
        case .prunes:
            for _ in 0..<3 {
                try Self.append(25, to: &opened)
                try opened.checkpoint()
            }
        case .closes: try opened.store.close()
        case .opensAgain:
            try opened.store.close()
            opened = try Opened(disk, Harness.path, options)
            try Self.append(2, to: &opened)
        }
    }

    private static func append(_ count: Int, to opened: inout Opened) throws {
        // In two groups, so that frames have one commit and several.
        let items = (0..<count).map { Harness.item($0, bytes: 600, compressible: false) }
        try opened.append(Array(items.dropLast()))
        try opened.append(items[count - 1])
    }
}
