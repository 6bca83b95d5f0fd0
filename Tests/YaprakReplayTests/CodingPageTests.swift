import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakReplay

// snippet: coding-accounts
struct Account: Codable, Sendable, Hashable {
    var owner: String
    var token: String
}

extension RecordCollection where Object == Account, Metadata == NoMetadata {
    static var accounts: Self { Self("accounts") }
}
// end

// snippet: coding-sealed
/// Encrypts the records of a collection. `seal` and `open` come from a cryptography library.
struct SealedCoder: RecordCoder {
    let name: String  // stable; name it for the key: "sealed-2026"
    let seal: @Sendable ([UInt8]) throws -> [UInt8]
    let open: @Sendable ([UInt8]) throws -> [UInt8]

    func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
        try seal(CBOREncoder().encode(value))
    }

    func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
        try CBORDecoder().decode(type, from: open(Array(bytes)))
    }
}
// end

/// The programs of the page on coding, migrating and encrypting: they compile and run, and DocumentationPagesTests compares
/// the page.
@Suite(.bounded) struct CodingPageTests {
    let directory = TemporaryDirectory()

    private func path(_ name: String = "accounts.yaprak") -> FilePath { FilePath(directory.appending(name)) }

    /// Stands for an authenticated cipher: bytes under one key do not open under another.
    private static func coder(
        _ name: String, key: UInt64, nonce: @escaping @Sendable ([UInt8]) -> UInt64 = digest
    ) -> SealedCoder {
        SealedCoder(name: name) { plain in
            let nonce = nonce(plain)
            return bytes(of: nonce) + bytes(of: digest(plain) ^ key) + mask(plain, key ^ nonce)
        } open: { sealed in
            guard sealed.count >= 16 else { throw WrongKey() }
            let plain = mask(Array(sealed[16...]), key ^ number(sealed[..<8]))
            guard digest(plain) ^ key == number(sealed[8..<16]) else { throw WrongKey() }
            return plain
        }
    }

    private struct WrongKey: Error {}

    private static func digest(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    }

    private static func bytes(of number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func mask(_ bytes: [UInt8], _ seed: UInt64) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        return bytes.map { $0 ^ UInt8(truncatingIfNeeded: random.next()) }
    }

    @Test func `A collection stores its records as JSON`() async throws {
        let path = path()
        // snippet: coding-json
        let accounts = RecordCollection.accounts.configured { $0.coder = JSONRecordCoder() }
        let database = try await Database.open(at: path, collections: accounts)
        try await database.write { $0[.accounts]["ada"] = Account(owner: "Ada", token: "7b1") }
        // end
        try await database.close()
        // JSON and CBOR are always understood.
        let again = try await Database.open(at: path, collections: .accounts)
        #expect(again.snapshot[.accounts]["ada"] == Account(owner: "Ada", token: "7b1"))
        try await again.close()
    }

    @Test func `Records of an older version are migrated when their collection is bound`() async throws {
        struct Old: Codable, Sendable { var name: String }
        let path = path()
        let old = RecordCollection<Old, NoMetadata>("accounts")
        let first = try await Database.open(at: path, collections: old)
        try await first.write { $0[old]["ada"] = Old(name: "Ada") }
        try await first.close()
        // snippet: coding-migrate
        let accounts = RecordCollection.accounts.configured {
            $0.version = 3
            $0.migrate(from: 1, to: 2) { record in
                record.object = ["owner": record.object["name"] ?? ""]  // `name` is called `owner` now
            }
            $0.migrate(from: 2, to: 3) { record in
                record.object["token"] = "none"  // a new property
            }
        }
        let database = try await Database.open(at: path, collections: accounts)
        // end
        #expect(database.snapshot[.accounts]["ada"] == Account(owner: "Ada", token: "none"))
        try await database.checkpoint()
        try await database.close()
        // The checkpoint has the records in the new version: no migration is needed for it.
        let later = RecordCollection.accounts.configured { $0.version = 3 }
        let again = try await Database.open(at: path, collections: later)
        #expect(again.snapshot[.accounts]["ada"]?.token == "none")
        try await again.close()
    }

    @Test func `Records that lack a new property are completed from a prototype`() async throws {
        struct Old: Codable, Sendable { var owner: String }
        let path = path()
        let old = RecordCollection<Old, NoMetadata>("accounts")
        let first = try await Database.open(at: path, collections: old)
        try await first.write { $0[old]["ada"] = Old(owner: "Ada") }
        try await first.close()
        // snippet: coding-prototype
        let accounts = RecordCollection.accounts.configured {
            $0.prototype = Account(owner: "", token: "none")  // `token` is new
        }
        let database = try await Database.open(at: path, collections: accounts)
        // end
        #expect(database.snapshot[.accounts]["ada"] == Account(owner: "Ada", token: "none"))
        try await database.close()
    }

