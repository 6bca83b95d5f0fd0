#if Inspector
    import Yaprak
    import YaprakReplay

    extension Pages {
        /// What if a commit had not been made: the newest state with its changes undone.
        func without(_ text: Substring, _ request: Request) async throws -> Markup {
            let number = try await history.commitNumber(at: try position(String(text)))
            let takesAll = try request.word("conflicts", of: ["keep", "undo"]) == "undo"
            let undone = try await UndoneCommit(number, overwritingConflicts: takesAll, in: history)
            let page = try request.number("page", 0...Int(Int32.max), default: 0), size = 100
            let address = Address(request, keeping: ["conflicts", "page"])
            let shown = undone.changes.dropFirst(min(undone.changes.count, page * size)).prefix(size)
            let blocks = try await working { cancellation in
                try Pieces.changes(
                    shown, at: "\(undone.now.commitNumber)", headings: ("Now", "Without"), checking: cancellation.check)
            }
            let viewTable = try await working { cancellation in
                try views(undone, checking: cancellation.check)
            }
            let counts = Dictionary(grouping: undone.changes, by: \.collectionName).sorted { $0.key < $1.key }
            let chips = counts.prefix(40).map { name, changes -> Markup in
                let now = undone.now.count(inCollectionNamed: name)
                let then = changes.reduce(now) { $0 + ($1.before == nil ? 1 : 0) - ($1.after == nil ? 1 : 0) }
                let numbers = now == then ? Amount.count(now) : "\(Amount.count(now)) → \(Amount.count(then))"
                return #"<span class="chip">\#(Pieces.cut(name, 40)) <b>\#(numbers)</b></span>"#
            }
            let nothing: Markup? =
                undone.changes.isEmpty
                ? """
                <p class="note">Nothing would be different: the records are what they were before it, or were changed \
                since.</p>
                """ : nil
            return shell.page(
                "Without commit \(number)", active: "/",
                """
                <div class="tools"><h1>What if without commit \(number)?</h1>\
                <a class="button" href="\(Address.commit(number).text)">Back to the commit</a></div>
                <p>The state at commit \(Pieces.commit(undone.now.commitNumber)), with what commit \(number) changed undone \
                in memory. The database is left alone. <b>\(Amount.count(undone.changes.count))</b> \
                \(undone.changes.count.word("record")) would differ. \(chips)\(Pieces.rest(of: counts.count, 40))</p>
                \(undone.note.map { #"<p class="note">\#(Pieces.sentence($0))</p>"# as Markup })
                \(undone.then.map { _ in simulated })
                \(conflicts(undone, takesAll, address))
                \(viewTable)
                \(nothing)\(blocks)
                \(Pieces.paging(address, page: page, pageSize: size, count: undone.changes.count))
                \(commands(number, takesAll))
                """)
        }

        /// What a fork does as the program would, and what it does not.
        private var simulated: Markup {
            """
            <p class="note">Views, relationships and reactions of the program follow in memory. What a reaction leaves for after \
            the commit, <code>afterCommit</code>, does not run, and no instrument is notified.</p>
            """
        }

        private func conflicts(_ undone: UndoneCommit, _ takesAll: Bool, _ address: Address) -> Markup? {
            guard !undone.conflicts.isEmpty else { return nil }
            let count = undone.conflicts.count
            let isOne = count == 1
            let words = "\(Amount.count(count)) of its records \(isOne ? "was" : "were") changed since"
            let stays = isOne ? "stays as it is" : "stay as they are"
            let returns = isOne ? "becomes what it was before" : "become what they were before"
            let other = address.with("conflicts", takesAll ? nil : "undo").with("page", nil).text
            let names = undone.conflicts.prefix(50).map { change -> Markup in
                let name = change.collectionName
                return "<li>\(Pieces.cut(name, 40)) \(Pieces.record(change.key, in: name, at: nil))</li>"
            }
            let rest: Markup? = count > 50 ? "<li>and \(Amount.count(count - 50)) more</li>" : nil
            return """
                <div class="tools"><p>\(words), and \(takesAll ? returns : stays).</p>\
                <a class="button" href="\(other)">\(
                    takesAll ? "Leave as now" : "Undo that, too")</a></div>
                <details><summary>Which</summary><ul>\(names)\(rest)</ul></details>
                """
        }

        /// The views that would have other rows, or others in other places.
        ///
        /// - Parameter check: is called before each group; what it throws ends the work.
        private func views(_ undone: UndoneCommit, checking check: () throws -> Void) throws -> Markup? {
            guard let then = undone.then else {
                return """
                    <p class="note">What the views would show is known inside the program only: \
                    <code>Inspector(database).run()</code>.</p>
                    """
            }
            let rows = try undone.now.untypedViewNames.prefix(100).compactMap { name -> Markup? in
                guard let before = undone.now.untypedView(name), let after = then.untypedView(name) else { return nil }
                let groups = try GroupDifferences(from: before, to: after, checking: check)
                let words = groups.first.map { group -> Markup in
                    """
                    <span class="field">\(Pieces.name(group.name, 40)) <b>\(Amount.count(group.before)) → \
                    \(Amount.count(group.after))</b></span>
                    """
                }
                let more = Pieces.rest(of: groups.count, GroupDifferences.most)
                return """
                    <tr><td><a href="\(Address.view(name, at: nil).text)">\(Pieces.cut(name, 80))</a></td>\
                    <td class="number">\(Amount.count(before.count))</td><td class="number">\(Amount.count(after.count))</td>\
                    <td>\(words)\(more)</td></tr>
                    """
            }
            guard !rows.isEmpty else { return nil }
            return """
                <h2>Views</h2><div class="scroll"><table><thead><tr><th scope="col">View</th>\
                <th scope="col" class="number">Rows now</th><th scope="col" class="number">Without</th>\
                <th scope="col">Groups</th></tr></thead><tbody>\(rows)</tbody></table></div>
                """
        }

        private func commands(_ number: CommitNumber, _ takesAll: Bool) -> Markup? {
            guard history.path != nil else { return nil }
            let force = takesAll ? " --force" : ""
            return """
                <h2>Keep it</h2>\(Pieces.commands([
                    (
                        "A copy of the database in which it is undone",
                        "yaprak fork \(databaseWord) without.yaprak && yaprak revert without.yaprak \(number)\(force)"
                    )
                ]))
                """
        }
    }
#endif
