#if Inspector
    import Yaprak
    import YaprakReplay

    /// The commit whose state a page shows, and how the page goes to others.
    struct Moment: Sendable {
        /// The commit.
        let number: CommitNumber
        /// The newest there is.
        let newest: CommitNumber
        /// The oldest that can be shown.
        let oldest: CommitNumber
        /// When the commit was made; `nil` of the empty database and where the log has no such commit.
        let nanoseconds: Int64?
        /// As it stands in addresses: `nil` for the newest, which stays the newest.
        let at: String?
        /// The state itself, where the newest one of a running program is shown: a moment later that may be another.
        let current: Snapshot?

        init(_ request: Request, in history: any InspectedHistory) async throws {
            at = request["at"]
            current = at == nil ? await history.current() : nil
            let reach: ClosedRange<CommitNumber>
            if let found = try await history.reachIfAny() {
                reach = found
            } else {
                let newest = try await history.newest()
                reach = newest...newest
            }
            if let current {
                number = current.commitNumber
            } else {
                number = try await request.commit("at", in: history)
            }
            newest = max(reach.upperBound, number)
            oldest = reach.lowerBound
            nanoseconds =
                number > .zero
                ? try? await history.entries(in: number...number).first?.nanosecondsSince1970 : nil
        }

        var isLive: Bool { at == nil }

        /// The state that the page shows.
        func snapshot(in history: any InspectedHistory, withViews: Bool = false) async throws -> Snapshot {
            if let current { return current }
            return try await history.snapshot(at: number, withViews: withViews)
        }

        /// The bar that goes through history: earlier, later, the newest, anywhere.
        func scrubber(_ address: Address) -> Markup {
            let previous = number > oldest ? "\(number.rawValue - 1)" : nil
            let next = number < newest ? "\(number.rawValue + 1)" : nil
            func step(_ target: String?, _ words: String, _ sign: String, _ key: String) -> Markup {
                guard let target else {
                    return #"<span class="button" aria-disabled="true" aria-label="\#(words)">\#(sign)</span>"#
                }
                let link = address.with("at", target).text
                return #"<a class="button" data-step="\#(key)" href="\#(link)" aria-label="\#(words)">\#(sign)</a>"#
            }
            let time: Markup = nanoseconds.map { Pieces.time($0) } ?? (number == .zero ? "the empty database" : "")
            let live: Markup =
                isLive
                ? #"<span class="button live" aria-current="true">Live</span>"#
                : #"<a class="button" href="\#(address.with("at", nil).text)">Live</a>"#
            return """
                <form class="scrubber" id="scrubber" method="get" action="\(address.encodedPath)" aria-label="Commit shown">
                \(address.hiddenFields(without: ["at"]))
                <div class="steps"><span class="links">\
                \(step(previous, "Previous commit", "‹", "previous"))\(step(next, "Next commit", "›", "next"))\(live)</span>\
                <button class="button play" type="button" hidden aria-pressed="false">Play</button>\
                <label class="speed" hidden>Speed <select><option value="1">1×<option value="10">10×<option value="100" \
                selected>100×<option value="1000">1000×<option value="0">max</select></label></div>
                <input type="range" name="at" aria-label="Commit" min="\(oldest)" max="\(newest)" value="\(number)">
                <p class="moment"><a href="\(Address.commit(number).text)">commit <b>\(number)</b></a> \(time)</p>
                <noscript><button class="button">Show</button></noscript>
                </form>
                """
        }
    }
#endif
