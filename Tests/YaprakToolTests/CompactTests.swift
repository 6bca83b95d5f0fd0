import Foundation
import TestSupport
import Testing
import ToolSupport

@testable import YaprakTool

/// Compact copies, and what they leave alone.
@Suite(.bounded) struct CompactTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    private func names(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    @Test func `A purge into a directory leaves one checkpoint there, and the source as it is`() async throws {
        let source = folder("shop.yaprak")
        try await makeShop(at: source)
        let before = try (names(in: source + "/wal"), names(in: source + "/ckpt"))
        let target = folder("state.yaprak")
        let outcome = await yaprak("compact", source, "--purge-history", "--into", target)
        #expect(outcome.code == 0, "\(outcome.err)")
        let (out, removed, reach) = (outcome.out, #""removedFiles":[]"#, #""oldestReachable":3"#)
        #expect(out.contains(removed) && out.contains(reach), "\(out)")
        #expect(try names(in: target + "/wal").isEmpty && names(in: target + "/ckpt").count == 1)
        let after = try (names(in: source + "/wal"), names(in: source + "/ckpt"))
        #expect(before == after)
        let (kept, whole) = (await yaprak("ls", target, "books"), await yaprak("ls", source, "books"))
        #expect(kept.out == whole.out && kept.code == 0)
        #expect(await yaprak("verify", target).code == 0)
        let again = await yaprak("compact", source, "--purge-history", "--into", target)
        #expect(again.code == 5 && again.err.contains("alreadyExists"))
        #expect(try names(in: folder.path) == ["shop.yaprak", "state.yaprak"])
    }

    // Nobody would look for the history under the name of what has little, and the copy was in the way of the next try.
    @Test func `A copy that could not be compacted is named, whatever the reason`() async throws {
        let source = folder("shop.yaprak"), target = folder("small.yaprak")
        try await makeShop(at: source)
        // It is asked for the last time when the copy is there, and not yet compacted.
        let damage: @Sendable () -> Bool = {
            let files = FileManager.default, checkpoints = target + "/ckpt"
            if files.fileExists(atPath: checkpoints) {
                try? files.removeItem(atPath: checkpoints)
                _ = files.createFile(atPath: checkpoints, contents: nil)
            }
            return false
        }
        let console = Console(out: TextSink(), err: TextSink())
        let code = await Invocation.run(
            ["compact", source, "--keep", "commits=1", "--into", target],
            in: .init(console: console, isInterrupted: damage))
        let alone = await yaprak("compact", target, "--keep", "commits=1", "--yes")
        #expect(code != 0 && code == alone.code, "\(console.err.text)\(alone)")
        let text = console.err.text
        #expect(text.hasPrefix("yaprak: \(target) may have the whole history: "), "\(text)")
        #expect(text.contains("`yaprak compact` does it. ("), "\(text)")
        #expect(text.split(separator: " ").last == alone.err.split(separator: " ").last, "\(text)\(alone.err)")
    }

    @Test func `A dry run lists what would be removed, and is no error`() async throws {
        let path = folder("shop.yaprak")
        try await makeShop(at: path)
        let before = try names(in: path + "/wal")
        let unconfirmed = await yaprak("compact", path, "--purge-history")
        let dry = await yaprak("compact", path, "--purge-history", "--dry-run")
        #expect(unconfirmed.code == 1 && unconfirmed.out == dry.out, "\(unconfirmed)")
        #expect(dry.code == 0 && dry.err.isEmpty && dry.out.contains(#""dryRun":true"#), "\(dry)")
        #expect(try names(in: path + "/wal") == before)
        for words in [["--yes"], ["--into", folder("made.yaprak")]] {
            #expect(await yaprak(["compact", path, "--dry-run"] + words).code == 64)
        }
    }
}
