#if Inspector
    import Yaprak
    import YaprakReplay

    extension Pages {
        /// A bisection: an expression that is true of bad states, the ends, and what was found between them.
        ///
        /// - Returns: the page, and whether nothing of it is behind a damaged file.
        func bisect(_ request: Request) async throws -> (markup: Markup, isWhole: Bool) {
            let reach = try await history.reach()
            let good = request["good"] == nil ? reach.lowerBound : try await request.commit("good", in: history)
            let bad = request["bad"] == nil ? reach.upperBound : try await request.commit("bad", in: history)
            let expression: ReplayExpression?
            do { expression = try request.expression("where", about: .snapshot) } catch {
                return (bisectPage(request, good, bad, Pieces.expressionError(error, id: "where-error")), true)
            }
            guard let expression else {
                let page = bisectPage(
                    request, good, bad,
                    """
                    <p class="note">An expression that is true of the states that are bad, such as \
                    <code>any(flights, .delay &lt; 0)</code> or <code>count(books) &gt; 100</code>. The search finds the first \
                    commit of which it is true, in ⌈log₂ n⌉ + 1 steps.</p>
                    """)
                return (page, true)
            }
            let run: BisectionRun
            do {
                run = try await BisectionRun(expression, good: good, bad: bad, in: history, keeping: verdicts)
            } catch let refusal as Refusal {
                let words: Markup = #"<p class="error" role="alert">\#(Pieces.sentence(refusal.message))</p>"#
                return (bisectPage(request, good, bad, words), true)
            }
            return (bisectPage(request, good, bad, result(run, request["where"] ?? "")), !run.isDamaged)
        }

        private func bisectPage(
            _ request: Request, _ good: CommitNumber, _ bad: CommitNumber, _ contents: Markup
        ) -> Markup {
            shell.page(
                "Bisect", active: "/bisect",
                """
                <h1>Bisect</h1>
                <form class="filter bisect" method="get" action="/bisect">
                <label for="where">Bad where</label><input id="where" name="where" type="text" class="wide" spellcheck="false" \
                autocapitalize="off" autocomplete="off" value="\(field: request["where"] ?? "")" required>
                <label for="good">Good</label><input id="good" name="good" type="text" autocomplete="off" \
                value="\(field: request["good"] ?? "\(good)")">
                <label for="bad">Bad</label><input id="bad" name="bad" type="text" autocomplete="off" \
                value="\(field: request["bad"] ?? "\(bad)")">
                <button class="button">Search</button></form>
                \(contents)
                """)
        }

        private func result(_ run: BisectionRun, _ expression: String) -> Markup {
            let rows = run.probes.enumerated().map { index, probe -> Markup in
                """
                <tr><td class="number">\(index + 1)</td><td class="number">\(Pieces.commit(probe.number))</td>\
                <td class="\(Self.styleClass(probe))">\(Self.words(probe))</td>\
                <td class="number">\(Amount.count(probe.leftCount))</td></tr>
                """
            }
            return """
                \(verdict(run, expression))
                \(picture(run))
                <h2>Probes</h2>
                <div class="scroll"><table><thead><tr><th scope="col" class="number">Probe</th>\
                <th scope="col" class="number">Commit</th>\
                <th scope="col">Verdict</th><th scope="col" class="number">Left</th></tr></thead><tbody>\
                \(rows)</tbody></table></div>
                """
        }

        private static func styleClass(_ probe: BisectionRun.Probe) -> String {
            switch probe.verdict {
            case .good: "good"
            case .bad: "bad"
            case .skip: "skipped"
            }
        }

        private static func words(_ probe: BisectionRun.Probe) -> String {
            guard let lost = probe.lost else { return probe.verdict.rawValue }
            if lost.lowerBound == lost.upperBound { return "skipped: it can't be read" }
            return "skipped: \(lost.lowerBound) to \(lost.upperBound) can't be read"
        }

        private func verdict(_ run: BisectionRun, _ expression: String) -> Markup {
            if run.isBadFromBeginning {
                return """
                    <p class="verdict" role="status">Commit \(run.good), the oldest that can be shown, is bad already: \
                    no commit began it.</p>
                    """
            }
            switch run.search.outcome {
            case .found(let number)?:
                let command =
                    "yaprak bisect \(databaseWord) \(Pieces.shellOption("--where", expression)) --good \(run.good) "
                    + "--bad \(run.bad)"
                let commands =
                    history.path == nil
                    ? []
                    : [
                        ("Export the commit as a test", "yaprak export-test \(databaseWord) \(number) --touched-only"),
                        (
                            "Fork here, before the fault",
                            "yaprak fork \(databaseWord) before.yaprak --at \(number.rawValue - 1)"
                        ),
                        ("The same search in a terminal", command),
                    ]
                return """
                    <p class="verdict" role="status">Commit \(Pieces.commit(number)) is the first bad one.</p>
                    <p><a class="button" href="\(Address.commit(number).text)">Show it</a> <a class="button" \
                    href="\(Address("/", [("at", "\(number)")]).text)">State at it</a></p>
                    \(commands.isEmpty ? nil : Pieces.commands(commands))
                    """
            case .notBad(let number)?:
                return #"<p class="verdict" role="status">Commit \#(number) is good: there is nothing to find.</p>"#
            case .undecided(let range)?:
                return """
                    <p class="verdict" role="status">The first bad commit is among \(range.lowerBound) to \(range.upperBound): \
                    all but the last of them can't be read.</p>
                    """
            case nil: return ""
            }
        }

        /// What was left after each probe, line by line: the search narrows.
        private func picture(_ run: BisectionRun) -> Markup {
            let low = Double(run.good.rawValue), width = Double(run.bad.rawValue - run.good.rawValue)
            func place(_ number: CommitNumber) -> Double {
                ((Double(number.rawValue) - low) / width * 100_000).rounded() / 100
            }
            let lines = run.probes.enumerated().map { index, probe -> Markup in
                let left = place(CommitNumber(probe.candidates.lowerBound.rawValue - 1))
                let right = place(probe.candidates.upperBound)
                let y = index * 10
                return """
                    <rect class="left" x="\(left)" y="\(y + 1)" width="\(max(2, right - left))" height="8"/>\
                    <path class="\(Self.styleClass(probe))" d="M\(place(probe.number)) \(y)v10"/>
                    """
            }
            return """
                <svg class="bisection" viewBox="-2 0 1004 \(max(10, run.probes.count * 10))" preserveAspectRatio="none" \
                aria-hidden="true" focusable="false">\(lines)</svg>
                """
        }
    }
#endif
