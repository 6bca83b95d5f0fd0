#if Inspector
    import Yaprak
    import YaprakReplay

    /// The pages of the inspector: each makes HTML from what the history says.
    struct Pages: Sendable {
        let history: any InspectedHistory
        let shell: Shell

        /// How long one question may take before the page says how far it came.
        static let patience = Duration.seconds(5)

        /// The page that a path names; `nil` if there is none.
        func page(_ request: Request) async throws -> Markup? {
            switch request.path {
            case "/": try await timeline(request)
            case "/collections": try await collections(request)
            case "/collection": try await collection(request)
            case "/record": try await record(request)
            case "/views": try await views(request)
            case "/view": try await view(request)
            case "/compare": try await compare(request)
            case "/bisect": try await bisect(request)
            case "/health": try await health()
            case let path where path.hasPrefix("/commits/"): try await commit(path.dropFirst(9), request)
            default: nil
            }
        }

        /// How to name the database in a command.
        var databaseWord: String { history.path.map { Pieces.shellWord($0.string) } ?? "DATABASE" }

        /// Runs something that may take long on a thread that no task waits for.
        func working<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
            try await BlockingWork.run(body)
        }
    }
#endif
