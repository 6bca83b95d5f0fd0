#if SQLite
    import Foundation
    import SystemPackage
    import TestSupport
    import Testing
    import Yaprak
    import YaprakCBOR

    @testable import YaprakImport

    /// Property lists that Foundation's decoder would follow without an end, or until the stack is used up.
    @Suite(.bounded) struct HostileListTests {
        private let folder = TemporaryDirectory()

        /// A type that holds others of its kind, as deep as a list says.
        private struct Shelf: Codable, Sendable, Hashable {
            var shelves: [Shelf] = []
        }

        private let shelves = RecordCollection<Shelf, Shelf>("shelves")

        /// A list of objects that refer to each other by two bytes. The second is at the top; the first is the name of the
        /// property.
        private static func list(_ objects: [[UInt8]]) -> Data {
            var bytes = Array("bplist00".utf8), offsets: [UInt8] = []
            for object in [[0x57] + Array("shelves".utf8)] + objects {
                offsets += withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { Array($0) }
                bytes += object
            }
            let table = bytes.count
            bytes += offsets + [0, 0, 0, 0, 0, 0, 4, 2]
            for number in [objects.count + 1, 1, table] {
                bytes += withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
            }
            return Data(bytes)
        }

        private static func references(_ numbers: Int...) -> [UInt8] {
            numbers.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
        }

        /// Shelves within shelves, `levels` deep; each holds the next one `copies` times.
        private static func nested(_ levels: Int, copies: Int = 1) -> Data {
            var objects: [[UInt8]] = []
            for level in 0..<levels {
                let array = 2 * level + 2, next = references(array + 1)
                objects.append([0xd1] + references(0, array))
                objects.append([0xa0 | UInt8(copies)] + Array(repeating: next, count: copies).joined())
            }
            return list(objects + [[0xd1] + references(0, 2 * levels + 2), [0xa0]])
        }

        private static let deepXML = Data(
            ("<plist>" + String(repeating: "<array>", count: 10_000) + String(repeating: "</array>", count: 10_000)
                + "</plist>").utf8)

        // Each of them ended the process, or ran forever.
        @Test func `A list without an end, or too deep, is left out with a note, and the rows around it are not`()
            async throws
        {
            let path = folder.appending("old.sqlite")
            let old = try OldDatabase(at: path, journal: "DELETE")
            let endless = Self.list([[0xd1] + Self.references(0, 2), [0xa1] + Self.references(1)])
            let lists = [Self.deepXML, endless, Self.nested(40, copies: 2), Self.nested(5000)]
            for (number, list) in lists.enumerated() {
                try old.insert("shelves", "object \(number)", list)
            }
            try old.insert("shelves", "metadata", Self.nested(1), endless)
            try old.insert("shelves", "good", Self.nested(1), Self.nested(2))
            var plan = YapDatabaseImport(FilePath(path))
            plan.decode("shelves", as: shelves)
            let database = Database.inMemory()
            let report = try await plan.run(into: database)
            #expect(report.leftOutCount == 5 && report.insertedCount == 1, "\(report.notes)")
            #expect(report.notes.count == 5 && report.notes.allSatisfy { $0.kind == .leftOut })
            #expect(database.snapshot[shelves]["good"] == Shelf(shelves: [Shelf()]))
            let metadata = database.snapshot[shelves].metadata(for: "good")
            #expect(metadata == Shelf(shelves: [Shelf(shelves: [Shelf()])]))
        }

        @Test func `A list as deep as a record may be is decoded, also on a small stack`() throws {
            let most = CBORItem.depthMax / 2 - 1
            let depth = try SmallStack.run {
                let row = YapDatabaseRow(
                    rowID: 1, collection: "shelves", key: "k", object: Self.nested(most), metadata: nil)
                var shelf = try row.decodedObject(Shelf.self), depth = 0
                while let inner = shelf.shelves.first { (shelf, depth) = (inner, depth + 1) }
                return depth
            }
            #expect(depth == most)
        }

        @Test func `A list in XML is refused, and the error says what to do`() throws {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .xml
            let row = YapDatabaseRow(
                rowID: 1, collection: "shelves", key: "k", object: try encoder.encode(Shelf()), metadata: nil)
            #expect {
                try row.decodedObject(Shelf.self)
            } throws: {
                guard case .dataCorrupted(let context)? = $0 as? DecodingError else { return false }
                return context.debugDescription.contains("give decode(_:as:object:) a closure")
            }
        }
    }
#endif
