#if Inspector
    import NIOCore
    import NIOHTTP1

    /// Serves one connection: collects a request within its limits, has it answered, writes the answer.
    ///
    /// Everything here runs on the connection's event loop; answers are made in a task, which ends with the connection.
    final class ConnectionHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let limits: ServerLimits
        private let connections: ConnectionCount
        private let answer: @Sendable (Request) async -> Response
        private var head: HTTPRequestHead?
        private var bodyBytes = 0
        private var task: Task<Void, Never>?
        private var deadline: Scheduled<Void>?
        private var isCounted = false
        private var isRefused = false

        init(
            _ limits: ServerLimits, _ connections: ConnectionCount,
            _ answer: @escaping @Sendable (Request) async -> Response
        ) {
            self.limits = limits
            self.connections = connections
            self.answer = answer
        }

        // MARK: The life of a connection

        func channelActive(context: ChannelHandlerContext) {
            isCounted = connections.add()
            guard isCounted else {
                // No answer either: a client that opens that many does not wait for one.
                context.close(promise: nil)
                return
            }
            setDeadline(limits.requestSeconds, context)
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            deadline?.cancel()
            task?.cancel()
            if isCounted { connections.remove() }
            isCounted = false
            context.fireChannelInactive()
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            // A client that stops sending has gone, as far as pages are concerned.
            if case .some(ChannelEvent.inputClosed) = event as? ChannelEvent { context.close(promise: nil) }
            context.fireUserInboundEventTriggered(event)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        /// Closes the connection if nothing else sets a deadline before.
        private func setDeadline(_ seconds: Int64, _ context: ChannelHandlerContext) {
            deadline?.cancel()
            let channel = context.channel
            deadline = context.eventLoop.scheduleTask(in: .seconds(seconds)) { channel.close(promise: nil) }
        }

        // MARK: Requests

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if isRefused { return }
            switch unwrapInboundIn(data) {
            case .head(let head):
                self.head = head
                bodyBytes = 0
            case .body(let part):
                bodyBytes += part.readableBytes
                guard bodyBytes <= limits.bodyBytesMax else {
                    isRefused = true
                    return respondSoon(
                        .text(413, "No request has use for a body."), head?.method == .HEAD, true, context)
                }
            case .end:
                guard let head else { return }
                self.head = nil
                take(head, context)
            }
        }

        private func take(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
            let isHead = head.method == .HEAD
            let closes = !head.isKeepAlive
            guard head.method == .GET || isHead else {
                let refusal = Response.text(405, "This server only reads.").with("Allow", "GET, HEAD")
                return respondSoon(refusal, false, closes, context)
            }
            guard let request = Request(head) else {
                return respondSoon(.malformedAddress(head.uri), isHead, closes, context)
            }
            // The answer says so itself when it takes too long; this is for one that does not.
            setDeadline(limits.answerSeconds + 10, context)
            let answer = answer
            let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            let loop = context.eventLoop
            task = Task {
                let response = await answer(request)
                loop.execute { connection.value.respond(response, isHead, closes, bound.value) }
            }
        }

        // MARK: Answers

        /// Responds when the request has been taken: the end of an answer hands over the next request, and of those that come at
        /// once each would be taken within the one before, until the stack ends.
        private func respondSoon(
            _ response: Response, _ isHead: Bool, _ closes: Bool, _ context: ChannelHandlerContext
        ) {
            let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.eventLoop.execute { connection.value.respond(response, isHead, closes, bound.value) }
        }

        private func respond(
            _ response: Response, _ isHead: Bool, _ closes: Bool, _ context: ChannelHandlerContext
        ) {
            guard context.channel.isActive else { return }
            setDeadline(limits.writeSeconds, context)
            var headers = HTTPHeaders(Response.securityHeaders)
            headers.add(name: "Content-Type", value: response.contentType)
            for (name, value) in response.headers { headers.add(name: name, value: value) }
            if !headers.contains(name: "Cache-Control") { headers.add(name: "Cache-Control", value: "no-store") }
            let status = HTTPResponseStatus(statusCode: response.status)
            switch response.body {
            case .bytes(let bytes):
                headers.add(name: "Content-Length", value: "\(bytes.count)")
                if closes { headers.add(name: "Connection", value: "close") }
                let head = wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: headers)))
                let flushed: EventLoopFuture<Void>
                if isHead || response.status == 304 {
                    flushed = context.writeAndFlush(head)
                } else {
                    context.write(head, promise: nil)
                    flushed = context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))))
                }
                let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
                let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
                let loop = context.eventLoop
                flushed.whenComplete { result in
                    let isAccepted = if case .success = result { true } else { false }
                    // It may be flushed within the call, and the end of an answer comes after that.
                    loop.execute { connection.value.end(isAccepted && !closes, bound.value) }
                }
            case .events(let events):
                headers.add(name: "Connection", value: "close")
                context.writeAndFlush(
                    wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: headers))), promise: nil)
                guard !isHead else { return context.close(promise: nil) }
                deadline?.cancel()
                follow(events, context)
            }
        }

        /// Ends an answer, which lets the next request in, or closes the connection.
        ///
        /// Not before the client has accepted the answer: of one that asks again and again and reads nothing, one answer waits,
        /// and the time for writing is that of this one. The end of an answer of a known length has no bytes.
        private func end(_ isKept: Bool, _ context: ChannelHandlerContext) {
            guard context.channel.isActive else { return }
            guard isKept else { return context.close(promise: nil) }
            // A request that is here already is handed over within the next call, and sets a deadline of its own.
            setDeadline(limits.requestSeconds, context)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }

        /// Writes events as they come, each within the time for writing, until either side ends.
        private func follow(_ events: AsyncThrowingStream<String, any Error>, _ context: ChannelHandlerContext) {
            let channel = context.channel
            let seconds = limits.writeSeconds
            task = Task {
                do {
                    for try await event in events {
                        let late = channel.eventLoop.scheduleTask(in: .seconds(seconds)) { channel.close(promise: nil) }
                        defer { late.cancel() }
                        try await channel.writeAndFlush(
                            HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: event))))
                    }
                } catch {}
                channel.close(promise: nil)
            }
        }
    }
#endif
