import TestSupport
import Testing
import Yaprak
import YaprakCBOR

/// At the limit, and one over.
@Suite(.bounded) struct LimitTests {
    @Test func `A key at the limit is taken, one over is refused, and nothing is lost`() async throws {
        var options = DatabaseOptions()
        options.limits.keyBytesMax = 100
        let database = Database.inMemory(options: options)
        let key = String(repeating: "k", count: 100)
        try await database.write { $0[.books][key] = Book(title: "x") }
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { transaction in
                transaction[.books]["other"] = Book(title: "y")
                transaction[.books][key + "k"] = Book(title: "x")
            }
        }
        #expect(error?.code == .keyTooLong)
        #expect(database.snapshot[.books].map(\.key) == [key])
    }

    @Test func `A transaction at the limit is taken, one over is refused`() async throws {
        var options = DatabaseOptions()
        options.limits.operationsMax = 10
        let database = Database.inMemory(options: options)
        try await database.write { for index in 0..<10 { $0[.books]["\(index)"] = Book(title: "x") } }
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { for index in 0..<11 { $0[.authors]["\(index)"] = Author(name: "x") } }
        }
        #expect(error?.code == .transactionTooLarge)
        #expect(database.snapshot.collectionNames == ["books"])
    }

    // A chain sets nil where it finds nothing, and that was counted.
    @Test func `Chains that find no record are no operations`() async throws {
        var options = DatabaseOptions()
        options.limits.operationsMax = 10
        let database = Database.inMemory(options: options)
        try await database.write { transaction in
            for index in 0..<11 {
                transaction[.books]["\(index)"]?.title = "x"
                transaction[.books]["\(index)"] = nil
            }
            for index in 0..<10 { transaction[.books]["\(index)"] = Book(title: "x") }
        }
        #expect(database.snapshot[.books].count == 10)
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { for index in 0..<11 { $0[.books]["\(index % 10)"]?.title = "y" } }
        }
        #expect(error?.code == .transactionTooLarge)
    }

    @Test func `A value at the limit is taken, one over is refused`() async throws {
        var options = DatabaseOptions()
        // One byte of head for each text of up to 23 bytes, two above; the map and its keys are the rest.
        options.limits.valueBytesMax = 100
        let database = Database.inMemory(checkingCoding: true, options: options)
        @Sendable func book(_ bytes: Int) -> Author { Author(name: String(repeating: "x", count: bytes)) }
        let overhead = try CBOREncoder().encode(book(90)).count - 90
        try await database.write { $0[.authors]["a"] = book(100 - overhead) }
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { $0[.authors]["b"] = book(101 - overhead) }
        }
        #expect(error?.code == .valueTooLarge && error?.place.key == "b" && error?.place.collectionName == "authors")
        #expect(database.snapshot[.authors].map(\.key) == ["a"])
    }

    @Test(arguments: ["", "a\u{0}b", "tab\t", String(repeating: "x", count: 256)])
    func `A name that can't be one is refused`(name: String) async throws {
        let database = Database.inMemory()
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { $0[RecordCollection<Book, NoMetadata>(name)]["a"] = Book(title: "x") }
        }
        #expect(error?.code == .invalidName)
        #expect(database.snapshot.collectionNames.isEmpty)
    }

    @Test func `A record that does not encode fails the write where a file would`() async throws {
        struct Touchy: Codable, Sendable {
            var isBad = false
            init(isBad: Bool) { self.isBad = isBad }
            func encode(to encoder: any Encoder) throws {
                if isBad { throw Bad() }
                var container = encoder.singleValueContainer()
                try container.encode(isBad)
            }
            init(from decoder: any Decoder) throws { isBad = try decoder.singleValueContainer().decode(Bool.self) }
        }
        struct Bad: Error {}
        let touchy = RecordCollection<Touchy, NoMetadata>("touchy")
        let checking = Database.inMemory(checkingCoding: true)
        let error = await #expect(throws: DatabaseError.self) {
            try await checking.write { transaction in
                transaction[touchy]["good"] = Touchy(isBad: false)
                transaction[touchy]["bad"] = Touchy(isBad: true)
            }
        }
        #expect(error?.code == .encodingFailed && error?.place.key == "bad" && error?.cause is Bad)
        #expect(checking.snapshot[touchy].isEmpty && checking.commitNumber == 0)
        let plain = Database.inMemory()
        try await plain.write { $0[touchy]["bad"] = Touchy(isBad: true) }
        #expect(plain.snapshot[touchy].count == 1)
    }

    @Test func `A value that nests too deep for a reader of the log is refused`() async throws {
        let nests = RecordCollection<CBORValue, NoMetadata>("nests")
        func nested(_ depth: Int) -> CBORValue { depth == 0 ? .null : .array([nested(depth - 1)]) }
        let database = Database.inMemory(checkingCoding: true)
        let (fits, over) = (nested(2 * (256 + 1)), nested(2 * (256 + 1) + 1))
        try await database.write { $0[nests]["fits"] = fits }
        let error = await #expect(throws: DatabaseError.self) { try await database.write { $0[nests]["over"] = over } }
        #expect(error?.code == .encodingFailed && error?.place.key == "over")
    }

    @Test func `Using one name with two types stops with a sentence that names both`() async {
        await #expect(processExitsWith: .failure) {
            let database = Database.inMemory()
            try await database.write { $0[.books]["a"] = Book(title: "x") }
            _ = database.snapshot[RecordCollection<Author, NoMetadata>("books")]["a"]
        }
    }
}
