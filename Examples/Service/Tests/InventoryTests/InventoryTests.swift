import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Inventory
import Logging
import Testing
import Yaprak
import YaprakTesting

extension Fixture {
    /// Three items. Built once; each test has a fork of its own.
    static let stock = Fixture { database in
        let inventory = try await Inventory(database)
        try await inventory.put(Item(name: "Anvil", count: 3), id: "a")
        try await inventory.put(Item(name: "Bellows", count: 1), id: "b")
        try await inventory.put(Item(name: "Coal", count: 500), id: "c")
    }
}

/// The service, each test on a fork of one fixture.
@Suite(.database(.stock), .timeLimit(.minutes(1))) struct InventoryTests {
    /// The service on the database of the test. It closes the database at its end.
    private func service() async throws -> some ApplicationProtocol {
        try await makeApplication(
            Inventory(Database.current),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    }

    @Test func `Items are put, read, reserved and removed`() async throws {
        try await service().test(.router) { client in
            let item = ByteBuffer(string: #"{"name": "Tongs", "count": 2}"#)
            #expect(try await client.execute(uri: "/items/t", method: .put, body: item).status == .noContent)
            let read = try await client.execute(uri: "/items/t", method: .get)
            #expect(String(buffer: read.body) == #"{"count":2,"name":"Tongs"}"#)
            let reserved = try await client.execute(uri: "/items/t/reserve?count=2", method: .post)
            #expect(String(buffer: reserved.body) == #"{"left":0}"#)
            #expect(try await client.execute(uri: "/items/t/reserve?count=1", method: .post).status == .conflict)
            #expect(try await client.execute(uri: "/items/t", method: .delete).status == .noContent)
            #expect(try await client.execute(uri: "/items/t", method: .get).status == .notFound)
            #expect(try await client.execute(uri: "/items/t/reserve?count=1", method: .post).status == .notFound)
        }
    }

    @Test func `An item of which there are fewer than none is refused with the reason, and changes nothing`()
        async throws
    {
        let database = Database.current
        try await service().test(.router) { client in
            let start = database.commitNumber
            let puts: [(Int, HTTPResponse.Status)] = [(-1, .badRequest), (.min, .badRequest), (0, .noContent)]
            for (count, status) in puts {
                #expect(database.commitNumber == start)
                let item = ByteBuffer(string: #"{"name": "Anvil", "count": \#(count)}"#)
                let response = try await client.execute(uri: "/items/a", method: .put, body: item)
                #expect(response.status == status)
                if count < 0 { #expect(String(buffer: response.body).contains("\(count) is below 0")) }
            }
            #expect(database.snapshot[.items]["a"]?.count == 0)
        }
    }

    @Test func `Pages follow each other while items come and go`() async throws {
        let database = Database.current
        try await service().test(.router) { client in
            let first = try await page(client, "/items?max=2")
            #expect(first.items.map(\.id) == ["a", "b"])
            try await database.write { transaction in
                transaction[.items].remove("b")
                transaction[.items]["0"] = Item(name: "Awl", count: 1)
            }
            let second = try await page(client, "/items?max=2&after=\(try #require(first.next))")
            #expect(second.items.map(\.id) == ["c"] && second.next == nil)
            let all = try await page(client, "/items?max=3")
            #expect(all.items.count == 3 && all.next == nil)
            #expect(try await client.execute(uri: "/items?after=nonsense", method: .get).status == .badRequest)
        }
    }

    private func page(_ client: any TestClientProtocol, _ uri: String) async throws -> Inventory.Page {
        let response = try await client.execute(uri: uri, method: .get)
        return try JSONDecoder().decode(Inventory.Page.self, from: Data(buffer: response.body))
    }

    @Test func `A hundred that want the last ones get what there is, and no more`() async throws {
        let database = Database.current
        try await service().test(.router) { client in
            let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await client.execute(uri: "/items/a/reserve?count=1", method: .post).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == .ok }.count == 3)
            #expect(statuses.filter { $0 == .conflict }.count == 97)
            #expect(database.snapshot[.items]["a"]?.count == 0)
        }
    }

    @Test func `A feed has each commit once, and ends when the service does`() async throws {
        let database = Database.current
        let start = database.commitNumber.rawValue
        let ids = try await service().test(.live) { client in
            let url = "http://127.0.0.1:\(try #require(client.port))/changes"
            let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
            var events = response.body.makeAsyncIterator()
            var text = try await events.next().map { String(buffer: $0) } ?? ""
            #expect(text.hasPrefix(": connected"))
            for number in 1...5 {
                try await client.execute(uri: "/items/c/reserve?count=\(number)", method: .post)
            }
            while text.components(separatedBy: "id: ").count <= 5, let next = try await events.next() {
                text += String(buffer: next)
            }
            // The feed is still open: the service ends it, so that it can end itself.
            return text.split(separator: "\n").filter { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
        }
        #expect(ids == (1...5).map { "\(start + UInt64($0))" })
        // The service has closed its database.
        await #expect(throws: DatabaseError.self) { try await database.write { $0[.items].removeAll() } }
    }

    @Test func `A feed that comes back gets what it missed`() async throws {
        let disk = SimulatedDisk()
        let database = try await Database.current.fork(on: disk)
        let start = database.commitNumber.rawValue
        for number in 1...3 { try await database.write { $0[.items]["c"]?.count = number } }
        let application = try await makeApplication(
            Inventory(database), configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        try await application.test(.live) { client in
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(try #require(client.port))/changes")
            request.headers.add(name: "Last-Event-ID", value: "\(start + 1)")
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
            var text = ""
            for try await part in response.body {
                text += String(buffer: part)
                if text.contains("id: \(start + 3)\n") { break }
            }
            #expect(!text.contains("id: \(start + 1)\n") && text.contains("id: \(start + 2)\n"))
        }
    }

    @Test func `A feed says that all was removed at once`() async throws {
        let disk = SimulatedDisk()
        let database = try await Database.current.fork(on: disk)
        let start = database.commitNumber.rawValue
        try await database.write { $0[.items].removeAll() }
        let application = try await makeApplication(
            Inventory(database), configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        try await application.test(.live) { client in
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(try #require(client.port))/changes")
            request.headers.add(name: "Last-Event-ID", value: "\(start)")
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
            var text = ""
            for try await part in response.body {
                text += String(buffer: part)
                if text.hasSuffix("\ndata: []\n\n") { break }
            }
            #expect(text.hasSuffix("id: \(start + 1)\nevent: reset\ndata: []\n\n"))
        }
    }

    // Of a commit that is not there yet, and of one that nobody has any more: in memory there is no log.
    @Test(arguments: [100, -1]) func `A feed that can't go on where its client was says that all is to be read again`(
        distance: Int
    ) async throws {
        let database = Database.current
        let start = Int(database.commitNumber.rawValue)
        let text = try await service().test(.live) { client in
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(try #require(client.port))/changes")
            request.headers.add(name: "Last-Event-ID", value: "\(start + distance)")
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
            return String(buffer: try await response.body.collect(upTo: 1 << 16))
        }
        #expect(text == ": connected\n\nid: \(start)\nevent: reset\ndata: []\n\n")
    }

    @Test func `A disk that is full is the client's to hear of, and nothing is half done`() async throws {
        let disk = SimulatedDisk()
        let database = try await Database.current.fork(on: disk)
        let application = try await makeApplication(
            Inventory(database), logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        try await application.test(.router) { client in
            disk.plan(.diskFull(afterBytes: 0))
            let refused = try await client.execute(uri: "/items/c/reserve?count=1", method: .post)
            #expect(refused.status.code == 507)
            #expect(database.snapshot[.items]["c"]?.count == 500)
            disk.heal()
            #expect(try await client.execute(uri: "/items/c/reserve?count=1", method: .post).status == .ok)
        }
    }
}
