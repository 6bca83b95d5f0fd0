#if Inspector
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import SystemPackage
    import Yaprak

    /// A server for this machine's own browsers: HTTP/1.1 on the loopback addresses.
    struct HTTPServer: Sendable {
        private let channels: [any Channel]
        private let accepted: AcceptedConnections
        /// The port, the same on both addresses.
        let port: Int

        /// Binds 127.0.0.1, and ::1 where there is one.
        ///
        /// Never one of them alone while another program has the other: `localhost` is both, and browsers would give that
        /// program the token.
        ///
        /// - Parameter port: 0 for any that is free.
        /// - Throws: `ioFailed` if the port is taken on one of them.
        static func start(
            port: Int, limits: ServerLimits, connections: ConnectionCount,
            answer: @escaping @Sendable (Request, _ port: Int) async -> Response
        ) async throws -> HTTPServer {
            // A port that is free on 127.0.0.1 may be taken on ::1.
            var triesLeft = port == 0 ? 8 : 1
            while true {
                do {
                    return try await bind(port, limits, connections, answer)
                } catch let error as IOError {
                    triesLeft -= 1
                    if triesLeft > 0, Errno(rawValue: error.errnoCode) == .addressInUse { continue }
                    let remedy = port == 0 ? "Try again, or give a port." : "Use --port 0 for a free one."
                    throw DatabaseError(
                        .ioFailed, "Can't listen on port \(port) of 127.0.0.1 and ::1: \(error). \(remedy)",
                        cause: error)
                }
            }
        }

        private static func bind(
            _ port: Int, _ limits: ServerLimits, _ connections: ConnectionCount,
            _ answer: @escaping @Sendable (Request, _ port: Int) async -> Response
        ) async throws -> HTTPServer {
            let accepted = AcceptedConnections()
            func bootstrap(_ knownPort: Int?) -> ServerBootstrap {
                ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .serverChannelOption(.backlog, value: 128)
                    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .childChannelOption(.maxMessagesPerRead, value: 4)
                    .childChannelInitializer { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try accepted.add(channel)
                            let port = knownPort ?? channel.localAddress?.port ?? 0
                            try add(to: channel, limits, connections) { await answer($0, port) }
                        }
                    }
            }
            // By number: to look "::1" up, some systems ask for another IPv6 address.
            let first = try await bootstrap(nil).bind(to: SocketAddress(ipAddress: "127.0.0.1", port: port)).get()
            do {
                guard let bound = first.localAddress?.port else {
                    throw DatabaseError(.ioFailed, "The system names no port. Try again.")
                }
                var channels = [first]
                do {
                    let other = try SocketAddress(ipAddress: "::1", port: bound)
                    channels.append(try await bootstrap(bound).bind(to: other).get())
                } catch let error as IOError where isMissing(Errno(rawValue: error.errnoCode)) {}
                return HTTPServer(channels: channels, accepted: accepted, port: bound)
            } catch {
                first.close(promise: nil)
                try? await first.closeFuture.get()
                await accepted.close()
                throw error
            }
        }

        /// Whether an error says that the machine lacks an address: not every one has the newer loopback.
        private static func isMissing(_ error: Errno) -> Bool {
            error == .addressNotAvailable || error == .addressFamilyNotSupported
        }

        private static func add(
            to channel: any Channel, _ limits: ServerLimits, _ connections: ConnectionCount,
            _ answer: @escaping @Sendable (Request) async -> Response
        ) throws {
            var sizes = NIOHTTPDecoderLimitConfiguration()
            sizes.maxHeaderFieldSize = limits.lineBytesMax
            sizes.maxHeaderListSize = limits.headBytesMax
            sizes.maxHeaderFieldCount = limits.headersMax
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(HTTPResponseEncoder())
            try pipeline.addHandler(
                ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: sizes)))
            // One answer at a time, in the order of the requests.
            try pipeline.addHandler(HTTPServerPipelineHandler())
            try pipeline.addHandler(HTTPServerProtocolErrorHandler())
            try pipeline.addHandler(ConnectionHandler(limits, connections, answer))
        }

        /// Waits until it is stopped and nobody is connected any more.
        func wait() async {
            for channel in channels { try? await channel.closeFuture.get() }
            await accepted.close()
        }

        /// Accepts no more connections, and closes those that there are.
        func stop() {
            for channel in channels { channel.close(promise: nil) }
            accepted.stop()
        }
    }
#endif