    @Test func `Records that do not decode are set aside and listed`() async throws {
        let path = path()
        let first = try await Database.open(at: path, collections: .accounts)
        try await first.write { $0[.accounts]["ada"] = Account(owner: "Ada", token: "7b1") }
        try await first.close()
        let untyped = try await Database.open(at: path)
        try await untyped.write { try $0.setUntyped(["owner": 7], for: "bob", inCollectionNamed: "accounts") }
        try await untyped.close()
        // snippet: coding-aside
        let accounts = RecordCollection.accounts.configured { $0.undecodable = .setAside }
        let database = try await Database.open(at: path, collections: accounts)
        for key in database.snapshot.setAsideKeys(inCollectionNamed: "accounts") {
            print("not readable:", key)  // bob
        }
        // end
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "accounts") == ["bob"])
        #expect(database.snapshot[.accounts].map(\.key) == ["ada"])
        try await database.close()
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await Database.open(at: path, collections: .accounts)
        }
        #expect(error?.code == .undecodableRecord && error?.place.key == "bob")
    }

    @Test func `A key is rotated, and the old key is not needed afterwards`() async throws {
        let path = path()
        let old = Self.coder("sealed-2025", key: 2025), new = Self.coder("sealed-2026", key: 2026)
        let before = try await Database.open(
            at: path, collections: RecordCollection.accounts.configured { $0.coder = old })
        for number in 0..<20 {
            try await before.write { $0[.accounts]["\(number)"] = Account(owner: "Ada", token: "\(number)") }
            if number == 10 { try await before.checkpoint() }
        }
        // Also of the last commit, which the checkpoint under the new key is of, too.
        try await before.checkpoint()
        try await before.close()

        // snippet: coding-rotate
        let rotating = RecordCollection.accounts.configured {
            $0.coder = new  // encodes from now on
            $0.earlierCoders = [old]  // only decodes
        }
        let database = try await Database.open(at: path, collections: rotating)
        try await database.checkpoint()  // has every record under the new key
        try await database.close()
        try ReplayMaintenance(path).purgeHistory()  // removes the files under the old key
        // end

        #expect(database.snapshot[.accounts].count == 20)
        let accounts = RecordCollection.accounts.configured { $0.coder = new }
        let checkpoints = try FileManager.default.contentsOfDirectory(atPath: path.appending("ckpt").string)
        #expect(checkpoints.count == 2)
        for name in checkpoints {
            let copy = FilePath(directory.appending("without \(name)"))
            try FileManager.default.copyItem(atPath: path.string, toPath: copy.string)
            try FileManager.default.removeItem(atPath: copy.appending("ckpt").appending(name).string)
            let alone = try await Database.open(at: copy, collections: accounts)
            #expect(alone.snapshot[.accounts].count == 20, "without \(name)")
            try await alone.close()
        }
        let after = try await Database.open(at: path, collections: accounts)
        #expect(after.snapshot[.accounts].map(\.object) == database.snapshot[.accounts].map(\.object))
        try await after.write { $0[.accounts]["20"] = Account(owner: "Bob", token: "20") }
        try await after.checkpoint()
        try await after.close()
        let report = try ReplayReader(path).verify(.replay)
        #expect(report.severity == .clean && report.findings.isEmpty, "\(report.findings)")
        #expect(try await Database.replay(path, collections: accounts).snapshot[.accounts].count == 21)
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await Database.open(
                at: path, collections: RecordCollection.accounts.configured { $0.coder = old })
        }
        #expect(error?.code == .undecodableRecord)
    }

    /// A checkpoint encodes each record again, and verification compares its bytes with those of the log.
    @Test func `A coder that encodes equal values differently fails verification`() async throws {
        let path = path()
        let calls = Atomic<UInt64>(0)
        let random = Self.coder("random", key: 1) { _ in calls.add(1, ordering: .relaxed).newValue }
        let accounts = RecordCollection.accounts.configured { $0.coder = random }
        var options = DatabaseOptions()
        options.retention = .all
        let database = try await Database.open(at: path, options: options, collections: accounts)
        try await database.write { $0[.accounts]["ada"] = Account(owner: "Ada", token: "7b1") }
        try await database.checkpoint()
        try await database.close()
        #expect(try ReplayReader(path).verify(.replay).severity == .corrupt)
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await Database.replay(path, collections: accounts)
        }
        #expect(error?.code == .stateDiffers)
    }
}
