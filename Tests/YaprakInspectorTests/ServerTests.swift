#if Inspector
    import Foundation
    import TestSupport
    import Testing
    import Yaprak
    import YaprakLocks

    @testable import YaprakInspector

    /// The server on its sockets: what it takes, what it refuses, and what a client can keep of it.
    @Suite(.bounded) struct ServerTests {
        /// Runs `body` with a server, its port and a cookie that lets in.
        private func serving(
            _ limits: ServerLimits = ServerLimits(),
            _ body: @escaping @Sendable (_ port: Int, _ cookie: String, InspectedDatabase) async throws -> Void
        ) async throws {
            let inspected = try await InspectedDatabase(commits: 6)
            let (running, port, cookie) = try await start(limits, inspected)
            do { try await body(port, cookie, inspected) } catch { Issue.record(error) }
            running.cancel()
            _ = await running.result
            // A process that another test starts in this moment may have the socket, too, until it is another program.
            var isClosed = false
            for _ in 0..<200 where !isClosed {
                isClosed = SocketClient(port: port) == nil
                if !isClosed { try await Task.sleep(for: .milliseconds(50)) }
            }
            #expect(isClosed, "the server has ended")
            try await inspected.database.close()
        }

        /// Starts a server; it runs until its task is cancelled.
        private func start(
            _ limits: ServerLimits, _ inspected: InspectedDatabase
        ) async throws -> (running: Task<Void, any Error>, port: Int, cookie: String) {
            var inspector = Inspector(path: inspected.path)
            inspector.limits = limits
            let (addresses, ready) = AsyncStream.makeStream(of: String.self)
            let server = inspector
            let running = Task { try await server.run { ready.yield($0) } }
            var iterator = addresses.makeAsyncIterator()
            let address = try #require(await iterator.next())
            let port = try #require(Int(address.dropFirst("http://127.0.0.1:".count).prefix { $0 != "/" }))
            let target = "/" + address.split(separator: "/").last!
            let client = try #require(SocketClient(port: port))
            client.send("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
            let text = client.receive(seconds: 5).text
            let line = try #require(text.split(separator: "\r\n").first { $0.hasPrefix("Set-Cookie: ") })
            let cookie = String(line.dropFirst("Set-Cookie: ".count).prefix { $0 != ";" })
            return (running, port, cookie)
        }

        private func head(_ port: Int, _ cookie: String, _ target: String = "/api/status", _ more: String = "")
            -> String
        {
            "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\n\(more)\r\n"
        }

        @Test func `Requests on one connection are answered in their order, with the headers of a strict server`()
            async throws
        {
            try await serving { port, cookie, _ in
                let client = try #require(SocketClient(port: port))
                client.send(head(port, cookie) + head(port, cookie, "/api/tags") + head(port, cookie, "/nothing"))
                let text = client.receive(seconds: 10) {
                    $0.components(of: "HTTP/1.1") == 3 && $0.hasSuffix("</html>\n")
                }.text
                let places = ["\"newest\":6", "[]", "404 Not Found"].map { text.range(of: $0)?.lowerBound }
                #expect(
                    places.allSatisfy { $0 != nil } && places.compactMap(\.self) == places.compactMap(\.self).sorted(),
                    "\(text)")
                for header in [
                    "Content-Security-Policy: default-src 'none'", "X-Content-Type-Options: nosniff",
                    "X-Frame-Options: DENY",
                    "Referrer-Policy: no-referrer", "Cross-Origin-Resource-Policy: same-origin",
                ] {
                    #expect(text.components(of: header) == 3, "\(header)")
                }
            }
        }

        @Test func `What only reads is answered, and nothing else`() async throws {
            try await serving { port, cookie, _ in
                for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"] {
                    let client = try #require(SocketClient(port: port))
                    client.send(
                        "\(method) / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\nConnection: close\r\n\r\n"
                    )
                    #expect(client.receive(seconds: 5).text.hasPrefix("HTTP/1.1 405"), "\(method)")
                }
                let client = try #require(SocketClient(port: port))
                client.send(
                    "HEAD / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\nConnection: close\r\n\r\n")
                let text = client.receive(seconds: 10).text
                #expect(text.hasPrefix("HTTP/1.1 200") && text.hasSuffix("\r\n\r\n"))
            }
        }

        @Test func `Heads and bodies beyond the limits are refused quickly`() async throws {
            try await serving { port, cookie, _ in
                let started = ContinuousClock.now
                for more in [
                    "X: " + String(repeating: "x", count: 2 << 20) + "\r\n",
                    (0..<200).map { "X-\($0): y\r\n" }.joined(),
                    (0..<90).map { "X-\($0): " + String(repeating: "y", count: 1000) + "\r\n" }.joined(),
                    "Content-Length: 99999999\r\n",
                ] {
                    let client = try #require(SocketClient(port: port))
                    client.send(head(port, cookie, "/", more) + String(repeating: "z", count: 100_000))
                    let answer = client.receive(seconds: 10)
                    #expect(answer.isClosed, "\(more.prefix(40))")
                    #expect(answer.text.isEmpty || answer.text.hasPrefix("HTTP/1.1 4"), "\(answer.text.prefix(40))")
                }
                for line in [
                    "", "GET", "GET / HTTP/9.9", "\u{0}\u{1}\u{2}", "GET http://evil/ HTTP/1.1", "GET /%zz HTTP/1.1",
                ] {
                    let client = try #require(SocketClient(port: port))
                    client.send("\(line)\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
                    let answer = client.receive(seconds: 8)
                    #expect(
                        answer.text.isEmpty || answer.text.hasPrefix("HTTP/1.1 4"), "\(line): \(answer.text.prefix(40))"
                    )
                }
                // Programs get errors in the form of all errors of the API.
                for target in ["/api/commits?at=%zz", "/api/records?collection=%c0", "/api/commits/%ff"] {
                    let client = try #require(SocketClient(port: port))
                    client.send(head(port, cookie, target, "Connection: close\r\n"))
                    let text = client.receive(seconds: 8).text
                    #expect(
                        text.hasPrefix("HTTP/1.1 400") && text.contains("Content-Type: application/json"), "\(text)")
                    #expect(text.contains("\"code\":\"invalidAddress\""), "\(target)")
                }
                #expect(ContinuousClock.now - started < .seconds(40))
                let client = try #require(SocketClient(port: port))
                client.send(head(port, cookie))
                #expect(client.receive(seconds: 5) { $0.contains("newest") }.text.hasPrefix("HTTP/1.1 200"))
            }
        }

        @Test func `Half a request, one that comes byte by byte, and none at all are given up`() async throws {
            var limits = ServerLimits()
            limits.requestSeconds = 1
            try await serving(limits) { port, cookie, _ in
                let silent = try #require(SocketClient(port: port)), half = try #require(SocketClient(port: port))
                let slow = try #require(SocketClient(port: port))
                half.send("GET / HTTP/1.1\r\nHost: 127")
                var isOpen = true
                let started = ContinuousClock.now
                while isOpen, ContinuousClock.now - started < .seconds(8) {
                    isOpen = slow.send("G")
                    if slow.receive(seconds: 0).isClosed { isOpen = false }
                    try await Task.sleep(for: .milliseconds(50))
                }
                #expect(!isOpen)
                #expect(silent.receive(seconds: 5).isClosed)
                #expect(half.receive(seconds: 5).isClosed)
            }
        }

        /// When the first answer was written, the time began in which the next request has to arrive: it was there already.
        @Test func `Of two requests that come at once, the second has its whole time, too`() async throws {
            var limits = ServerLimits()
            limits.requestSeconds = 1
            let server = try await HTTPServer.start(
                port: 0, limits: limits, connections: ConnectionCount(max: 10)
            ) { request, _ in
                if request.path == "/slow" { try? await Task.sleep(for: .seconds(3)) }
                return .text(200, "answer to \(request.path)")
            }
            let client = try #require(SocketClient(port: server.port))
            client.send("GET /quick HTTP/1.1\r\nHost: x\r\n\r\nGET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
            let text = client.receive(seconds: 20) { $0.contains("answer to /slow") }.text
            #expect(text.contains("answer to /quick") && text.contains("answer to /slow"), "\(text)")
            // A client that asks nothing after that is given up as ever.
            #expect(client.receive(seconds: 20).isClosed)
            server.stop()
            await server.wait()
        }

        /// Each was answered within the one before: some thousand were the end of the stack, and of the program.
        @Test func `Refused requests that come at once are answered one after the other`() async throws {
            try await serving { port, cookie, _ in
                let client = try #require(SocketClient(port: port))
                // While the first one is answered, the others arrive.
                client.send(
                    "GET / HTTP/1.1\r\n\r\n" + String(repeating: "PUT / HTTP/1.1\r\n\r\n", count: 2000)
                        + String(repeating: "GET /%zz HTTP/1.1\r\n\r\n", count: 400)
                        + "PUT / HTTP/1.1\r\nConnection: close\r\n\r\n")
                let answer = client.receive(seconds: 60)
                #expect(answer.isClosed)
                #expect(answer.text.components(of: "HTTP/1.1 405") == 2001)
                #expect(answer.text.components(of: "HTTP/1.1 400") == 400)
                let other = try #require(SocketClient(port: port))
                other.send(head(port, cookie))
                #expect(other.receive(seconds: 20) { $0.contains("newest") }.text.hasPrefix("HTTP/1.1 200"))
            }
        }

        /// Every further request put the deadline off, and its answer waited beside the ones before.
        @Test func `A client that goes on asking and reads nothing is given up, with one answer that waited`()
            async throws
        {
            var limits = ServerLimits()
            limits.writeSeconds = 1
            // More than the system takes.
            let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 32 << 20)
            let asked = Mutex(0)
            let server = try await HTTPServer.start(
                port: 0, limits: limits, connections: ConnectionCount(max: 10)
            ) { _, _ in
                asked.withLock { $0 += 1 }
                return Response(200, "text/plain", bytes: bytes)
            }
            let client = try #require(SocketClient(port: server.port))
            let start = ContinuousClock.now
            var isOpen = true
            while isOpen, ContinuousClock.now - start < .seconds(30) {
                isOpen = client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(!isOpen)
            #expect(asked.withLock { $0 } == 1)
            server.stop()
            await server.wait()
        }

        @Test func `Connections beyond the limit are closed, and those that go make room`() async throws {
            var limits = ServerLimits()
            limits.connectionsMax = 20
            try await serving(limits) { port, cookie, _ in
                // The one that fetched the cookie may still be going.
                var clients = (0..<200).compactMap { _ in SocketClient(port: port) }
                try await Task.sleep(for: .milliseconds(300))
                var open = clients.count { !$0.receive(seconds: 0).isClosed }
                // Those that wait to be refused are open until then.
                for _ in 0..<400 where open > 20 {
                    try await Task.sleep(for: .milliseconds(50))
                    open = clients.count { !$0.receive(seconds: 0).isClosed }
                }
                #expect((1...20).contains(open))
                clients = []
                var text = ""
                for _ in 0..<100 where !text.hasPrefix("HTTP/1.1 200") {
                    try await Task.sleep(for: .milliseconds(200))
                    let client = try #require(SocketClient(port: port))
                    client.send(head(port, cookie))
                    text = client.receive(seconds: 5) { $0.contains("newest") }.text
                }
                #expect(text.hasPrefix("HTTP/1.1 200"))
            }
        }

        @Test func `A client that asks for much and does not read it is given up, and makes room`() async throws {
            var limits = ServerLimits()
            limits.connectionsMax = 1
            limits.writeSeconds = 1
            try await serving(limits) { port, cookie, inspected in
                try await inspected.database.write {
                    $0[.items]["long"] = Item(name: String(repeating: "x", count: 16 << 20))
                }
                // The one that fetched the cookie may still be going.
                var reader: SocketClient?
                for _ in 0..<100 where reader == nil {
                    let client = try #require(SocketClient(port: port))
                    client.send(head(port, cookie, "/api/record?collection=items&key=long"))
                    try await Task.sleep(for: .milliseconds(50))
                    if client.receive(seconds: 2, until: { !$0.isEmpty }).text.hasPrefix("HTTP/1.1 200") {
                        reader = client
                    }
                }
                let slow = try #require(reader)
                slow.send(String(repeating: head(port, cookie, "/api/record?collection=items&key=long"), count: 4))
                var isFree = false
                for _ in 0..<200 where !isFree {
                    let client = try #require(SocketClient(port: port))
                    client.send(head(port, cookie))
                    isFree = client.receive(seconds: 1) { $0.contains("newest") }.text.hasPrefix("HTTP/1.1 200")
                    try await Task.sleep(for: .milliseconds(50))
                }
                #expect(isFree)
            }
        }

        @Test func `Followers are notified of commits, and their places are free when they go`() async throws {
            var limits = ServerLimits()
            limits.followersMax = 3
            limits.heartbeatSeconds = 1
            try await serving(limits) { port, cookie, inspected in
                var followers: [SocketClient] = []
                for _ in 0..<3 {
                    let client = try #require(SocketClient(port: port))
                    client.send(head(port, cookie, "/events", "Last-Event-ID: 5\r\n"))
                    let text = client.receive(seconds: 5) { $0.contains("id: 6") }.text
                    #expect(text.contains("text/event-stream") && text.contains("\"commit\":6"), "\(text)")
                    followers.append(client)
                }
                let fourth = try #require(SocketClient(port: port))
                fourth.send(head(port, cookie, "/events", "Connection: close\r\n"))
                #expect(fourth.receive(seconds: 5).text.hasPrefix("HTTP/1.1 503"))
                try await inspected.database.write { $0[.items]["new"] = Item(name: "new") }
                for client in followers {
                    #expect(client.receive(seconds: 5) { $0.contains("\"commit\":7") }.text.contains("id: 7"))
                }
                // A sign of life comes without a commit.
                #expect(followers[0].receive(seconds: 5) { $0.contains(": still here") }.text.contains(": still here"))
                followers = []
                var isFree = false
                for _ in 0..<100 where !isFree {
                    let client = try #require(SocketClient(port: port))
                    client.send(head(port, cookie, "/events"))
                    isFree = client.receive(seconds: 2) { $0.contains("\r\n\r\n") }.text.hasPrefix("HTTP/1.1 200")
                    try await Task.sleep(for: .milliseconds(50))
                }
                #expect(isFree)
                let bad = try #require(SocketClient(port: port))
                bad.send(head(port, cookie, "/events", "Last-Event-ID: x\r\nConnection: close\r\n"))
                #expect(bad.receive(seconds: 5).text.hasPrefix("HTTP/1.1 400"))
            }
        }

        /// Somebody who is connected when the server stops must not read on: the token is void then.
        @Test func `A server that is stopped closes the connections it had accepted`() async throws {
            let inspected = try await InspectedDatabase(commits: 6)
            let (running, port, cookie) = try await start(ServerLimits(), inspected)
            let idle = try #require(SocketClient(port: port)), silent = try #require(SocketClient(port: port))
            let follower = try #require(SocketClient(port: port))
            idle.send(head(port, cookie))
            #expect(idle.receive(seconds: 5) { $0.contains("newest") }.text.hasPrefix("HTTP/1.1 200"))
            follower.send(head(port, cookie, "/events"))
            #expect(follower.receive(seconds: 5) { $0.contains(": still here") }.text.hasPrefix("HTTP/1.1 200"))
            running.cancel()
            _ = await running.result
            // Far sooner than the time after which the server closes a connection that asks nothing.
            for client in [idle, silent, follower] { #expect(client.receive(seconds: 5).isClosed) }
            idle.send(head(port, cookie))
            #expect(idle.receive(seconds: 1).text.isEmpty)
            try await inspected.database.close()
        }

        @Test func `A directory is named by a path given as a string, or by a URL`() async throws {
            let directory = TemporaryDirectory()
            let web = Inspector(path: URL(string: "https://example.org/shop.yaprak")!)
            let refusal = await #expect(throws: DatabaseError.self) { try await web.run { _ in } }
            #expect(refusal?.code == .notADatabase)
            let none = directory.appending("none")
            for missing in [Inspector(path: none), Inspector(path: URL(filePath: none))] {
                let error = await #expect(throws: DatabaseError.self) { try await missing.run { _ in } }
                #expect(error?.code == .notFound)
            }
        }

        @Test func `A port that is taken is an error with a remedy`() async throws {
            try await serving { port, _, inspected in
                let other = Inspector(path: inspected.path)
                let error = await #expect(throws: DatabaseError.self) { try await other.run(port: port) { _ in } }
                #expect(error?.code == .ioFailed)
                #expect(error?.message.contains("--port 0") == true)
                await #expect(throws: DatabaseError.self) { try await other.run(port: 70_000) { _ in } }
            }
        }

        /// Browsers try ::1 first for `localhost`: the program there got the token.
        @Test(.enabled(if: SocketListener.isPossible))
        func `A port that is taken on ::1 alone is an error, too, and leaves 127.0.0.1 free`() async throws {
            let inspected = try await InspectedDatabase(commits: 1)
            let other = try #require(SocketListener())
            let inspector = Inspector(path: inspected.path), port = other.port
            let error = await #expect(throws: DatabaseError.self) { try await inspector.run(port: port) { _ in } }
            #expect(error?.code == .ioFailed && error?.message.contains("--port 0") == true)
            // A process that another test starts in this moment may have the socket, too, until it is another program.
            var isFree = false
            for _ in 0..<40 where !isFree {
                isFree = SocketClient(port: port) == nil
                if !isFree { try await Task.sleep(for: .milliseconds(50)) }
            }
            #expect(isFree)
            withExtendedLifetime(other) {}
            try await inspected.database.close()
        }

        @Test(.enabled(if: SocketListener.isPossible))
        func `A port that is free is the same on both loopbacks`() async throws {
            try await serving { port, cookie, _ in
                let client = try #require(SocketClient(newerLoopbackPort: port))
                client.send(head(port, cookie))
                let text = client.receive(seconds: 5) { $0.contains("newest") }.text
                #expect(text.hasPrefix("HTTP/1.1 200"), "\(text)")
            }
        }
    }

    extension String {
        /// How often a text is in it.
        fileprivate func components(of text: String) -> Int {
            split(separator: text, omittingEmptySubsequences: false).count - 1
        }
    }
#endif
