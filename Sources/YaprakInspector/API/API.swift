#if Inspector
    import Yaprak
    import YaprakCBOR
    import YaprakReplay

    /// The JSON of the inspector: what its pages show, for programs. `/api/openapi.json` describes it.
    struct API: Sendable {
        let history: any InspectedHistory
        let verdicts: KnownVerdicts
        /// How many bytes the records of a list may have: it ends with the one that exceeds them.
        let bytesMax: Int

        private static let pageMax = 1000

        /// The answer to a path below `/api/`, and whether it has all that a later one can have without a commit; `nil` if there
        /// is none of that name.
        func answer(_ request: Request) async throws -> (value: CBORValue, isWhole: Bool)? {
            if request.path == "/api/bisection" { return try await bisection(request) }
            if request.path.hasPrefix("/api/commits/") {
                return try await commit(request.path.dropFirst(13), request)
            }
            guard let value = try await value(request) else { return nil }
            // What was not read in time the next answer may have; other answers are cut where they were to be.
            switch request.path {
            case "/api/history": return (value, value["isLate"] != true)
            case "/api/records": return (value, value["note"] == nil)
            default: return (value, true)
            }
        }

        private func value(_ request: Request) async throws -> CBORValue? {
            switch request.path {
            case "/api/status": return try await status()
            case "/api/commits": return try await commits(request)
            case "/api/activity": return try await activity(request)
            case "/api/collections": return try await collections(request)
            case "/api/records": return try await records(request)
            case "/api/record": return try await record(request)
            case "/api/history": return try await revisions(request)
            case "/api/views": return try await views(request)
            case "/api/view": return try await view(request)
            case "/api/changes": return try await changes(request)
            case "/api/without": return try await without(request)
            case "/api/tags": return .array(try await history.tags().map { Self.json($0) })
            case "/api/health": return .array(try await history.health().map { Self.json($0) })
            case "/api/openapi.json": return OpenAPI.document
            default: return nil
            }
        }

        // MARK: Commits

        private func status() async throws -> CBORValue {
            let reach = try await history.reachIfAny(), known = try await history.known()
            let newest: CommitNumber
            if let reach { newest = reach.upperBound } else { newest = try await history.newest() }
            var pairs: [CBORValue.Pair] = [
                .init("database", .text(history.title)), .init("newest", .unsigned(newest.rawValue)),
            ]
            if let reach { pairs.append(.init("oldestState", .unsigned(reach.lowerBound.rawValue))) }
            if let known { pairs.append(.init("oldestCommit", .unsigned(known.lowerBound.rawValue))) }
            return .map(pairs)
        }

        private func commits(_ request: Request) async throws -> CBORValue {
            let limit = try request.number("limit", 1...Self.pageMax, default: 50)
            guard let known = try await history.known() else { return .array([]) }
            let to = min(try await request.commit("to", in: history), known.upperBound)
            let lowest = try await request["from"] == nil ? known.lowerBound : request.commit("from", in: history)
            guard lowest <= to else { return .array([]) }
            let first = max(lowest.rawValue, to.rawValue - min(to.rawValue, UInt64(limit - 1)))
            let entries = try await history.entries(in: CommitNumber(first)...to)
            return .array(entries.reversed().map { Self.json($0) })
        }

        private func commit(
            _ text: Substring, _ request: Request
        ) async throws -> (value: CBORValue, isWhole: Bool) {
            let position: LogPosition
            do { position = try LogPosition(String(text)) } catch {
                throw Refusal(400, "invalidPosition", error.message)
            }
            let (offset, limit) = try window(request)
            let number = try await history.commitNumber(at: position)
            guard let step = try await history.step(to: number) else {
                throw Refusal(404, "commitOutOfReach", "There is no commit \(number).")
            }
            let answer = try await BlockingWork.run { cancellation -> CBORValue in
                // All of it names each record once more, which takes long of a large commit.
                let pairs = step.changes == nil ? step.commit.json.map ?? [] : step.commit.headJSON
                // Where the values are out of reach, what the log says without them.
                let known = step.changes == nil ? pairs.first { $0.key == "changes" }?.value.array ?? [] : []
                let count = step.changes?.count ?? known.count
                let shown = try step.changes.map { try json(of: $0, offset, limit, cancellation) }
                let changes = shown ?? Array(known.dropFirst(min(known.count, offset)).prefix(limit))
                return CBORValue.map(
                    pairs.filter { $0.key != "changes" } + [
                        .init("count", .integer(Int64(count))), .init("changes", .array(changes)),
                        .init("isCut", .bool(Self.isCut(offset, changes.count, of: count))),
                    ])
            }
            return (answer, !step.isDamaged)
        }

        /// Changes from the one at `offset` on: at most `limit`, up to the one with which they exceed ``bytesMax``.
        private func json(
            of changes: some RandomAccessCollection<ReplayChange>, _ offset: Int, _ limit: Int,
            _ cancellation: BlockingWork.Cancellation
        ) throws -> [CBORValue] {
            var shown: [ReplayChange] = [], bytes = 0
            for change in changes.dropFirst(min(changes.count, offset)).prefix(limit) where bytes <= bytesMax {
                shown.append(change)
                bytes += change.byteCount
            }
            return try shown.json(checking: cancellation.check)
        }

        private func activity(_ request: Request) async throws -> CBORValue {
            guard let known = try await history.known() else { return .array([]) }
            let first = try await request["from"] == nil ? known.lowerBound : request.commit("from", in: history)
            let last = try await request.commit("to", in: history)
            guard first <= last else { throw Refusal(400, "invalidParameter", "from comes before to.") }
            let slices = try await history.activity(
                in: first...last, slicesMax: request.number("slices", 1...2000, default: 120),
                byTime: request.word("by", of: ["commit", "time"]) == "time")
            return .array(
                slices.map { slice in
                    [
                        "first": .unsigned(slice.first.rawValue), "last": .unsigned(slice.last.rawValue),
                        "earliest": .integer(slice.earliest), "latest": .integer(slice.latest),
                        "commits": .integer(Int64(slice.commitCount)), "changes": .integer(Int64(slice.changeCount)),
                    ]
                })
        }

        private func changes(_ request: Request) async throws -> CBORValue {
            _ = try request.required("from")
            let from = try await request.commit("from", in: history), to = try await request.commit("to", in: history)
            let (offset, limit) = try window(request)
            let (before, after) = try await history.snapshots(at: from, to)
            return try await BlockingWork.run { cancellation in
                let changes = try ReplayChanges(from: before, to: after, checking: cancellation.check)
                let shown = try json(of: changes, offset, limit, cancellation)
                return [
                    "from": .unsigned(from.rawValue), "to": .unsigned(to.rawValue),
                    "count": .integer(Int64(changes.count)), "changes": .array(shown),
                ]
            }
        }

        private func without(_ request: Request) async throws -> CBORValue {
            _ = try request.required("commit")
            let number = try await request.commit("commit", in: history)
            let takesAll = try request.word("conflicts", of: ["keep", "undo"]) == "undo"
            let (offset, limit) = try window(request)
            let undone = try await UndoneCommit(number, overwritingConflicts: takesAll, in: history)
            let shown = try await BlockingWork.run { cancellation in
                try json(of: undone.changes, offset, limit, cancellation)
            }
            var pairs: [CBORValue.Pair] = [
                .init("commit", .unsigned(number.rawValue)), .init("in", .unsigned(undone.now.commitNumber.rawValue)),
                .init("count", .integer(Int64(undone.changes.count))),
                .init("changes", .array(shown)),
                .init("conflictCount", .integer(Int64(undone.conflicts.count))),
                .init(
                    "conflicts",
                    .array(
                        undone.conflicts.prefix(Self.pageMax).map {
                            ["collection": .text($0.collectionName), "key": .text($0.key)]
                        })),
            ]
            if let note = undone.note { pairs.append(.init("note", .text(note))) }
            return .map(pairs)
        }

        private func bisection(_ request: Request) async throws -> (value: CBORValue, isWhole: Bool) {
            _ = try request.required("where")
            guard let expression = try request.expression("where", about: .snapshot) else { return (.null, true) }
            let reach = try await history.reach()
            let good = try await request["good"] == nil ? reach.lowerBound : request.commit("good", in: history)
            let bad = try await request["bad"] == nil ? reach.upperBound : request.commit("bad", in: history)
            let run = try await BisectionRun(expression, good: good, bad: bad, in: history, keeping: verdicts)
            let probes = run.probes.map { probe -> CBORValue in
                var pairs: [CBORValue.Pair] = [
                    .init("commit", .unsigned(probe.number.rawValue)), .init("verdict", .text(probe.verdict.rawValue)),
                ]
                if let lost = probe.lost { pairs.append(.init("unreadable", Self.json(lost))) }
                return .map(pairs)
            }
            var pairs: [CBORValue.Pair] = [.init("probes", .array(probes))]
            switch run.search.outcome {
            case .found(let number)?: pairs.append(.init("firstBad", .unsigned(number.rawValue)))
            // All but the last of them can't be read.
            case .undecided(let range)?: pairs.append(.init("firstBadAmong", Self.json(range)))
            case .notBad?, nil: break
            }
            if run.isBadFromBeginning {
                pairs.append(
                    .init("note", .text("The expression is true of the oldest state in reach: no commit began it.")))
            }
            return (.map(pairs), !run.isDamaged)
        }

        // MARK: States

        private func collections(_ request: Request) async throws -> CBORValue {
            let snapshot = try await snapshot(request)
            return .map(
                snapshot.collectionNames.map {
                    .init(.text($0), .integer(Int64(snapshot.count(inCollectionNamed: $0))))
                })
        }

        private func records(_ request: Request) async throws -> CBORValue {
            let name = try request.required("collection")
            let condition = try request.expression("where", about: .record)
            let (offset, limit) = try window(request)
            let isDescending = try request.word("order", of: ["ascending", "descending"]) == "descending"
            let snapshot = try await snapshot(request)
            let question = try RecordsQuestion(
                collection: name, condition: condition, sort: request["sort"], isDescending: isDescending,
                offset: offset, limit: limit)
            return try await BlockingWork.run { cancellation in
                let answer = try question.answer(
                    in: snapshot, until: .now + Pages.patience, bytesMax: bytesMax,
                    unless: { cancellation.isCancelled })
                let records = try answer.records.map { record in
                    try cancellation.check()
                    return record.json
                }
                var pairs: [CBORValue.Pair] = [
                    .init("commit", .unsigned(snapshot.commitNumber.rawValue)),
                    .init("count", .integer(Int64(answer.count))), .init("records", .array(records)),
                ]
                if let note = answer.note { pairs.append(.init("note", .text(note))) }
                return .map(pairs)
            }
        }

        private func record(_ request: Request) async throws -> CBORValue {
            let collection = try request.required("collection"), key = try request.requiredText("key")
            let snapshot = try await snapshot(request)
            guard let record = snapshot.untyped(collection)[key] else {
                throw Refusal(404, "notFound", "There is no such record at commit \(snapshot.commitNumber).")
            }
            return record.json
        }

        private func revisions(_ request: Request) async throws -> CBORValue {
            let past = try await history.revisions(
                ofKey: request.requiredText("key"), in: request.required("collection"), until: .now + Pages.patience)
            let revisions = past.revisions.map { revision -> CBORValue in
                var pairs: [CBORValue.Pair] = [
                    .init("commit", .unsigned(revision.number.rawValue)),
                    .init("ns", .integer(revision.nanosecondsSince1970)), .init("origin", .text(revision.origin)),
                ]
                if let before = revision.before { pairs.append(.init("before", before.object)) }
                if let after = revision.after { pairs.append(.init("after", after.object)) }
                return .map(pairs)
            }
            return [
                "revisions": .array(revisions), "omitted": .integer(Int64(past.omitted)), "isLate": .bool(past.isLate),
                "isCut": .bool(past.isCut),
            ]
        }

        private func views(_ request: Request) async throws -> CBORValue {
            let snapshot = try await snapshot(request, withViews: true)
            return .array(
                snapshot.untypedViewNames.compactMap { snapshot.untypedView($0) }.map { view in
                    [
                        "view": .text(view.name), "groups": .integer(Int64(view.groupCount)),
                        "rows": .integer(Int64(view.count)), "version": .text(view.versionTag),
                        "collections": .array(view.collectionNames.map { .text($0) }),
                    ]
                })
        }

        private func view(_ request: Request) async throws -> CBORValue {
            let name = try request.required("name")
            let (offset, limit) = try window(request)
            let snapshot = try await snapshot(request, withViews: true)
            guard let view = snapshot.untypedView(name) else {
                throw Refusal(404, "viewNotShown", "There is no such view at commit \(snapshot.commitNumber).")
            }
            // The rows of all groups are one sequence, of which this is a part.
            let only = request.text("group")
            return try await BlockingWork.run { cancellation in
                let count = only.map { view.count(ofGroup: $0) } ?? view.count
                var skipped = 0, shown = 0, bytes = 0
                var groups: [CBORValue] = []
                for group in only.map({ [$0] }) ?? view.groupNames {
                    if shown == limit || bytes > bytesMax { break }
                    try cancellation.check()
                    let groupCount = view.count(ofGroup: group)
                    let start = min(groupCount, offset - skipped)
                    skipped += start
                    if start == groupCount { continue }
                    var rows: [CBORValue] = []
                    for row in view.rows(ofGroup: group, at: start..<min(groupCount, start + limit - shown)) {
                        if bytes > bytesMax { break }
                        try cancellation.check()
                        let record = row.record
                        bytes += record?.byteCount ?? 0
                        rows.append(Self.json(row, record))
                    }
                    shown += rows.count
                    groups.append([
                        "group": .text(group), "count": .integer(Int64(groupCount)), "rows": .array(rows),
                    ])
                }
                return [
                    "commit": .unsigned(snapshot.commitNumber.rawValue),
                    "groupCount": .integer(Int64(view.groupCount)), "count": .integer(Int64(count)),
                    "groups": .array(groups), "isCut": .bool(Self.isCut(offset, shown, of: count)),
                ]
            }
        }

        private func snapshot(_ request: Request, withViews: Bool = false) async throws -> Snapshot {
            if request["at"] == nil, let current = await history.current() { return current }
            return try await history.snapshot(at: request.commit("at", in: history), withViews: withViews)
        }

        private func window(_ request: Request) throws -> (offset: Int, limit: Int) {
            (
                try request.number("offset", 0...Int(Int32.max), default: 0),
                try request.number("limit", 1...Self.pageMax, default: 50)
            )
        }

        /// Whether something comes after what is shown.
        private static func isCut(_ offset: Int, _ shown: Int, of count: Int) -> Bool { count - shown > offset }

        // MARK: Parts

        static func json(_ entry: CommitIndex.Entry) -> CBORValue {
            [
                "commit": .unsigned(entry.number.rawValue), "time": .text(ISOTime.text(entry.nanosecondsSince1970)),
                "ns": .integer(entry.nanosecondsSince1970), "origin": .text(entry.origin),
                "changeCount": .integer(Int64(entry.changeCount)),
            ]
        }

        private static func json(_ range: ClosedRange<CommitNumber>) -> CBORValue {
            ["first": .unsigned(range.lowerBound.rawValue), "last": .unsigned(range.upperBound.rawValue)]
        }

        private static func json(_ tag: LogTag) -> CBORValue {
            ["tag": .text(tag.name.description), "commit": .unsigned(tag.number.rawValue)]
        }

        private static func json(_ row: UntypedRow, _ record: ReplayRecord?) -> CBORValue {
            [
                "collection": .text(row.collectionName), "key": .text(row.key), "index": .integer(Int64(row.index)),
                "object": record?.object ?? .null,
            ]
        }

        private static func json(_ part: HealthPart) -> CBORValue {
            [
                "title": .text(part.title), "note": part.note.map { .text($0) } ?? .null,
                "rows": .array(
                    part.rows.map {
                        ["name": .text($0.name), "value": .text($0.value), "state": .text($0.state.rawValue)]
                    }),
            ]
        }
    }
#endif
