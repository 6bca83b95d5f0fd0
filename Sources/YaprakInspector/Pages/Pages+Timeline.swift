#if Inspector
    import Yaprak
    import YaprakReplay

    extension Pages {
        /// The timeline: how much was done when, the commits of a range, and what there was as of the commit shown.
        ///
        /// Where a file is damaged, what it is needed for is a sentence, and the rest is shown.
        ///
        /// - Returns: the page, and whether all is on it: a state that takes long to read comes later.
        func timeline(_ request: Request) async throws -> (markup: Markup, isWhole: Bool) {
            let moment = try await Moment(request, in: history)
            let byTime = try request.word("by", of: ["commit", "time"]) == "time"
            let address = Address(request, keeping: ["from", "to", "by", "at", "page"])
            let state = await state(moment, address)
            guard let known = try await history.known() else {
                let page = shell.page(
                    "Timeline", active: "/", moment: moment, address: address,
                    """
                    <h1>Timeline</h1><p class="note">There is no commit yet. This page shows the first one when it comes.</p>
                    \(state.markup)
                    """)
                return (page, state.isWhole)
            }
            let range = try timelineRange(request, known)
            let slices = try await found {
                try await history.activity(in: range, slicesMax: 120, byTime: byTime)
            }
            let (tags, damage) = try await tags()
            let checkpoints = try await history.checkpoints()
            let marks = TimelineChart.Marks(
                shown: moment.number, tags: tags.filter { range.contains($0.number) },
                checkpoints: checkpoints.filter { range.contains($0) })
            let chart = markup(slices) {
                TimelineChart(range: range, slices: $0, byTime: byTime, marks: marks, address: address).markup
            }
            let pageSize = 50, count = Int(clamping: range.upperBound.rawValue - range.lowerBound.rawValue + 1)
            let page = try request.number("page", 0...Int(Int32.max), default: 0)
            let listed = try await found { try await commits(of: range, page: page, size: pageSize) }
            let table = markup(listed) { commitTable($0, tags, moment) }
            let contents: Markup = """
                <h1>Timeline</h1>
                \(zoom(range, known, byTime, address))
                \(damage)\(chart.markup)
                \(state.markup)
                <h2 id="commits">Commits</h2>
                \(table.markup)
                \(Pieces.paging(address, page: page, pageSize: pageSize, count: count))
                """
            let whole = shell.page("Timeline", active: "/", moment: moment, address: address, contents)
            return (whole, state.isWhole && chart.isWhole && table.isWhole && damage == nil)
        }

        /// What was read, or why it was not.
        private func markup<Found>(
            _ found: Result<Found, DatabaseError>, _ words: (Found) -> Markup
        ) -> (markup: Markup, isWhole: Bool) {
            switch found {
            case .success(let found): (words(found), true)
            case .failure(let error): (Pieces.failure(error), false)
            }
        }

        /// The range in the address, or what there is of the newest commits: as many as can be read at once.
        private func timelineRange(
            _ request: Request, _ known: ClosedRange<CommitNumber>
        ) throws -> ClosedRange<CommitNumber> {
            let standard: CommitNumber =
                known.upperBound.rawValue - known.lowerBound.rawValue < Self.overviewMax
                ? known.lowerBound : CommitNumber(known.upperBound.rawValue - Self.overviewMax + 1)
            func bound(_ name: String, _ standard: CommitNumber) throws -> CommitNumber {
                guard let text = request[name] else { return standard }
                guard let number = UInt64(text) else {
                    throw Refusal(400, "invalidParameter", "\(name) is the number of a commit.")
                }
                return min(max(CommitNumber(number), known.lowerBound), known.upperBound)
            }
            let first = try bound("from", standard), last = try bound("to", known.upperBound)
            return min(first, last)...max(first, last)
        }

        /// The commits of which the first page shows the activity: reading them is a matter of milliseconds.
        static let overviewMax: UInt64 = 20_000

        private func zoom(
            _ range: ClosedRange<CommitNumber>, _ known: ClosedRange<CommitNumber>, _ byTime: Bool, _ address: Address
        ) -> Markup {
            let address = address.with("page", nil)
            let width = range.upperBound.rawValue - range.lowerBound.rawValue + 1
            // Twice as far, with the middle where it was.
            let low = range.lowerBound.rawValue - min(range.lowerBound.rawValue, width / 2)
            let (high, _) = range.upperBound.rawValue.addingReportingOverflow(width / 2 + 1)
            let wider = address.with("from", "\(max(low, known.lowerBound.rawValue))")
                .with("to", high >= known.upperBound.rawValue ? nil : "\(high)")
            let isWhole = range == known
            let all = address.with("from", "\(known.lowerBound)").with("to", nil)
            let last = CommitNumber(
                known.upperBound.rawValue - min(999, known.upperBound.rawValue - known.lowerBound.rawValue))
            func link(_ words: String, _ target: Address, _ isOff: Bool = false) -> Markup {
                isOff
                    ? #"<span class="button" aria-disabled="true">\#(words)</span>"#
                    : #"<a class="button" href="\#(target.text)">\#(words)</a>"#
            }
            return """
                <div class="tools"><p>Commits <b>\(Amount.count(range.lowerBound.rawValue))</b> to \
                <b>\(Amount.count(range.upperBound.rawValue))</b></p>\
                \(link("Zoom out", wider, isWhole))\(link("All", all, isWhole))\
                \(link("Last 1,000", address.with("from", "\(last)").with("to", nil), range.lowerBound == last))\
                <span class="group" role="group" aria-label="Axis">\
                <a class="button" href="\(address.with("by", nil).text)"\(
                    byTime ? "" : #" aria-current="true""# as Markup)>By commit</a>\
                <a class="button" href="\(address.with("by", "time").text)"\(
                    byTime ? #" aria-current="true""# as Markup : "")>By time</a></span></div>
                """
        }

        private func commits(
            of range: ClosedRange<CommitNumber>, page: Int, size: Int
        ) async throws -> [CommitIndex.Entry] {
            let (skipped, isFar) = UInt64(page).multipliedReportingOverflow(by: UInt64(size))
            guard !isFar, skipped <= range.upperBound.rawValue - range.lowerBound.rawValue else { return [] }
            let last = range.upperBound.rawValue - skipped
            let first = max(range.lowerBound.rawValue, last - min(last, UInt64(size - 1)))
            return try await history.entries(in: CommitNumber(first)...CommitNumber(last)).reversed()
        }

        private func commitTable(_ commits: [CommitIndex.Entry], _ tags: [LogTag], _ moment: Moment) -> Markup {
            let names = Dictionary(grouping: tags, by: \.number)
            let rows = commits.map { commit -> Markup in
                let tags = (names[commit.number] ?? []).map {
                    #" <span class="tag">\#($0.name.description)</span>"# as Markup
                }
                let shown: Markup = commit.number == moment.number ? #" aria-current="true""# : ""
                return """
                    <tr data-key="\(commit.number)"\(shown)><td class="number">\(Pieces.commit(commit.number))\(tags)</td>\
                    <td>\(Pieces.time(commit.nanosecondsSince1970))</td><td>\(Pieces.cut(commit.origin, 60))</td>\
                    <td class="number">\(Amount.count(commit.changeCount))</td></tr>
                    """
            }
            return """
                <div class="scroll"><table><thead><tr><th scope="col" class="number">Commit</th><th scope="col">Time (UTC)</th>\
                <th scope="col">Origin</th><th scope="col" class="number">Changes</th></tr></thead><tbody>\(rows)</tbody>\
                </table></div>
                """
        }

        /// What there is as of the commit shown: collections with their counts, and views.
        private func state(_ moment: Moment, _ address: Address) async -> (markup: Markup, isWhole: Bool) {
            let heading: Markup = "<h2>State at commit \(moment.number)</h2>"
            if let current = moment.current { return (heading + state(of: current, moment), true) }
            switch await states.snapshot(at: moment.number, within: Self.statePatience) {
            case nil:
                let again: Markup = """
                    <p class="note" data-pending="1" role="status">This state is being read. \
                    <a href="\(address.text)">Look again</a></p>
                    """
                return (heading + again, false)
            case .failure(let error):
                // What is out of reach stays so. What could not be read this time may be there the next time.
                let isOutOfReach = (error as? DatabaseError)?.code == .commitOutOfReach
                return (heading + Pieces.failure(error), isOutOfReach)
            case .success(let snapshot): return (heading + state(of: snapshot, moment), true)
            }
        }

        private func state(of snapshot: Snapshot, _ moment: Moment) -> Markup {
            let most = 40, names = snapshot.collectionNames, viewNames = snapshot.untypedViewNames
            let collections = names.prefix(most).map { name -> Markup in
                """
                <a class="chip" data-key="\(name)" href="\(Address.collection(name, at: moment.at).text)">\
                \(Pieces.cut(name, 40)) \
                <b>\(Amount.count(snapshot.count(inCollectionNamed: name)))</b></a>
                """
            }
            let views = viewNames.prefix(most).compactMap { name -> Markup? in
                guard let view = snapshot.untypedView(name) else { return nil }
                return """
                    <a class="chip view" href="\(Address.view(name, at: moment.at).text)">\(Pieces.cut(name, 40)) \
                    <b>\(Amount.count(view.count))</b></a>
                    """
            }
            let others = Pieces.rest(of: names.count, most, Address("/collections", [("at", moment.at)]))
            let otherViews = Pieces.rest(of: viewNames.count, most, Address("/views", [("at", moment.at)]))
            return """
                <p class="chips">\(collections)\(others)\(views)\(otherViews)\
                \(collections.isEmpty ? "No record." : "" as Markup)</p>
                """
        }
    }
#endif
