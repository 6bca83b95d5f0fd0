#if Inspector
    import Yaprak
    import YaprakReplay

    extension Pages {
        /// What differs between two commits.
        func compare(_ request: Request) async throws -> Markup {
            let newest = try await history.newest()
            let reach = try await history.reach()
            let standard = CommitNumber(max(reach.lowerBound.rawValue, newest.rawValue - min(newest.rawValue, 1)))
            let from = request["from"] == nil ? standard : try await request.commit("from", in: history)
            let to = try await request.commit("to", in: history)
            let page = try request.number("page", 0...Int(Int32.max), default: 0), size = 100
            let address = Address(request, keeping: ["from", "to", "page"])
            let (before, after) = try await history.snapshots(at: from, to)
            let changes = try await working { cancellation in
                try ReplayChanges(from: before, to: after, checking: cancellation.check)
            }
            let shown = Array(changes.dropFirst(min(changes.count, page * size)).prefix(size))
            let blocks = try await working { cancellation in
                try Pieces.changes(shown, at: "\(to)", checking: cancellation.check)
            }
            let turned = address.with("from", request["to"] ?? "@").with("to", request["from"] ?? "\(standard)").with(
                "page", nil)
            let counts = Dictionary(grouping: changes, by: \.collectionName).sorted { $0.key < $1.key }
            let chips = counts.prefix(40).map {
                #"<span class="chip">\#(Pieces.cut($0.key, 40)) <b>\#(Amount.count($0.value.count))</b></span>"#
                    as Markup
            }
            return shell.page(
                "Compare \(from) with \(to)", active: "/compare",
                """
                <h1>Compare</h1>
                <form class="filter" method="get" action="/compare">
                <label for="from">From</label><input id="from" name="from" type="text" autocomplete="off" \
                spellcheck="false" value="\(field: request["from"] ?? "\(from)")">
                <label for="to">to</label><input id="to" name="to" type="text" autocomplete="off" \
                spellcheck="false" value="\(field: request["to"] ?? "\(to)")">
                <span class="links"><button class="button">Compare</button> \
                <a class="button" href="\(turned.text)">Swap</a></span></form>
                <p>From commit \(Pieces.commit(from)) to commit \(Pieces.commit(to)): \
                <b>\(Amount.count(changes.count))</b> \(changes.count.word("record differs", "records differ")). \
                \(chips)\(Pieces.rest(of: counts.count, 40))</p>
                \(blocks)
                \(Pieces.paging(address, page: page, pageSize: size, count: changes.count))
                """)
        }
    }
#endif
