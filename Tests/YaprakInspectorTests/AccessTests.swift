#if Inspector
    import NIOHTTP1
    import TestSupport
    import Testing

    @testable import YaprakInspector

    /// Only browsers of this machine that have the token get in, whatever page sends them.
    @Suite(.bounded) struct AccessTests {
        private let access = Access(port: 8080, token: "0123456789abcdef")

        private func status(_ target: String, _ headers: [(String, String)]) -> Int? {
            Request(target: target, headers: HTTPHeaders(headers)).flatMap { access.answer(to: $0)?.status }
        }

        private var cookie: String {
            let request = Request(target: "/?token=0123456789abcdef", headers: ["Host": "127.0.0.1:8080"])!
            let value = access.answer(to: request)?.headers.first { $0.0 == "Set-Cookie" }?.1 ?? ""
            return String(value.prefix { $0 != ";" })
        }

        @Test func `The token gives a cookie that scripts can't read, and other sites can't send`() throws {
            let request = try #require(
                Request(target: "/view?name=a%20b&token=0123456789abcdef&at=3", headers: ["Host": "[::1]:8080"]))
            let response = try #require(access.answer(to: request))
            let cookie = try #require(response.headers.first { $0.0 == "Set-Cookie" }?.1)
            #expect(cookie.hasSuffix("; HttpOnly; SameSite=Strict; Path=/"))
            #expect(!cookie.contains("0123456789abcdef"))
            guard case .bytes(let bytes) = response.body else { return }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.contains("url=/view?name=a%20b&amp;at=3"))
            #expect(!text.contains("0123456789abcdef"))
        }

        @Test func `The cookie lets in, and nothing else does`() {
            let host = ("Host", "127.0.0.1:8080")
            #expect(status("/", [host, ("Cookie", cookie)]) == nil)
            #expect(status("/", [host, ("Cookie", "other=1; \(cookie)")]) == nil)
            #expect(status("/", [host]) == 401)
            #expect(status("/", [host, ("Cookie", cookie + "0")]) == 401)
            #expect(status("/", [host, ("Cookie", "yaprak-inspector-80=0123456789abcdef")]) == 401)
            #expect(status("/?token=0123456789abcdee", [host]) == 403)
            #expect(status("/?token=", [host, ("Cookie", cookie)]) == 403)
        }

        @Test(arguments: [
            "evil.example:8080", "127.0.0.1", "127.0.0.1:81", "localhost.evil.example:8080", "0.0.0.0:8080", "",
            "127.1:8080",
        ])
        func `A foreign name for this machine is refused, with the token and without`(host: String) {
            #expect(status("/", [("Host", host), ("Cookie", cookie)]) == 421)
            #expect(status("/?token=0123456789abcdef", [("Host", host)]) == 421)
        }

        @Test func `No host, or two, is refused`() {
            #expect(status("/", [("Cookie", cookie)]) == 421)
            #expect(status("/", [("Host", "127.0.0.1:8080"), ("Host", "127.0.0.1:8080"), ("Cookie", cookie)]) == 421)
        }

        @Test func `Requests of other sites are refused`() {
            let host = ("Host", "localhost:8080")
            #expect(status("/", [host, ("Cookie", cookie), ("Origin", "http://localhost:8080")]) == nil)
            for origin in [
                "http://evil.example", "null", "https://localhost:8080", "http://localhost:81", "http://127.0.0.1:8080",
            ] {
                #expect(status("/", [host, ("Cookie", cookie), ("Origin", origin)]) == 403, "\(origin)")
                #expect(status("/?token=0123456789abcdef", [host, ("Origin", origin)]) == 403, "\(origin)")
            }
            #expect(status("/", [host, ("Cookie", cookie), ("Sec-Fetch-Site", "cross-site")]) == 403)
            #expect(status("/", [host, ("Cookie", cookie), ("Sec-Fetch-Site", "same-site")]) == 403)
            #expect(status("/", [host, ("Cookie", cookie), ("Sec-Fetch-Site", "same-origin")]) == nil)
        }

        @Test func `Tokens are long, and no two are the same`() {
            let tokens = (0..<1000).map { _ in Access.randomToken() }
            #expect(Set(tokens).count == 1000)
            #expect(tokens.allSatisfy { $0.utf8.count == 64 })
        }
    }
#endif
