import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// What the proof runs on is what production runs on: the simulated disk and the system's give the same answers.
@Suite(.bounded) struct FileSystemLawTests {
    private static let names = ["a", "b", "c", "d"]

    /// What came of a call. Errors differ here where they differ for the engine.
    private enum Outcome: Equatable {
        case done, noFile, exists, failed

        init(_ call: () throws -> Void) {
            do {
                try call()
                self = .done
            } catch let error as DiskError {
                self = error.errno == .noSuchFileOrDirectory ? .noFile : error.errno == .fileExists ? .exists : .failed
            } catch {
                self = .failed
            }
        }
    }

    /// What is in a directory: of each name the content of the file, or what is in the directory.
    private static func contents(_ directory: any Directory) throws -> [String] {
        try directory.list(limit: 100).sorted().map { name in
            if let file = try? directory.open(name, .read) { return "\(name)=\(try file.readAll(100, at: 0))" }
            return "\(name)/\(try contents(directory.openDirectory(name)))"
        }
    }

    @Test func `Making a file, however it is asked for, is a change that a power cut can come before`() throws {
        for mode in [OpenMode.create, .createIfAbsent] {
            let disk = MemoryFileSystem()
            let root = try disk.openDirectory("/")
            let before = disk.changes
            disk.cut(afterChanges: before + 1)
            _ = try root.open("first", mode)
            #expect(disk.changes == before + 1, "\(mode)")
            #expect(throws: DiskError.self, "\(mode)") { try root.open("second", mode) }
            #expect(disk.names("/") == ["first"] && disk.isCut, "\(mode)")
        }
    }

    /// The bits of the seed decided: of a small one only the first.
    @Test func `Under small seeds a power cut keeps each name of many, and loses it`() throws {
        let disk = MemoryFileSystem()
        let root = try disk.openDirectory("/"), names = (0..<100).map { "\(1000 + $0)" }
        for name in names { _ = try root.open(name, .create) }
        var left: [Set<String>] = []
        for seed in 0..<24 as Range<UInt64> {
            left.append(Set(disk.crashed(keeping: .none, names: .random(seed: seed)).names("/")))
            #expect(left.last == Set(disk.crashed(keeping: .none, names: .random(seed: seed)).names("/")))
        }
        #expect(Set(left).count == left.count)
        for name in names { #expect((1..<24).contains(left.count { $0.contains(name) }), "\(name)") }
    }

    @Test func `What is put into a file stays, whatever a power cut keeps of the writes before`() throws {
        let disk = MemoryFileSystem()
        let root = try disk.openDirectory("/")
        let file = try root.open("a", .create)
        try file.writeAll([1, 2, 3], at: 0)
        disk.setContents("/a", [1, 7, 3])
        #expect(disk.crashed(keeping: .all, names: .all).contents("/a") == [1, 7, 3])
        // And what is written behind it is as pending as ever.
        try file.writeAll([9], at: 0)
        #expect(disk.crashed(keeping: .none, names: .all).contents("/a") == [1, 7, 3])
        #expect(disk.crashed(keeping: .all, names: .all).contents("/a") == [9, 7, 3])
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `The simulated disk answers as the system's does, call by call`(seed: UInt64) throws {
        try Harness.withTemporaryDirectory { path in
            let roots = [
                try PosixFileSystem().openDirectory(path), try MemoryFileSystem().openDirectory("/"),
            ]
            let places = try roots.map { root in
                try root.makeDirectory("other")
                return [root, try root.openDirectory("other")]
            }
            var random = SplitMix64(seed: seed), done: [String] = []
            for step in 0..<120 {
                let place = random.below(2), elsewhere = random.below(2), choice = random.below(9)
                let name = Self.names[random.below(4)], other = Self.names.filter { $0 != name }[random.below(3)]
                let mode = [OpenMode.read, .write, .create, .createIfAbsent][random.below(4)]
                let outcomes = places.map { places in
                    let here = places[place]
                    return Outcome {
                        switch choice {
                        case 0: try here.makeDirectory(name)
                        case 1, 2:
                            let file = try here.open(name, mode)
                            if mode != .read, try file.size() == 0 { try file.writeAll([UInt8(step)], at: 0) }
                        case 3: try here.rename(name, to: other)
                        case 4: try here.replace(other, by: name)
                        case 5: try here.link(name, to: other, in: places[elsewhere])
                        case 6: try here.unlink(name)
                        case 7: try here.removeDirectory(name)
                        default: _ = try here.openDirectory(name).makeDirectory("in")
                        }
                    }
                }
                done.append("\(place) \(choice) \(name) \(other) \(mode): \(outcomes[0])")
                #expect(outcomes[0] == outcomes[1], "seed \(seed), the last of: \(done.joined(separator: "\n"))")
                let after = try roots.map { try Self.contents($0) }
                #expect(after[0] == after[1], "seed \(seed), after \(done.joined(separator: "\n"))")
                guard outcomes[0] == outcomes[1], after[0] == after[1] else { return }
            }
            #expect(done.contains { $0.hasSuffix("done") } && done.contains { $0.hasSuffix("failed") })
        }
    }

    @Test func `A name that is renamed to itself stays`() throws {
        try Harness.withTemporaryDirectory { path in
            for root in [try PosixFileSystem().openDirectory(path), try MemoryFileSystem().openDirectory("/")] {
                try root.open("a", .create).writeAll([1], at: 0)
                #expect { try root.rename("a", to: "a") } throws: { ($0 as? DiskError)?.errno == .fileExists }
                try root.replace("a", by: "a")
                #expect(try Self.contents(root) == ["a=[1]"])
            }
        }
    }
}
