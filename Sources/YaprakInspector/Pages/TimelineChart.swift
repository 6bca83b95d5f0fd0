#if Inspector
    import Yaprak
    import YaprakReplay

    /// The activity of a range as a picture: a bar for the changes of each slice, one below for its commits, marks for tags,
    /// checkpoints and the commit shown. Each slice is a link that zooms into it; a table says the same.
    struct TimelineChart {
        struct Marks {
            let shown: CommitNumber
            let tags: [LogTag]
            let checkpoints: [CommitNumber]
        }

        let range: ClosedRange<CommitNumber>
        let slices: [CommitActivity]
        let byTime: Bool
        let marks: Marks
        let address: Address

        private static let width = 1000.0, changesHeight = 120.0, commitsHeight = 30.0

        var markup: Markup {
            guard let span else { return #"<p class="note">There is no commit in this range.</p>"# }
            return """
                <figure class="timeline" data-first="\(range.lowerBound)" data-last="\(range.upperBound)" \
                data-by="\(byTime ? "time" : "commit")">
                <svg viewBox="0 0 1000 172" preserveAspectRatio="none" aria-hidden="true" focusable="false">
                <g class="checkpoints">\(checkpointMarks(span))</g>
                <g class="slices">\(bars(span))</g>
                <g class="tags">\(tagMarks(span))</g>
                \(shownMark(span))
                <rect class="brush" x="0" y="0" width="0" height="172"/>
                </svg>
                <figcaption><span>\(edge(isFirst: true))</span><span class="legend"><span class="swatch changes"></span>changes \
                <span class="swatch commits"></span>commits <span class="swatch checkpoint"></span>checkpoint\
                \(marks.tags.isEmpty ? nil : #" <span class="swatch tagged"></span>tag"#)\
                \(range.contains(marks.shown) ? #" <span class="swatch shown"></span>shown"# : nil)</span>\
                <span>\(edge(isFirst: false))</span></figcaption>
                \(table)
                </figure>
                """
        }

        /// What stands at the left and at the right end.
        private var span: (low: Double, high: Double)? {
            guard let first = slices.first, let last = slices.last else { return nil }
            if byTime {
                let latest = slices.map(\.latest).max() ?? last.latest
                return (Double(first.earliest), max(Double(latest), Double(first.earliest).nextUp))
            }
            return (Double(range.lowerBound.rawValue), Double(range.upperBound.rawValue + 1))
        }

        private func place(_ value: Double, _ span: (low: Double, high: Double)) -> Double {
            ((value - span.low) / (span.high - span.low) * Self.width * 100).rounded() / 100
        }

        private func bars(_ span: (low: Double, high: Double)) -> [Markup] {
            let changesMax = Double(max(1, slices.map(\.changeCount).max() ?? 1))
            let commitsMax = Double(max(1, slices.map(\.commitCount).max() ?? 1))
            // Slices of time are equally long, so the narrowest distance is their length.
            let sliceWidth = byTime ? Self.width / 120 : 0
            return slices.map { slice in
                let left = place(Double(byTime ? slice.earliest : Int64(clamping: slice.first.rawValue)), span)
                let right =
                    byTime ? min(Self.width, left + sliceWidth) : place(Double(slice.last.rawValue + 1), span)
                let width = max(1, ((right - left) * 100).rounded() / 100 - 0.6)
                let changes = height(Double(slice.changeCount), changesMax, Self.changesHeight)
                let commits = height(Double(slice.commitCount), commitsMax, Self.commitsHeight)
                let target = address.with("from", "\(slice.first)").with("to", "\(slice.last)").with("page", nil)
                return """
                    <a href="\(target.text)" tabindex="-1"><title>\(words(slice))</title>\
                    <rect class="hit" x="\(left)" y="0" width="\(width)" height="172"/>\
                    <rect class="changes" x="\(left)" y="\(Self.changesHeight - changes + 10)" width="\(width)" \
                    height="\(changes)"/>\
                    <rect class="commits" x="\(left)" y="\(Self.changesHeight + 14)" width="\(width)" height="\(commits)"/></a>
                    """
            }
        }

        /// Something is never nothing: a slice with one change among millions is still to be seen.
        private func height(_ count: Double, _ most: Double, _ full: Double) -> Double {
            count == 0 ? 0 : max(2, (count / most * full * 10).rounded() / 10)
        }

        private func words(_ slice: CommitActivity) -> String {
            let commits =
                slice.commitCount == 1
                ? "commit \(slice.first)" : "commits \(slice.first) to \(slice.last)"
            return "\(commits): \(slice.changeCount.counted("change")), \(Amount.time(slice.earliest))"
        }

        // MARK: Marks

        /// Where a commit stands on the axis.
        private func place(of number: CommitNumber, _ span: (low: Double, high: Double)) -> Double? {
            guard range.contains(number) else { return nil }
            if !byTime { return place(Double(number.rawValue) + 0.5, span) }
            guard let slice = slices.first(where: { $0.first <= number && number <= $0.last }) else { return nil }
            return place(Double(slice.earliest), span)
        }

        private func checkpointMarks(_ span: (low: Double, high: Double)) -> [Markup] {
            marks.checkpoints.suffix(200).compactMap { number in
                place(of: number, span).map {
                    #"<path class="checkpoint" d="M\#($0) 164v8"><title>checkpoint of commit \#(number)</title></path>"#
                }
            }
        }

        private func tagMarks(_ span: (low: Double, high: Double)) -> [Markup] {
            marks.tags.prefix(100).compactMap { tag in
                place(of: tag.number, span).map {
                    """
                    <path class="tagmark" d="M\($0) 0v172"><title>\(tag.name.description), commit \(tag.number)</title></path>
                    """ as Markup
                }
            }
        }

        private func shownMark(_ span: (low: Double, high: Double)) -> Markup {
            guard let place = place(of: marks.shown, span) else { return "" }
            return #"<path class="shown" d="M\#(place) 0v172"/>"#
        }

        private func edge(isFirst: Bool) -> Markup {
            guard let slice = isFirst ? slices.first : slices.last else { return "" }
            return """
                <b>\(Amount.count((isFirst ? range.lowerBound : range.upperBound).rawValue))</b> \
                \(Pieces.time(isFirst ? slice.earliest : slice.latest))
                """
        }

        private var table: Markup {
            let rows = slices.map { slice -> Markup in
                let target = address.with("from", "\(slice.first)").with("to", "\(slice.last)").with("page", nil)
                return """
                    <tr><td><a href="\(target.text)">\(slice.first)–\(slice.last)</a></td>\
                    <td>\(Pieces.time(slice.earliest))</td><td class="number">\(Amount.count(slice.commitCount))</td>\
                    <td class="number">\(Amount.count(slice.changeCount))</td></tr>
                    """
            }
            return """
                <details><summary>The same as a table</summary><div class="scroll"><table><thead><tr><th scope="col">Commits</th>\
                <th scope="col">From</th><th scope="col" class="number">Commits</th>\
                <th scope="col" class="number">Changes</th></tr></thead><tbody>\(rows)</tbody></table></div></details>
                """
        }
    }
#endif
