import Foundation
import SystemPackage
import TestSupport
import Testing
import YaprakLocks
import YaprakModel

@testable import YaprakStorage

/// A file gets its name or an error, whatever single call fails and whatever it had done before.
@Suite(.bounded) struct NamingTests {
    /// What becomes of one call.
    enum Fault: CaseIterable { case none, unsupported, fails, failsAfterDoing }

    private static func apply(_ fault: Fault, _ call: () -> Errno?) -> Errno? {
        switch fault {
        case .none: return call()
        case .unsupported: return .noFunction
        case .fails: return .ioError
        case .failsAfterDoing:
            _ = call()
            return .ioError
        }
    }

    @Test(arguments: Fault.allCases, Fault.allCases)
    func `A failed call ends in the name or an error, never in half of it`(newName: Fault, link: Fault) throws {
        for unlink in Fault.allCases where unlink != .unsupported {
            try Harness.withTemporaryDirectory { path in
                try Data("content".utf8).write(to: URL(fileURLWithPath: path.appending("source").string))
                let directory = open(path.string, O_RDONLY)
                defer { close(directory) }
                var calls = FileNaming.Calls.system
                let system = calls
                calls.renameToNew = { a, b, c in Self.apply(newName) { system.renameToNew(a, b, c) } }
                calls.link = { a, b, c in Self.apply(link) { system.link(a, b, c) } }
                calls.unlink = { a, b in Self.apply(unlink) { system.unlink(a, b) } }
                let error: DiskError?
                do {
                    try FileNaming(directory: directory, calls: calls).rename("source", to: "target")
                    error = nil
                } catch let failed {
                    error = failed as? DiskError
                }
                let names = try FileManager.default.contentsOfDirectory(atPath: path.string).sorted()
                let content = try? Data(contentsOf: URL(fileURLWithPath: path.appending("target").string))
                if error == nil {
                    #expect(content == Data("content".utf8), "\(newName) \(link) \(unlink)")
                    #expect(names == ["target"] || unlink == .fails && names == ["source", "target"])
                } else {
                    #expect(names == ["source"], "\(newName) \(link) \(unlink)")
                    let ends = newName == .fails || newName == .unsupported && link == .fails
                    #expect(ends, "\(newName) \(link) \(unlink)")
                }
            }
        }
    }

    @Test func `Without a rename that never replaces, a file gets its name by a link, which never replaces`() throws {
        try Harness.withTemporaryDirectory { path in
            try Data("content".utf8).write(to: URL(fileURLWithPath: path.appending("file").string))
            try FileManager.default.createDirectory(
                atPath: path.appending("folder").string, withIntermediateDirectories: false)
            let directory = open(path.string, O_RDONLY)
            defer { close(directory) }
            let made = Mutex<[String]>([])
            var calls = FileNaming.Calls.system
            let system = calls
            calls.renameToNew = { _, _, _ in .noFunction }
            calls.link = { a, b, c in
                made.withLock { $0.append("link \(b)") }
                return system.link(a, b, c)
            }
            calls.rename = { a, b, c in
                made.withLock { $0.append("rename \(b)") }
                return system.rename(a, b, c)
            }
            let naming = FileNaming(directory: directory, calls: calls)
            try naming.rename("file", to: "new file")
            try naming.rename("folder", to: "new folder")
            // A directory has no second name.
            #expect(made.withLock { $0 } == ["link file", "rename folder"])
        }
    }

    @Test(arguments: [Fault.none, .unsupported], [Fault.none, .unsupported])
    func `No call replaces a file or a directory that is there`(newName: Fault, link: Fault) throws {
        try Harness.withTemporaryDirectory { path in
            for (source, target) in [("a", "b"), ("d1", "d2"), ("a", "d2"), ("d1", "b")] {
                for name in [source, target] {
                    try? FileManager.default.removeItem(atPath: path.appending(name).string)
                    if name.hasPrefix("d") {
                        try FileManager.default.createDirectory(
                            atPath: path.appending(name).string, withIntermediateDirectories: false)
                    } else {
                        try Data(name.utf8).write(to: URL(fileURLWithPath: path.appending(name).string))
                    }
                }
                let directory = open(path.string, O_RDONLY)
                defer { close(directory) }
                var calls = FileNaming.Calls.system
                let system = calls
                calls.renameToNew = { a, b, c in Self.apply(newName) { system.renameToNew(a, b, c) } }
                calls.link = { a, b, c in Self.apply(link) { system.link(a, b, c) } }
                let naming = FileNaming(directory: directory, calls: calls)
                #expect { try naming.rename(source, to: target) } throws: {
                    ($0 as? DiskError)?.errno == .fileExists
                }
                if target == "b" {
                    #expect(try Data(contentsOf: URL(fileURLWithPath: path.appending("b").string)) == Data("b".utf8))
                }
                #expect(FileManager.default.fileExists(atPath: path.appending(source).string))
            }
        }
    }
}
