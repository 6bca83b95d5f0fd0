#if Inspector
    import NIOHTTP1
    import SystemPackage
    import TestSupport
    import Yaprak

    @testable import YaprakInspector

    struct Item: Codable, Sendable, Hashable {
        var name: String
        var shelf = "a"
        var rank = 0
        var parts: [String]?
    }

    extension RecordCollection where Object == Item, Metadata == Int {
        static var items: Self { Self("items") }
    }

    let shelves = AutoView(
        "shelves", versionTag: "1", of: .items, groupedBy: \.shelf, sortedBy: \.rank, persistence: .everyCommit)

    /// A database to look at, and who answers questions about it.
    struct InspectedDatabase {
        let directory = TemporaryDirectory()
        let path: FilePath
        let database: Database

        /// - Parameter commits: how many items are put in, a commit for each.
        init(commits: Int = 20) async throws {
            path = FilePath(directory.appending("stock.yaprak"))
            var options = DatabaseOptions()
            options.durability = .relaxed
            options.retention = .all
            options.checkpoints = .manual
            database = try await Database.open(at: path, options: options, collections: .items)
            try await database.register(shelves)
            for number in 1...max(1, commits) {
                try await database.write(origin: "test") { transaction in
                    transaction[.items].set(
                        Item(name: "item \(number)", shelf: ["a", "b"][number % 2], rank: (number * 7) % 20),
                        metadata: number % 3 == 0 ? number : nil, for: "key \(number % 12)")
                }
            }
        }

        /// A service of the files.
        func service(limits: ServerLimits = ServerLimits()) throws -> TestService {
            try TestService(FileHistory(path), limits)
        }
    }

    /// Asks a service as a browser would that was let in.
    struct TestService: Sendable {
        let service: InspectorService
        let hub: EventHub
        private let cookie: String
        static let port = 4711

        init(_ history: any InspectedHistory, _ limits: ServerLimits = ServerLimits()) throws {
            hub = EventHub(history)
            service = InspectorService(
                history, access: Access(port: Self.port, token: "right"), hub: hub, limits: limits)
            let first = Request(target: "/?token=right", headers: ["Host": "127.0.0.1:\(Self.port)"])!
            let set = service.access.answer(to: first)?.headers.first { $0.0 == "Set-Cookie" }?.1 ?? ""
            cookie = String(set.prefix { $0 != ";" })
        }

        func ask(_ target: String, headers: [(String, String)] = []) async -> (
            status: Int, text: String, headers: [String: String]
        ) {
            var all = HTTPHeaders([("Host", "localhost:\(Self.port)"), ("Cookie", cookie)])
            for (name, value) in headers { all.add(name: name, value: value) }
            guard let request = Request(target: target, headers: all) else { return (400, "", [:]) }
            let response = await service.answer(to: request)
            var text = ""
            if case .bytes(let bytes) = response.body { text = String(decoding: bytes, as: UTF8.self) }
            return (response.status, text, Dictionary(response.headers, uniquingKeysWith: { $1 }))
        }
    }
#endif
