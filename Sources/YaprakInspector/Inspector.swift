#if Inspector
    public import Foundation
    public import SystemPackage
    public import Yaprak
    import YaprakReplay

    /// The inspector: a database in a browser. Its commits on a timeline, its records and views as of any of them, what differs
    /// between two, and the first commit of which something is true.
    ///
    ///     let inspector = Inspector(database)
    ///     async let inspection: Void = inspector.run { print("Inspector: \($0)") }
    ///
    /// Reads and never writes. Serves this machine only (127.0.0.1 and ::1), and only browsers that were given the address with
    /// its token: see the page on its security. A program that has it needs the trait `Inspector`:
    ///
    ///     .package(url: "…/yaprak", from: "…", traits: ["Inspector"])
    ///
    /// A value; every ``run(port:ready:)`` is a server of its own, with a token of its own.
    public struct Inspector: Sendable {
        private enum Source: Sendable {
            case database(Database)
            case files(FilePath)
            case nothing(DatabaseError)
        }

        private let source: Source
        var limits = ServerLimits()

        /// The inspector of a running program's database, with its own views; of one in memory, too.
        ///
        /// The history of a database with files is what they have. One in memory has none: the inspector keeps the last
        /// thousand commits since it runs, and the states that it met.
        public init(_ database: Database) { source = .database(database) }

        /// The inspector of a directory, which a program may be writing meanwhile. O(1): ``run(port:ready:)`` opens the files.
        public init(path: FilePath) { source = .files(path) }

        /// The inspector of a directory at a path that is given as a string: `"\(folder)/shop.yaprak"`. As
        /// ``init(path:)-(FilePath)``.
        @_disfavoredOverload
        public init(path: String) { self.init(path: FilePath(path)) }

        /// The inspector of a directory at a URL of the file system. As ``init(path:)-(FilePath)``. If the URL is not one of the
        /// file system, ``run(port:ready:)`` throws `notADatabase`.
        public init(path url: URL) {
            do {
                source = .files(try FilePath(ofFile: url))
            } catch {
                source = .nothing(error)
            }
        }

        /// Serves until its task is cancelled.
        ///
        /// - Parameters:
        ///   - port: where to listen; 0 for a port that is free.
        ///   - ready: is called once, with the address to open in a browser. It has the token: who knows it may read the
        ///     database until this ends.
        /// - Throws: `notFound`, `notADatabase`, `permissionDenied`, `ioFailed` if there is no database to read; `ioFailed` if
        ///   the port is taken.
        public func run(
            port: Int = 0, ready: @escaping @Sendable (_ address: String) -> Void = { print("Inspector: \($0)") }
        ) async throws {
            let history: any InspectedHistory, live: LiveHistory?
            switch source {
            case .database(let database):
                live = try LiveHistory(database)
                history = live!
            case .files(let path):
                live = nil
                history = try FileHistory(path)
            case .nothing(let error): throw error
            }
            guard (0...65535).contains(port) else {
                throw DatabaseError(.ioFailed, "A port is a number from 0 to 65535. Use 0 for one that is free.")
            }
            let hub = EventHub(history), token = Access.randomToken(), limits = limits
            let services = Services(history, hub, limits, token)
            let server = try await HTTPServer.start(
                port: port, limits: limits, connections: ConnectionCount(max: limits.connectionsMax)
            ) { request, port in await services.service(of: port).answer(to: request) }
            ready("http://127.0.0.1:\(server.port)/?token=\(token)")
            await withTaskCancellationHandler {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await hub.run() }
                    if let live { group.addTask { try? await live.run() } }
                    group.addTask { await server.wait() }
                    // What follows the database may end with it; the server goes on with what it has.
                    await server.wait()
                    group.cancelAll()
                }
            } onCancel: {
                server.stop()
            }
            await services.stop()
        }
    }

    /// The service of the port that was bound: it is known when the first connection comes.
    private actor Services {
        private let history: any InspectedHistory
        private let hub: EventHub
        private let limits: ServerLimits
        private let token: String
        private var made: (port: Int, service: InspectorService)?

        init(_ history: any InspectedHistory, _ hub: EventHub, _ limits: ServerLimits, _ token: String) {
            self.history = history
            self.hub = hub
            self.limits = limits
            self.token = token
        }

        func stop() { made?.service.stop() }

        func service(of port: Int) -> InspectorService {
            // A port may be given up before it is the one that is served.
            if let made, made.port == port { return made.service }
            made?.service.stop()
            let service = InspectorService(history, access: Access(port: port, token: token), hub: hub, limits: limits)
            made = (port, service)
            return service
        }
    }
#endif
