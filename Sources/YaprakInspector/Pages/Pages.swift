#if Inspector
    import Yaprak
    import YaprakReplay

    /// The pages of the inspector: each makes HTML from what the history says.
    struct Pages: Sendable {
        let history: any InspectedHistory
        let shell: Shell
        let verdicts: KnownVerdicts
        /// What the timeline does not wait for.
        let states: ComingStates

        init(history: any InspectedHistory, verdicts: KnownVerdicts, shell: Shell) {
            self.history = history
            self.verdicts = verdicts
            self.shell = shell
            states = ComingStates { try await history.snapshot(at: $0, withViews: true) }
        }

        /// How long one question may take before the page says how far it came.
        static let patience = Duration.seconds(5)
        /// How long the timeline waits for the state at the commit shown, before it is shown without it.
        static let statePatience = Duration.milliseconds(150)

        /// The page that a path names, and whether it has all there is to show; `nil` if there is none.
        func page(_ request: Request) async throws -> (markup: Markup, isWhole: Bool)? {
            if request.path == "/" { return try await timeline(request) }
            if request.path == "/collection" { return try await collection(request) }
            if request.path == "/record" { return try await record(request) }
            if request.path == "/bisect" { return try await bisect(request) }
            if let page = try await wholePage(request) { return (page, true) }
            guard request.path.hasPrefix("/commits/") else { return nil }
            return try await commit(request.path.dropFirst(9), request)
        }

        private func wholePage(_ request: Request) async throws -> Markup? {
            switch request.path {
            case "/collections": try await collections(request)
            case "/views": try await views(request)
            case "/view": try await view(request)
            case "/compare": try await compare(request)
            case "/health": try await health()
            case let path where path.hasPrefix("/commits/") && path.hasSuffix("/without"):
                try await without(path.dropFirst(9).dropLast(8), request)
            default: nil
            }
        }

        /// How to name the database in a command.
        var databaseWord: String { history.path.map { Pieces.shellWord($0.string) } ?? "DATABASE" }

        /// Runs something that may take long on a thread that no task waits for; it can ask whether somebody still does.
        func working<Result: Sendable>(
            _ body: @escaping @Sendable (BlockingWork.Cancellation) throws -> Result
        ) async throws -> Result {
            try await BlockingWork.run(body)
        }

        /// What is read, or why the files don't have it: of a damaged file, the rest of a page is shown all the same.
        func found<Found>(_ read: () async throws -> Found) async throws -> Result<Found, DatabaseError> {
            do { return .success(try await read()) } catch let error as DatabaseError { return .failure(error) }
        }

        /// The names of commits; none, and why, where their file is damaged.
        func tags() async throws -> (tags: [LogTag], damage: Markup?) {
            switch try await found({ try await history.tags() }) {
            case .success(let tags): (tags, nil)
            case .failure(let error): ([], Pieces.failure(error))
            }
        }
    }
#endif
