#if Inspector
    /// What the server answers.
    struct Response: Sendable {
        /// What comes after the head.
        enum Body: Sendable {
            case bytes([UInt8])
            /// Parts that come as they are made; the connection ends with them.
            case events(AsyncThrowingStream<String, any Error>)
        }

        var status: Int
        var contentType: String
        var body: Body
        /// Further headers.
        var headers: [(String, String)] = []

        init(_ status: Int = 200, _ contentType: String, _ text: String) {
            self.status = status
            self.contentType = contentType
            body = .bytes(Array(text.utf8))
        }

        init(_ status: Int = 200, _ contentType: String, bytes: [UInt8]) {
            self.status = status
            self.contentType = contentType
            body = .bytes(bytes)
        }

        init(events: AsyncThrowingStream<String, any Error>) {
            status = 200
            contentType = "text/event-stream; charset=utf-8"
            body = .events(events)
        }

        /// An error in a sentence.
        static func text(_ status: Int, _ message: String) -> Response {
            Response(status, "text/plain; charset=utf-8", message + "\n")
        }

        /// The answer to an address that is none: as JSON where programs ask, as all errors there.
        static func malformedAddress(_ address: String) -> Response {
            let message = "The address is not well formed."
            guard address.hasPrefix("/api/") else { return .text(400, message) }
            return Response(
                400, "application/json", #"{"error":{"code":"invalidAddress","message":"\#(message)"}}"#)
        }

        /// The same with a header more.
        func with(_ name: String, _ value: String) -> Response {
            var copy = self
            copy.headers.append((name, value))
            return copy
        }

        /// What every answer says to browsers: nothing from elsewhere, in no frame, of no other type, for nobody else.
        static let securityHeaders: [(String, String)] = [
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
                    + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
            ),
            ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ]
    }
#endif
