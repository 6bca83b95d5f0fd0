#if Inspector
    import Yaprak
    import YaprakReplay

    extension Pages {
        private static var groupsMax: Int { 24 }
        private static var rowsMax: Int { 40 }

        /// The views as of a commit.
        func views(_ request: Request) async throws -> Markup {
            let moment = try await Moment(request, in: history)
            let snapshot = try await moment.snapshot(in: history, withViews: true)
            let rows = snapshot.untypedViewNames.compactMap { name -> Markup? in
                guard let view = snapshot.untypedView(name) else { return nil }
                return """
                    <tr data-key="\(name)"><td><a href="\(Address.view(name, at: moment.at).text)">\
                    \(Pieces.cut(name, 80))</a></td>\
                    <td>\(Pieces.cut(view.collectionNames.joined(separator: ", "), 80))</td>\
                    <td class="number">\(Amount.count(view.groupCount))</td><td class="number">\(Amount.count(view.count))</td>\
                    <td>\(Pieces.cut(view.versionTag, 40))</td></tr>
                    """
            }
            let others = snapshot.extensionNames.filter { !snapshot.untypedViewNames.contains($0) }
            let otherNames: Markup? =
                others.isEmpty ? nil : "<p>Indexes and other extensions: \(others.joined(separator: ", ")).</p>"
            let table: Markup =
                rows.isEmpty
                ? """
                <p class="note">There is no view at commit \(moment.number). The files have a view where the program says \
                so: <code>persistence: .everyCommit</code> shows it as of every commit, checkpoints as of theirs.</p>
                """
                : """
                <div class="scroll"><table><thead><tr><th scope="col">View</th><th scope="col">Of</th>\
                <th scope="col" class="number">Groups</th><th scope="col" class="number">Rows</th><th scope="col">Version</th>\
                </tr></thead><tbody>\(rows)</tbody></table></div>
                """
            return shell.page(
                "Views", active: "/views", moment: moment, address: Address(request, keeping: ["at"]),
                "<h1>Views</h1>\(table)\(otherNames)")
        }

        /// A view as of a commit: its groups with their rows, or one group a page at a time, and why a row is where it is.
        func view(_ request: Request) async throws -> Markup {
            let name = try request.required("name")
            let moment = try await Moment(request, in: history)
            let address = Address(request, keeping: ["name", "at", "group", "page", "explain", "of"])
            let snapshot = try await moment.snapshot(in: history, withViews: true)
            guard let view = snapshot.untypedView(name) else {
                return shell.page(
                    name, active: "/views", moment: moment, address: address,
                    """
                    <h1>\(Pieces.cut(name, 120))</h1><p class="note">This view can't be shown as of commit \(moment.number): the \
                    files don't have its rows of then. A view with <code>persistence: .everyCommit</code> can be shown as of \
                    each commit.</p>
                    """)
            }
            let isMixed = view.collectionNames.count > 1
            let sections: Markup, paging: Markup
            if let group = request.text("group") {
                let page = try request.number("page", 0...Int(Int32.max), default: 0)
                let start = page * Self.rowsMax
                sections = try await working { _ in
                    section(view, group, start..<(start + Self.rowsMax), isMixed, moment, address)
                }
                paging = Pieces.paging(address, page: page, pageSize: Self.rowsMax, count: view.count(ofGroup: group))
            } else {
                let names = view.groupNames
                let page = try request.number("page", 0...Int(Int32.max), default: 0)
                let shown = names.dropFirst(page * Self.groupsMax).prefix(Self.groupsMax)
                let rows = max(5, min(Self.rowsMax, 240 / max(1, shown.count)))
                sections = try await working { _ in
                    Markup(joining: shown.map { section(view, $0, 0..<rows, isMixed, moment, address) })
                }
                paging = Pieces.paging(address, page: page, pageSize: Self.groupsMax, count: names.count)
            }
            let all: Markup? = request.text("group").map { _ in
                #"<a class="button" href="\#(address.with("group", nil).with("page", nil).text)">All groups</a>"#
            }
            return shell.page(
                name, active: "/views", moment: moment, address: address,
                """
                <div class="tools"><h1>\(Pieces.cut(name, 120)) <span class="count">\(view.count.counted("row")) in \
                \(view.groupCount.counted("group"))</span></h1>\(all)</div>
                \(explanation(request, view))
                <div class="sections">\(sections)</div>\(paging)
                """)
        }

        private func section(
            _ view: UntypedView, _ group: String, _ positions: Range<Int>, _ isMixed: Bool, _ moment: Moment,
            _ address: Address
        ) -> Markup {
            let count = view.count(ofGroup: group)
            let rows = view.rows(ofGroup: group, at: positions).map { row -> Markup in
                let explain = address.with("explain", row.key).with("of", row.collectionName)
                let collection: Markup? = isMixed ? #"<span class="note">\#(row.collectionName)</span> "# : nil
                return """
                    <li data-key="\(row.collectionName)/\(row.key)/\(group)"><span class="index">\(row.index)</span>\
                    <span class="what">\(collection)\(Pieces.record(row.key, in: row.collectionName, at: moment.at)) \
                    \(row.record.map { Pieces.brief($0.object) })</span>\
                    <a class="why" href="\(explain.text)" aria-label="Why is \(Pieces.name(row.key, 80)) here?">why</a></li>
                    """
            }
            let rest = count - positions.lowerBound - rows.count
            let more: Markup? =
                rest > 0 && address.query.allSatisfy { $0.name != "group" }
                ? #"<p><a href="\#(address.with("group", group).with("page", nil).text)">\#(Amount.count(rest)) more</a></p>"#
                : nil
            return """
                <section class="group" data-key="group \(group)"><h2>\(Pieces.name(group, 60)) <span class="count">\(
                    Amount.count(count))</span></h2><ol class="rows">\(rows)</ol>\(more)</section>
                """
        }

        private func explanation(_ request: Request, _ view: UntypedView) -> Markup? {
            guard let key = request.text("explain"), let collection = request.text("of") else { return nil }
            let name = "\(Pieces.cut(collection, 80)) \(Pieces.name(key, 200))"
            let places = view.explain(key: key, inCollectionNamed: collection)
            let words =
                places.isEmpty
                ? "\(name) is not in this view at this commit."
                : places.map { "\(name) is in \($0)." }.joined(separator: " ")
            return #"<p class="explanation" role="status">\#(Pieces.cut(words, 2000))</p>"#
        }
    }
#endif
