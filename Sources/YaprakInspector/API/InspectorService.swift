#if Inspector
    import Yaprak
    import YaprakCBOR
    import YaprakReplay

    /// Answers requests: who may ask, which page, which JSON, and what browsers may keep.
    struct InspectorService: Sendable {
        let history: any InspectedHistory
        let access: Access
        let hub: EventHub
        let limits: ServerLimits
        private let pages: Pages
        private let api: API
        private let followers: ConnectionCount
        private let unfinished = UnfinishedAnswers()
        /// Of this run: what browsers keep of another one is stale.
        private let runTag: String

        init(_ history: any InspectedHistory, access: Access, hub: EventHub, limits: ServerLimits) {
            self.history = history
            self.access = access
            self.hub = hub
            self.limits = limits
            runTag = String(Access.randomToken().prefix(12))
            let verdicts = KnownVerdicts()
            pages = Pages(
                history: history, verdicts: verdicts,
                shell: Shell(databaseTitle: history.title, assetsTag: runTag))
            api = API(history: history, verdicts: verdicts, bytesMax: limits.answerBytesMax)
            followers = ConnectionCount(max: limits.followersMax)
        }

        func answer(to request: Request) async -> Response {
            if let refusal = access.answer(to: request) { return refusal }
            if let asset = Assets.answer(request.path) {
                let tag = "\"\(runTag)\""
                if request.knows(tag) {
                    return Response(304, "text/plain", "").with("ETag", tag).with("Cache-Control", "private, no-cache")
                }
                return asset.with("ETag", tag).with("Cache-Control", "private, no-cache")
            }
            if request.path == "/events" { return events(request) }
            // Who waits for longer hears so. What is read meanwhile goes on, and is there for who asks again.
            let question = request.target + "\n" + request.knownTags.joined(separator: ",")
            let work = unfinished.take(question) ?? Task { await shown(request) }
            let patience = Duration.seconds(limits.answerSeconds)
            let answer = FirstAnswer<Response?>()
            Task { answer.give(await work.value) }
            let timer = Task {
                try? await Task.sleep(for: patience)
                if !Task.isCancelled { answer.give(nil) }
            }
            defer { timer.cancel() }
            let response = await withTaskCancellationHandler {
                await answer.value
            } onCancel: {
                work.cancel()
            }
            if let response { return response }
            // Of work that is cancelled nothing comes but that it is: who asks again begins with other work.
            if !work.isCancelled { unfinished.keep(work, on: question, for: patience) }
            return notYet(request)
        }

        /// Ends the work on answers for which nobody waits.
        func stop() { unfinished.stop() }

        private func notYet(_ request: Request) -> Response {
            let message =
                "This takes longer than \(limits.answerSeconds.counted("second")). Ask again: what was read by then is kept."
            let refusal = Refusal(503, "notYet", message)
            return failure(refusal, request).with("Retry-After", "1")
        }

        private func shown(_ request: Request) async -> Response {
            let isAPI = request.path.hasPrefix("/api/")
            do {
                let tag = try await entityTag(request)
                if let tag, request.knows(tag) {
                    return Response(304, "text/plain", "").with("ETag", tag).with("Cache-Control", "private, no-cache")
                }
                guard let (response, isWhole) = isAPI ? try await json(request) : try await html(request) else {
                    throw Refusal(404, "notFound", "There is no page of that name.")
                }
                // What is not whole is another page soon, without a commit.
                guard let tag, isWhole else { return response }
                return response.with("ETag", tag).with("Cache-Control", "private, no-cache")
            } catch {
                return failure(Refusal(error), request)
            }
        }

        private func failure(_ refusal: Refusal, _ request: Request) -> Response {
            guard request.path.hasPrefix("/api/") else {
                return Response(refusal.status, "text/html; charset=utf-8", pages.shell.failure(refusal).text)
            }
            let body: CBORValue = ["error": ["code": .text(refusal.code), "message": .text(refusal.message)]]
            return Response(refusal.status, "application/json", body.json())
        }

        private func html(_ request: Request) async throws -> (Response, isWhole: Bool)? {
            try await pages.page(request).map {
                (Response(200, "text/html; charset=utf-8", $0.markup.text), $0.isWhole)
            }
        }

        private func json(_ request: Request) async throws -> (Response, isWhole: Bool)? {
            guard let answer = try await api.answer(request) else { return nil }
            // To write it out may take long.
            let response = try await BlockingWork.run { Response(200, "application/json", answer.value.json()) }
            return (response, answer.isWhole)
        }

        /// What an answer is as of: the same tag is the same answer. The history up to the newest commit, how far back it can
        /// be read, and what a program has registered decide what a page shows. Health and times relative to now change
        /// without any of these. `nil`, too, where a file of these can't be read: an answer may need others only.
        private func entityTag(_ request: Request) async throws -> String? {
            // Of the decoded address: a brace is sent as it is, as %7B or as %7b.
            let hasTime = request.path.contains("{") || request.query.contains { $0.value.contains("{") }
            if request.path.contains("health") || hasTime { return nil }
            let newest: CommitNumber, tags: String, state: String
            do {
                newest = try await history.newest()
                tags = try await history.tags().map { "\($0.name)=\($0.number)" }.joined(separator: ",")
                state = try await history.stateTag()
            } catch is DatabaseError {
                return nil
            }
            let name = "\(request.target)\n\(tags)\n\(state)".utf8.reduce(14_695_981_039_346_656_037 as UInt64) {
                hash, byte in
                // FNV-1a: distinguishes addresses and tags; nobody's secret depends on it.
                (hash ^ UInt64(byte)) &* 1_099_511_628_211
            }
            return "\"\(runTag)-\(newest)-\(String(name, radix: 16))\""
        }

        private func events(_ request: Request) -> Response {
            var last: CommitNumber?
            if let text = request.header("Last-Event-ID") ?? request["after"] {
                guard let number = UInt64(text), number <= UInt64(Int64.max) else {
                    return .text(400, "Last-Event-ID is the number of a commit.")
                }
                last = CommitNumber(number)
            }
            guard !request.isHead else { return Response(200, "text/event-stream; charset=utf-8", "") }
            guard followers.add() else { return .text(503, "There are too many followers.").with("Retry-After", "5") }
            let followers = followers
            return Response(
                events: hub.events(after: last, heartbeat: .seconds(limits.heartbeatSeconds)) { followers.remove() })
        }
    }
#endif
