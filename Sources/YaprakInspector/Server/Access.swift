#if Inspector
    /// Decides who is let in: browsers of this machine that were given the address with its token.
    ///
    /// A page of another site can make a browser send requests here. It can't read the token, its requests name their origin,
    /// and a name that it points at this machine (DNS rebinding) is not one of ours.
    struct Access: Sendable {
        /// What the address has: 256 random bits.
        let token: String
        /// What the cookie has: others.
        private let secret: String
        private let port: Int

        init(port: Int, token: String) {
            self.port = port
            self.token = token
            secret = Self.randomToken()
        }

        /// 256 bits of the system's generator, as hexadecimal digits.
        static func randomToken() -> String {
            var generator = SystemRandomNumberGenerator()
            return (0..<4).map { _ in
                let digits = String(generator.next() as UInt64, radix: 16)
                return String(repeating: "0", count: 16 - digits.count) + digits
            }.joined()
        }

        /// Cookies don't know ports: two inspectors on one machine must not overwrite each other's.
        private var cookieName: String { "yaprak-inspector-\(port)" }

        /// Browsers leave the port out where it is that of HTTP.
        private var hosts: [String] {
            let names = ["127.0.0.1", "localhost", "[::1]"]
            return names.map { "\($0):\(port)" } + (port == 80 ? names : [])
        }

        /// The answer to a request that is not let in, or that comes with the token; `nil` if it is let in.
        func answer(to request: Request) -> Response? {
            guard let host = request.header("Host"), hosts.contains(host.lowercased()) else {
                return .text(421, "This server answers to 127.0.0.1, localhost and [::1] only.")
            }
            if request.hasHeader("Origin"), request.header("Origin") != "http://\(host)" {
                return .text(403, "Requests of other sites are refused.")
            }
            if let given = request.query.first(where: { $0.name == "token" })?.value {
                guard Self.isSame(given, token) else { return .text(403, "The token is not the one of this run.") }
                // A page that goes on by itself: a browser that came from elsewhere would not send a strict cookie along
                // with a redirection.
                let page: Markup = """
                    <!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=\(
                        Self.target(of: request))"><title>Inspector</title><p><a href="\(Self.target(of: request))">Go on</a>
                    """
                return Response(200, "text/html; charset=utf-8", page.text)
                    .with("Set-Cookie", "\(cookieName)=\(secret); HttpOnly; SameSite=Strict; Path=/")
            }
            guard request.cookies(cookieName).contains(where: { Self.isSame($0, secret) }) else {
                return .text(401, "Open the address that was printed when the inspector started: it has a token.")
            }
            if let site = request.header("Sec-Fetch-Site"), site != "same-origin", site != "none" {
                return .text(403, "Requests of other sites are refused.")
            }
            return nil
        }

        /// The address without the token.
        private static func target(of request: Request) -> String {
            let rest = request.query.filter { $0.name != "token" }
            let path = request.path.hasPrefix("//") ? "/" : request.path
            return path.split(separator: "/", omittingEmptySubsequences: false).map {
                PercentCoding.encoded(String($0))
            }
            .joined(separator: "/")
                + (rest.isEmpty ? "" : "?")
                + rest.map { PercentCoding.encoded($0.name) + "=" + PercentCoding.encoded($0.value) }.joined(
                    separator: "&")
        }

        /// Compares in a time that does not say where two texts differ.
        private static func isSame(_ given: String, _ wanted: String) -> Bool {
            let given = Array(given.utf8), wanted = Array(wanted.utf8)
            guard given.count == wanted.count else { return false }
            return zip(given, wanted).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
        }
    }
#endif
