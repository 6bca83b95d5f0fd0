#if Inspector
    import Yaprak
    import YaprakReplay

    extension Pages {
        /// A commit: who, when, with what, and each record with its fields before and after.
        ///
        /// - Returns: the page, and whether nothing of it is behind a damaged file.
        func commit(_ text: Substring, _ request: Request) async throws -> (markup: Markup, isWhole: Bool) {
            let number = try await history.commitNumber(at: try position(String(text)))
            let newest = try await history.newest()
            guard number > .zero, let step = try await history.step(to: number) else {
                throw Refusal(404, "commitOutOfReach", "There is no commit \(number); the newest is \(newest).")
            }
            let commit = step.commit
            let origin: Markup = commit.origin.isEmpty ? #"<span class="absent">not said</span>"# : "\(commit.origin)"
            let (named, damage) = try await tags()
            let names = named.filter { $0.number == number }
            let page = try request.number("page", 0...Int(Int32.max), default: 0), size = 100
            let changes = step.changes ?? []
            let shown = changes.dropFirst(page * size).prefix(size)
            let blocks = try await working { cancellation in
                try Pieces.changes(shown, at: "\(number)", checking: cancellation.check)
            }
            let address = Address(request, keeping: ["page"])
            let contents = shell.page(
                "Commit \(number)", active: "/",
                """
                <div class="tools"><h1>Commit \(number)</h1>\(neighbours(number, newest))</div>
                <dl class="facts"><dt>Time</dt><dd>\(Pieces.time(commit.nanosecondsSince1970)) \
                <span class="note">\(commit.isoTime)</span></dd>\
                <dt>Origin</dt><dd>\(origin)</dd>\
                <dt>Changes</dt><dd>\(Amount.count(step.changes?.count ?? commit.changeCount))</dd>\
                \(info(commit))\(tagList(names))</dl>
                \(damage)
                \(cleared(commit))\(step.note.map { #"<p class="note">\#(Pieces.sentence($0))</p>"# as Markup })
                \(blocks)\(step.changes == nil ? keys(of: commit) : "")
                \(Pieces.paging(address, page: page, pageSize: size, count: changes.count))
                <h2>Go on from here</h2>
                <p><a class="button" href="\(Address("/", [("at", "\(number)")]).text)">State at this commit</a> \
                <a class="button" href="\(Address("/compare", [("from", "\(number)"), ("to", "@")]).text)">\
                Compare with the newest</a> \
                <a class="button" href="\(Address("/bisect", [("bad", "\(number)")]).text)">Bisect up to here</a>\(
                    step.changes == nil ? "" : without(number))</p>
                \(Pieces.commands(commands(number)))
                """)
            return (contents, !step.isDamaged)
        }

        func position(_ text: String) throws -> LogPosition {
            do { return try LogPosition(text) } catch { throw Refusal(400, "invalidPosition", error.message) }
        }

        private func without(_ number: CommitNumber) -> Markup {
            #" <a class="button" href="\#(Address("/commits/\(number)/without").text)">What if without it?</a>"#
        }

        private func neighbours(_ number: CommitNumber, _ newest: CommitNumber) -> Markup {
            func link(_ isThere: Bool, _ target: UInt64, _ words: String) -> Markup {
                isThere
                    ? #"<a class="button" data-step="\#(words.lowercased())" href="/commits/\#(target)">\#(words)</a>"#
                    : #"<span class="button" aria-disabled="true">\#(words)</span>"#
            }
            return link(number > 1, number.rawValue - 1, "Previous")
                + link(number < newest, number.rawValue + (number < newest ? 1 : 0), "Next")
        }

        private func info(_ commit: any CommitDescription) -> Markup {
            guard let info = commit.untypedInfo else { return "" }
            return "<dt>Info</dt><dd>\(Pieces.value(info, max: 2000))</dd>"
        }

        private func tagList(_ tags: [LogTag]) -> Markup {
            guard !tags.isEmpty else { return "" }
            let names = tags.map { #"<span class="tag">\#($0.name.description)</span> "# as Markup }
            return "<dt>Tags</dt><dd>\(names)</dd>"
        }

        private func cleared(_ commit: any CommitDescription) -> Markup {
            if commit.removesAll { return #"<p class="note">Everything was removed first.</p>"# }
            let names = commit.changedRecords.filter(\.removesAll).map(\.collectionName)
            guard !names.isEmpty else { return "" }
            return #"<p class="note">All records of \#(names.joined(separator: ", ")) were removed first.</p>"#
        }

        /// The changed records where their values can't be had.
        private func keys(of commit: any CommitDescription) -> Markup {
            Markup(
                joining: commit.changedRecords.map { records in
                    let keys = records.changes.prefix(200).map { "<li>\(Pieces.name($0.key, 80))</li>" as Markup }
                    let rest = Pieces.rest(of: records.changes.count, 200).map { "<li>\($0)</li>" as Markup }
                    return "<h2>\(records.collectionName)</h2><ul>\(keys)\(rest)</ul>"
                })
        }

        private func commands(_ number: CommitNumber) -> [(String, String)] {
            guard history.path != nil else { return [] }
            let name = databaseWord
            return [
                (
                    "A database of its own as it was before this commit",
                    "yaprak fork \(name) before.yaprak --at \(number.rawValue - 1)"
                ),
                ("The commit as a test in Swift", "yaprak export-test \(name) \(number) --touched-only"),
            ]
        }
    }
#endif
