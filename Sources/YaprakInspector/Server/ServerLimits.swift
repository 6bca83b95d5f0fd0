#if Inspector
    /// What a client may take of the server. Beyond it the server answers with an error, or closes the connection.
    struct ServerLimits: Sendable {
        /// Bytes of one line of a request's head: its first line, or a header.
        var lineBytesMax = 16 << 10
        /// Bytes of all lines of a head.
        var headBytesMax = 64 << 10
        /// Lines of a head.
        var headersMax = 100
        /// Bytes of a body. No request has use for one.
        var bodyBytesMax = 16 << 10
        /// Connections at a time.
        var connectionsMax = 256
        /// Connections at a time that follow events.
        var followersMax = 128
        /// How long a request may take to arrive, and a connection may stay without one.
        var requestSeconds: Int64 = 15
        /// How long a client may take to accept what was written.
        var writeSeconds: Int64 = 30
        /// How long an answer may take to be made.
        var answerSeconds: Int64 = 60
        /// Bytes of the records in a list of the API: it ends with the one that exceeds them, and `offset` gets the next ones.
        var answerBytesMax = 32 << 20
        /// How often followers get a sign of life.
        var heartbeatSeconds: Int64 = 15
    }
#endif
