import Logging
import TestSupport
import Testing
import Yaprak
import YaprakLocks

/// Errors name keys, types and places, and never say what is in a record.
@Suite(.bounded) struct RedactionTests {
    static let secret = "hunter2"

    /// All that a program would print of an error: its words, its fields, and those of its causes.
    private func everythingPrinted(of error: any Error) -> String {
        var text = "\(error) \(String(reflecting: error)) "
        dump(error, to: &text)
        var next = (error as? DatabaseError)?.cause
        while let cause = next {
            // The program's own error is its own to print; ours is what is said of it.
            if cause is EncodingError || cause is DecodingError || cause is DatabaseError {
                dump(cause, to: &text)
                text += "\(cause) \(String(reflecting: cause))"
            }
            next = (cause as? DatabaseError)?.cause
        }
        return text
    }

    struct Account: Codable, Sendable {
        var name = "ada"
        var password = RedactionTests.secret
        var refusal = Refusal.none

        enum Refusal: Codable, Sendable { case none, codable, own, ownStruct, nested }
        enum Own: Error { case refused(password: String) }
        struct OwnStruct: Error, CustomStringConvertible { var description: String }

        func encode(to encoder: any Encoder) throws {
            let context = EncodingError.Context(
                codingPath: encoder.codingPath, debugDescription: "the password \(password) is too weak",
                underlyingError: Own.refused(password: password))
            switch refusal {
            case .none: break
            case .codable: throw EncodingError.invalidValue(self, context)
            case .own: throw Own.refused(password: password)
            case .ownStruct: throw OwnStruct(description: "no password like \(password)")
            case .nested:
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: [], debugDescription: password,
                        underlyingError: EncodingError.invalidValue(self, context)))
            }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encode(password, forKey: .password)
        }

        init(_ refusal: Refusal = .none) { self.refusal = refusal }
        enum CodingKeys: CodingKey { case name, password }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            password = try container.decode(String.self, forKey: .password)
        }
    }

    private let accounts = RecordCollection<Account, NoMetadata>("accounts")

    @Test(arguments: [Account.Refusal.codable, .own, .ownStruct, .nested])
    func `An encoding failure prints no value of the record`(refusal: Account.Refusal) async throws {
        let database = Database.inMemory(checkingCoding: true)
        let error = try #require(
            await #expect(throws: DatabaseError.self) {
                try await database.write { $0[accounts]["k1"] = Account(refusal) }
            })
        #expect(error.code == .encodingFailed && error.place.key == "k1")
        #expect(error.description.contains("k1") && !error.description.contains(Self.secret))
        switch refusal {
        case .codable:
            #expect(error.description.contains("Account"))
            #expect(error.cause is EncodingError)
            #expect(!everythingPrinted(of: error).contains(Self.secret))
        case .nested:
            #expect(error.cause is DecodingError)
            #expect(!everythingPrinted(of: error).contains(Self.secret))
        case .own: #expect(error.description.contains("Own.refused") && error.cause is Account.Own)
        case .ownStruct: #expect(error.description.contains("OwnStruct") && error.cause is Account.OwnStruct)
        case .none: break
        }
    }

    @Test func `What does not encode in CBOR is named by type and coding path`() async throws {
        struct Chain: Codable, Sendable {
            var password = RedactionTests.secret
            var next: [Chain] = []
        }
        var chain = Chain()
        for _ in 0..<600 { chain = Chain(next: [chain]) }
        let chains = RecordCollection<Chain, NoMetadata>("chains")
        let database = Database.inMemory(checkingCoding: true)
        let deep = chain
        let error = try #require(
            await #expect(throws: DatabaseError.self) { try await database.write { $0[chains]["k1"] = deep } })
        #expect(error.description.contains("next") && error.description.count < 1_000)
        #expect(!everythingPrinted(of: error).contains(Self.secret))
    }

    @Test func `A decoding failure prints no value of the record`() async throws {
        enum Color: String, Codable, Sendable { case red }
        struct Strict: Codable, Sendable {
            var name: Color
            var password: Int
        }
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        var database = try await Database.open(at: path, collections: accounts)
        try await database.write {
            var account = Account()
            account.name = "\(Self.secret) ada"
            $0[accounts]["k1"] = account
        }
        try await database.close()
        let strict = RecordCollection<Strict, NoMetadata>("accounts")
        let error = try #require(
            await #expect(throws: DatabaseError.self) { _ = try await Database.open(at: path, collections: strict) })
        #expect(error.code == .undecodableRecord && error.description.contains("k1"))
        #expect(error.description.contains("name"))
        #expect(!everythingPrinted(of: error).contains(Self.secret))
        database = try await Database.open(at: path, collections: accounts)
        try await database.close()
    }

    /// A record that stops encoding after it was written, as one does whose encoding depends on what is around it.
    struct Moody: Codable, Sendable {
        static let refuses = Mutex(false)
        var password = RedactionTests.secret
        func encode(to encoder: any Encoder) throws {
            if Moody.refuses.withLock({ $0 }) {
                throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: password))
            }
            var container = encoder.singleValueContainer()
            try container.encode(password)
        }
        init() {}
        init(from decoder: any Decoder) throws { password = try decoder.singleValueContainer().decode(String.self) }
    }

    struct Collector: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) { lines.add("\(event.message)") }
        init(_ lines: Lines) { self.lines = lines }
    }

    final class Lines: Sendable {
        let all = Mutex<[String]>([])
        func add(_ line: String) { all.withLock { $0.append(line) } }
    }

    @Test func `A checkpoint that fails in the background logs no value of the record`() async throws {
        let directory = TemporaryDirectory()
        let lines = Lines()
        var options = DatabaseOptions()
        options.logger = Logger(label: "test", factory: { _ in Collector(lines) })
        options.checkpoints = .every(bytes: 1)
        let moody = RecordCollection<Moody, NoMetadata>("moody")
        let plain = RecordCollection<String, NoMetadata>("plain")
        let database = try await Database.open(
            at: FilePath(directory.appending("shop.yaprak")), options: options, collections: moody, plain)
        try await database.write { $0[moody]["k1"] = Moody() }
        Moody.refuses.withLock { $0 = true }
        defer { Moody.refuses.withLock { $0 = false } }
        var failure: String?
        for round in 0..<2_000 where failure == nil {
            try await database.write { $0[plain]["a"] = "\(round)" }
            try await Task.sleep(for: .milliseconds(1))
            failure = lines.all.withLock { $0.first { $0.contains("a checkpoint failed") } }
        }
        let line = try #require(failure)
        #expect(line.contains("k1") && line.contains("Moody") && !line.contains(Self.secret))
        try await database.close()
    }
}
