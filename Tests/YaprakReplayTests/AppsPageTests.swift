import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakReplay

// snippet: apps-clip
struct Clip: Codable, Sendable, Hashable {
    var text: String
    var picture: String?  // the name of a file
}

extension RecordCollection where Object == Clip, Metadata == NoMetadata {
    static var clips: Self { Self("clips") }
}
// end

// snippet: apps-place
func openClips(of account: UUID, in folder: URL) async throws -> Database {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return try await Database.open(at: folder.appending(path: account.uuidString), collections: .clips)
}
// end

// snippet: apps-inbox
/// In the extension: each thing to save is a file.
func handOver(_ clip: Clip, to inbox: URL) throws {
    try JSONEncoder().encode(clip).write(to: inbox.appending(path: UUID().uuidString), options: .atomic)
}

/// In the app. The name of the file is the key: a file that is read twice is one record.
actor Inbox {
    private let folder: URL
    private var collecting: Task<Void, any Error>?

    init(_ folder: URL) { self.folder = folder }

    /// One at a time: a call that comes meanwhile waits for the one that is under way.
    func collect(into database: Database) async throws {
        let task = collecting ?? Task { try await takeAll(into: database) }
        collecting = task
        defer { if collecting == task { collecting = nil } }
        try await task.value
    }

    private func takeAll(into database: Database) async throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        for name in names where UUID(uuidString: name) != nil {
            let file = folder.appending(path: name)
            let data = try Data(contentsOf: file)
            guard let clip = try? JSONDecoder().decode(Clip.self, from: data) else { continue }
            try await database.write(origin: "extension") { $0[.clips][name] = clip }
            try FileManager.default.removeItem(at: file)
        }
    }
}
// end

// snippet: apps-foreground
/// A database that is open only while the app is in the foreground.
actor ForegroundDatabase {
    private let path: FilePath
    private var opening: Task<Database, any Error>?
    private var closing: Task<Void, any Error>?

    init(_ path: FilePath) { self.path = path }

    /// The database, which is opened if it is not open.
    func database() async throws -> Database {
        let task =
            opening
            ?? Task { [path, closing] in
                try? await closing?.value
                return try await Database.open(at: path, collections: .clips)
            }
        opening = task
        do {
            return try await task.value
        } catch {
            if opening == task { opening = nil }  // the next call tries again
            throw error
        }
    }

    /// Closes it. Writes that are under way end before; later ones throw `closed`.
    func enterBackground() async throws {
        guard let task = opening else { return try await closing?.value ?? () }
        opening = nil
        let closing = Task { try await task.value.close() }
        self.closing = closing
        try await closing.value
    }
}
// end

// snippet: apps-pictures
/// Pictures as files: a record has the name of its file.
struct Pictures: Sendable {
    let folder: URL

    /// Writes a file, and returns its name for a record that is written next.
    func add(_ data: Data) throws -> String {
        let name = UUID().uuidString
        try data.write(to: folder.appending(path: name), options: .atomic)
        return name
    }

    /// Removes the files that no record names. At launch, before anything adds one.
    func sweep(_ snapshot: Snapshot) throws {
        let named = Set(snapshot[.clips].objects.compactMap(\.picture))
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !named.contains(name) {
            try FileManager.default.removeItem(at: folder.appending(path: name))
        }
    }
}
// end

/// The programs of the page on apps.
@Suite(.bounded) struct AppsPageTests {
    let directory = TemporaryDirectory()

    private func folder(_ name: String) throws -> URL {
        let folder = URL(filePath: directory.appending(name))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test func `Each account has a directory, which goes with it`() async throws {
        let accounts = URL(filePath: directory.appending("Application Support/accounts"))
        let ada = UUID(), ben = UUID()
        let database = try await openClips(of: ada, in: accounts)
        let other = try await openClips(of: ben, in: accounts)
        try await database.write { $0[.clips]["a"] = Clip(text: "hers") }
        #expect(other.snapshot[.clips].isEmpty)
        // snippet: apps-account
        try await database.close()
        try FileManager.default.removeItem(at: accounts.appending(path: ada.uuidString))
        // end
        try await other.close()
        #expect(directory.files(in: "Application Support/accounts") == [ben.uuidString])
    }

    @Test func `What was removed is in no file after a purge`() async throws {
        let path = FilePath(directory.appending("clips"))
        let database = try await Database.open(at: path, collections: .clips)
        try await database.write { transaction in
            transaction[.clips]["public"] = Clip(text: "seen by all")
            transaction[.clips]["secret"] = Clip(text: "XYZZY-PLUGH")
        }
        // snippet: apps-erase
        try await database.write { $0[.clips].remove("secret") }
        try await database.checkpoint()
        try await database.close()
        try ReplayMaintenance(path).purgeHistory()
        // end
        for folder in ["ckpt", "wal"] {
            for name in directory.files(in: "clips/\(folder)") {
                let bytes = try Data(contentsOf: URL(filePath: directory.appending("clips/\(folder)/\(name)")))
                #expect(bytes.firstRange(of: Data("XYZZY-PLUGH".utf8)) == nil, "\(name)")
            }
        }
        #expect(try ReplayReader(path).snapshot().untyped("clips").count == 1)
    }

    @Test func `An extension reads beside the app, hands over files, and can't open the directory`() async throws {
        let path = FilePath(directory.appending("clips")), inbox = try folder("inbox")
        let database = try await Database.open(at: path, collections: .clips)
        try await database.write { $0[.clips]["a"] = Clip(text: "first") }
        let refusal = await #expect(throws: DatabaseError.self) {
            try await Database.open(at: path, collections: .clips)
        }
        #expect(refusal?.code == .alreadyOpen)
        // snippet: apps-reader
        let reader = try ReplayReader(path, collections: .clips)  // takes no lock, and writes nothing
        let texts = try reader.snapshot()[.clips].objects.map(\.text)
        // end
        #expect(Array(texts) == ["first"])

        try handOver(Clip(text: "second"), to: inbox)
        try Data("not yet whole".utf8).write(to: inbox.appending(path: "of somebody else"))
        try handOver(Clip(text: "third"), to: inbox)
        let collector = Inbox(inbox)
        async let atLaunch: Void = collector.collect(into: database)
        async let inForeground: Void = collector.collect(into: database)
        _ = try await (atLaunch, inForeground)
        try await collector.collect(into: database)
        #expect(Set(database.snapshot[.clips].objects.map(\.text)) == ["first", "second", "third"])
        #expect(directory.files(in: "inbox") == ["of somebody else"])
        try await database.close()
    }

    @Test func `A database is closed in the background and opened again in the foreground`() async throws {
        let app = ForegroundDatabase(FilePath(directory.appending("clips")))
        let first = try await app.database()
        try await first.write { $0[.clips]["a"] = Clip(text: "first") }
        try await app.enterBackground()
        let error = await #expect(throws: DatabaseError.self) { try await first.write { $0[.clips].removeAll() } }
        #expect(error?.code == .closed)
        let second = try await app.database()
        #expect(second !== first && second.snapshot[.clips].count == 1)
        #expect(try await app.database() === second)
        try await app.enterBackground()
        try await app.enterBackground()
    }

    @Test func `A picture without a record goes, and one with a record stays`() async throws {
        let pictures = Pictures(folder: try folder("pictures"))
        let database = Database.inMemory()
        let name = try pictures.add(Data([1, 2, 3]))
        _ = try pictures.add(Data([4]))
        try await database.write { $0[.clips]["a"] = Clip(text: "a sunset", picture: name) }
        try pictures.sweep(database.snapshot)
        #expect(directory.files(in: "pictures") == [name])
    }
}
