#if Inspector
    import Yaprak
    import YaprakCBOR
    import YaprakReplay

    /// Pieces of HTML that several pages use.
    enum Pieces {
        /// How many characters of a value a cell shows.
        static let cellMax = 160
        /// How many characters of one value the page of a record shows.
        static let valueMax = 20_000

        /// A value in a line; what is longer is cut, and says so.
        static func value(_ value: CBORValue?, max most: Int = cellMax) -> Markup {
            guard let value else { return #"<span class="absent">none</span>"# }
            let kind =
                switch value {
                case .text: "text"
                case .unsigned, .negative, .float: "number"
                case .bool: "bool"
                case .null, .undefined: "null"
                default: "other"
                }
            return #"<code class="value \#(kind)">\#(words(value, most))</code>"#
        }

        /// A value in brief: the fields of a map, without its signs.
        static func brief(_ value: CBORValue) -> Markup {
            guard let pairs = value.map, !pairs.isEmpty else { return Pieces.value(value, max: 90) }
            return Markup(
                joining: pairs.prefix(6).map { pair -> Markup in
                    #"<span class="field">\#(words(pair.key, 20)) <b>\#(words(pair.value, 40))</b></span>"#
                })
        }

        /// Text of at most so many characters, and eight times as many bytes: a character may have any number of them.
        ///
        /// - Complexity: O(most).
        static func cut(_ text: String, _ most: Int) -> String {
            guard text.utf8.count > most else { return text }
            var limit = text.utf8.index(text.startIndex, offsetBy: 8 * most, limitedBy: text.endIndex) ?? text.endIndex
            while limit.samePosition(in: text.unicodeScalars) == nil { limit = text.utf8.index(before: limit) }
            let part = text[..<limit]
            let end = part.index(part.startIndex, offsetBy: most, limitedBy: limit) ?? limit
            return end < text.endIndex ? text[..<end] + "…" : text
        }

        /// A key, or the name of a group, as it is shown: an empty one in words.
        static func name(_ text: String, _ most: Int) -> String { text.isEmpty ? "(empty)" : cut(text, most) }

        /// A value in words, cut after so many characters.
        static func words(_ value: CBORValue, _ most: Int) -> String {
            if let text = value.text { return cut(text, most) }
            var room = most
            let shown = cut(value.beginning(&room).diagnostic(), most)
            return room < 0 && !shown.hasSuffix("…") ? shown + "…" : shown
        }

        /// Where a field is, cut after so many characters. A long key is written out no further: it may have many megabytes.
        ///
        /// - Parameter whole: the words for the value as a whole.
        static func path(_ path: FieldPath, _ most: Int, whole: String) -> String {
            if path.steps.isEmpty { return whole }
            // The first step has no dot before it.
            var room = most + 1
            var steps: [FieldPath.Step] = []
            for step in path.steps {
                if room < 0 { break }
                switch step {
                case .place:
                    steps.append(step)
                    room -= 3
                case .key(.text(let text)) where text.utf8.count <= 8 * most:
                    steps.append(step)
                    room -= text.count + 1
                case .key(let key): steps.append(.key(key.beginning(&room)))
                }
            }
            let shown = cut(FieldPath(steps).description, most)
            return room < 0 && !shown.hasSuffix("…") ? shown + "…" : shown
        }

        /// How many more there are than are shown, as a link to where they are.
        static func rest(of count: Int, _ most: Int, _ address: Address? = nil) -> Markup? {
            guard count > most else { return nil }
            let words: Markup = "and \(Amount.count(count - most)) more"
            guard let address else { return words }
            return #"<a href="\#(address.text)">\#(words)</a> "#
        }

        /// Why something is not shown.
        static func failure(_ error: any Error) -> Markup {
            #"<p class="note" role="status">\#(sentence(Refusal(error).message))</p>"#
        }

        /// A sentence; what stands between backticks in it is a command or a name of the program.
        static func sentence(_ text: String) -> Markup {
            let parts = text.split(separator: "`", omittingEmptySubsequences: false)
            guard parts.count % 2 == 1 else { return "\(text)" }
            return Markup(
                joining: parts.enumerated().map { index, part -> Markup in
                    index % 2 == 0 ? "\(String(part))" : "<code>\(String(part))</code>"
                })
        }

        /// A time, short, with the exact one at hand.
        static func time(_ nanoseconds: Int64) -> Markup {
            let exact = ISOTime.text(nanoseconds)
            return #"<time datetime="\#(exact)" title="\#(exact)">\#(Amount.time(nanoseconds))</time>"#
        }

        static func commit(_ number: CommitNumber) -> Markup {
            #"<a class="commit" href="\#(Address.commit(number).text)">\#(number)</a>"#
        }

        static func record(_ key: String, in collection: String, at: String?) -> Markup {
            #"<a class="key" href="\#(Address.record(key, in: collection, at: at).text)">\#(name(key, 80))</a>"#
        }

        /// What happened to a record, in a word and a sign.
        static func kinds(_ change: ReplayChange) -> Markup {
            switch (change.before, change.after) {
            case (nil, _): #"<span class="kind inserted">+ inserted</span>"#
            case (_, nil): #"<span class="kind removed">− removed</span>"#
            default: #"<span class="kind changed">~ changed</span>"#
            }
        }

        /// The changes of a commit, or between two: a block for each record.
        ///
        /// - Parameter check: is called before each; what it throws ends the work.
        static func changes(
            _ changes: some Collection<ReplayChange>, at: String?,
            headings: (before: String, after: String) = ("Before", "After"), checking check: () throws -> Void
        ) throws -> Markup {
            var out: Markup = "", collection: String?
            for change in changes {
                try check()
                let name = change.collectionName
                if name != collection {
                    collection = name
                    let link = Address.collection(name, at: at).text
                    out += #"<h2><a href="\#(link)">\#(name)</a></h2>"#
                }
                let fields = try fields(change, headings, checking: check)
                out += """
                    <section class="change"><h3>\(kinds(change)) \(record(change.key, in: name, at: at))</h3>
                    \(fields)</section>
                    """
            }
            return out
        }

        /// How many fields of a record are shown.
        private static let fieldsMax = 100

        private static func fields(
            _ change: ReplayChange, _ headings: (before: String, after: String), checking check: () throws -> Void
        ) throws -> Markup {
            if change.before == nil || change.after == nil {
                guard let record = change.after ?? change.before else { return "" }
                let metadata: Markup? = record.metadata.map { "<p>metadata \(value($0, max: 400))</p>" }
                return "<p>\(value(record.object, max: 600))</p>\(metadata)"
            }
            // Those that are not shown are counted, and not kept: there may be millions.
            var rows: Markup = "", count = 0
            for field in FieldChanges(from: change.before, to: change.after) {
                count += 1
                if count.isMultiple(of: 1024) { try check() }
                guard count <= fieldsMax else { continue }
                rows += """
                    <tr><th scope="row">\(path(field.field, 120, whole: "(whole value)"))</th>\
                    <td class="before">\(value(field.before))</td><td class="after">\(value(field.after))</td></tr>
                    """
            }
            if count == 0 { return #"<p class="note">Written or touched; no field differs.</p>"# }
            let rest: Markup? =
                count > fieldsMax ? #"<p class="note">\#(count - fieldsMax) more fields differ.</p>"# : nil
            return """
                <div class="scroll"><table class="fields"><thead><tr><th scope="col">Field</th>\
                <th scope="col">\(headings.before)</th><th scope="col">\(headings.after)</th></tr></thead><tbody>\(rows)</tbody></table></div>\(rest)
                """
        }

        /// Links to the pages of a long list.
        static func paging(_ address: Address, page: Int, pageSize: Int, count: Int) -> Markup {
            guard count > pageSize else { return "" }
            let last = (count - 1) / pageSize
            func link(_ target: Int, _ words: String, _ isThere: Bool) -> Markup {
                guard isThere else { return #"<span class="button" aria-disabled="true">\#(words)</span>"# }
                return
                    #"<a class="button" href="\#(address.with("page", target == 0 ? nil : "\(target)").text)">\#(words)</a>"#
            }
            let first = min(count, page * pageSize + 1), end = min(count, (page + 1) * pageSize)
            return """
                <nav class="paging" aria-label="Pages of the list">\(link(0, "First", page > 0))\(
                    link(page - 1, "Back", page > 0))<span>\(Amount.count(first)) to \(Amount.count(end)) of \(
                    Amount.count(count))</span>\(link(page + 1, "Next", page < last))\(link(last, "Last", page < last))</nav>
                """
        }

        /// An expression that is none, with a mark under the place.
        static func expressionError(_ error: ReplayExpressionError, id: String) -> Markup {
            let lead = error.source.prefix(error.offset).map { $0 == "\t" ? "\t" : " " }.joined()
            return """
                <div class="error" role="alert" id="\(id)"><pre aria-hidden="true">\(cut(error.source, 500))
                \(cut(lead, 500))^</pre><p>\(error.description)</p></div>
                """
        }

        /// Commands for a terminal.
        static func commands(_ commands: [(String, String)]) -> Markup {
            let items = commands.map { words, command -> Markup in
                "<dt>\(words)</dt><dd><code>\(command)</code></dd>"
            }
            return #"<dl class="commands">\#(items)</dl>"#
        }

        /// An option with a value, which may begin with a dash.
        static func shellOption(_ name: String, _ value: String) -> String {
            name + (value.hasPrefix("-") ? "=" : " ") + shellWord(value)
        }

        /// A word of a shell. Signs that can't be seen, or would not be copied, are written as bash, zsh and ksh read them.
        static func shellWord(_ text: String) -> String {
            if text.unicodeScalars.contains(where: Markup.isShownAsCode) {
                return "$'"
                    + text.unicodeScalars.map { scalar in
                        switch scalar {
                        case "'", "\\": "\\" + String(scalar)
                        case _ where Markup.isShownAsCode(scalar):
                            String(scalar).utf8.map { byte in
                                let digits = String(byte, radix: 16)
                                return "\\x" + (digits.count < 2 ? "0" : "") + digits
                            }.joined()
                        default: String(scalar)
                        }
                    }.joined() + "'"
            }
            let isPlain =
                !text.isEmpty
                && text.utf8.allSatisfy {
                    switch $0 {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                        UInt8(ascii: "/"), UInt8(ascii: "@"), UInt8(ascii: ","):
                        true
                    default: false
                    }
                }
            return isPlain ? text : "'" + text.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined() + "'"
        }
    }
#endif
