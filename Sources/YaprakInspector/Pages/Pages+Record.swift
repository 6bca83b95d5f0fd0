#if Inspector
    import Yaprak
    import YaprakCBOR
    import YaprakReplay

    extension Pages {
        /// A record as of a commit: its value as a tree with who set each field, and its history as a strip.
        ///
        /// Where the files of the history can't be read, the value is there without it.
        ///
        /// - Returns: the page, and whether the history was read to its end.
        func record(_ request: Request) async throws -> (markup: Markup, isWhole: Bool) {
            let collection = try request.required("collection"), key = try request.requiredText("key").normalizedKey
            let moment = try await Moment(request, in: history)
            let address = Address(request, keeping: ["collection", "key", "at"])
            let snapshot = try await moment.snapshot(in: history)
            let record = snapshot.untyped(collection)[key]
            let read = try await found {
                try await history.revisions(ofKey: key, in: collection, until: .now + Self.patience)
            }
            let past: Revisions, failure: Markup?
            switch read {
            case .success(let revisions): (past, failure) = (revisions, nil)
            case .failure(let error): (past, failure) = (Revisions(), Pieces.failure(error))
            }
            let (contents, changes) = try await working { cancellation in
                (
                    try value(record, past, moment, checking: cancellation.check),
                    try failure ?? revisions(past, checking: cancellation.check)
                )
            }
            let page = shell.page(
                Pieces.name(key, 60), active: "/collections", moment: moment, address: address,
                """
                <p class="path"><a href="\(Address.collection(collection, at: moment.at).text)">\
                \(Pieces.cut(collection, 80))</a></p>
                <h1>\(Pieces.name(key, 200))</h1>
                \(strip(past, moment, address))
                \(contents)
                <h2>History</h2>
                \(changes)
                \(history.path == nil ? nil : Pieces.commands([(
                    "In a terminal",
                    getCommand(collection, key, moment.number))]))
                """)
            return (page, failure == nil && !past.isLate)
        }

        /// The value as a tree, with who set its fields as far as that was read.
        private func value(
            _ record: ReplayRecord?, _ past: Revisions, _ moment: Moment, checking check: () throws -> Void
        ) throws -> Markup {
            guard let record else {
                return #"<p class="note">There is no such record at commit \#(moment.number).</p>"#
            }
            // A field may have been set again by what was not read.
            let isKnown = past.isKnown(through: moment.number)
            let known = isKnown ? past.revisions.filter { $0.number <= moment.number } : []
            let setters = try FieldSetters(known, checking: check)
            let metadata = try record.metadata.map { value -> Markup in
                let setters = try FieldSetters(known, of: { $0.metadata }, checking: check)
                return "<h2>Metadata</h2>\(ValueTree(setters: setters).markup(of: value, at: setters.whole))"
            }
            let note: Markup?
            if !isKnown {
                note = """
                    <p class="note">Which commit set each field is not known: the history up to commit \
                    \(moment.number) was not read in time.</p>
                    """
            } else if past.omitted > 0, let first = past.revisions.first {
                note = """
                    <p class="note">Of fields without a commit it is not known which one set them: what happened to \
                    this record before commit \(first.number) is not kept.</p>
                    """
            } else {
                note = nil
            }
            return """
                \(ValueTree(setters: setters).markup(of: record.object, at: setters.whole))\(metadata)\(note)
                """
        }

        private func getCommand(_ collection: String, _ key: String, _ number: CommitNumber) -> String {
            let words = "\(Pieces.shellWord(collection)) \(Pieces.shellWord(key))"
            // What begins with a dash is an option, unless all that are have been.
            return collection.hasPrefix("-") || key.hasPrefix("-")
                ? "yaprak get \(databaseWord) --at \(number) -- \(words)"
                : "yaprak get \(databaseWord) \(words) --at \(number)"
        }

        /// The commits that changed the record, from the first to the last: each is a link to the record as of then.
        private func strip(_ past: Revisions, _ moment: Moment, _ address: Address) -> Markup {
            guard !past.revisions.isEmpty else { return "" }
            let shown = past.revisions.suffix(200)
            let now = shown.last { $0.number <= moment.number }?.number
            let marks = shown.map { revision -> Markup in
                let kind = revision.after == nil ? "removed" : revision.before == nil ? "inserted" : "changed"
                let current: Markup = revision.number == now ? #" aria-current="true""# : ""
                return """
                    <li><a class="\(kind)"\(current) href="\(address.with("at", "\(revision.number)").text)" \
                    title="\(kind) by commit \(revision.number), \(Amount.time(revision.nanosecondsSince1970))">\
                    \(revision.number)</a></li>
                    """
            }
            return #"<ol class="strip" aria-label="Commits that changed this record">\#(marks)</ol>"#
        }

        private func revisions(_ past: Revisions, checking check: () throws -> Void) throws -> Markup {
            let shown = past.revisions.suffix(100).reversed()
            let note: Markup? =
                past.isLate
                ? #"<p class="note">The log is long: what came after these commits was not read in time.</p>"# : nil
            guard !shown.isEmpty else {
                if let note { return note }
                return #"<p class="note">No known commit concerns this record.</p>"#
            }
            let rows = try shown.map { revision -> Markup in
                try check()
                let fields = FieldChanges(from: revision.before, to: revision.after)
                let words: Markup =
                    revision.after == nil
                    ? #"<span class="kind removed">− removed</span>"#
                    : revision.before == nil
                        ? #"<span class="kind inserted">+ inserted</span>"#
                        : Markup(
                            joining: fields.prefix(6).map {
                                """
                                <span class="field">\(Pieces.path($0.field, 40, whole: "value")) \
                                \(Pieces.value($0.before, max: 40)) → \(Pieces.value($0.after, max: 40))</span>
                                """
                            })
                return """
                    <tr><td class="number">\(Pieces.commit(revision.number))</td>\
                    <td>\(Pieces.time(revision.nanosecondsSince1970))</td>\
                    <td>\(Pieces.cut(revision.origin, 40))</td><td>\(words)</td></tr>
                    """
            }
            let count = past.revisions.count + past.omitted
            let rest: Markup? =
                count > shown.count
                ? """
                <p class="note">The \(past.isLate ? "last" : "newest") \(shown.count) of \(Amount.count(count)) commits\
                \(past.isLate ? " that were read" : ""). The API has the \(past.isLate ? "last" : "newest") \
                \(Amount.count(past.revisions.count)).</p>
                """ : nil
            return """
                <div class="scroll"><table><thead><tr><th scope="col" class="number">Commit</th><th scope="col">Time (UTC)</th>\
                <th scope="col">Origin</th><th scope="col">What happened</th></tr></thead><tbody>\(rows)</tbody></table></div>\
                \(rest)\(note)
                """
        }
    }

    /// Which commit set each field of a record's object last, or each of its metadata.
    ///
    /// As a tree, so that each step of a path is hashed once, however many fields are below it. Of what is under a key that is
    /// long, or deep, nothing is known: to hash it takes long, and there may be many.
    struct FieldSetters {
        /// A field, or what is in the place of one that nobody set.
        struct Place {
            fileprivate var node: Int?
            /// The last of the commits that set the field, or something that it is a part of.
            fileprivate(set) var setter: Revisions.Revision?
        }

        private struct Node {
            var setter: Revisions.Revision?
            var parts: [FieldPath.Step: Int] = [:]
        }

        private static let keyBytesMax = 1024
        private var nodes = [Node()]
        // Fields of one container come together: its path is followed once.
        private var noted: (container: FieldPath, node: Int?) = (FieldPath(), 0)

        /// From what happened to the record, oldest first. O(size of all revisions).
        ///
        /// - Parameters:
        ///   - part: whose fields these are: the object, unless it is the metadata.
        ///   - check: is called before each revision, and now and then; what it throws ends the reading.
        init(
            _ revisions: [Revisions.Revision], of part: (ReplayRecord) -> CBORValue? = { $0.object },
            checking check: () throws -> Void
        ) throws {
            for revision in revisions {
                try check()
                let changes = FieldChanges(from: revision.before.flatMap(part), to: revision.after.flatMap(part))
                for (index, change) in changes.enumerated() {
                    if index % 1024 == 1023 { try check() }
                    // What is set as a whole sets its parts.
                    if let node = node(of: change.field) { nodes[node].setter = revision }
                }
            }
        }

        /// The node of a field, which is made if there is none; `nil` below a key of which nothing is known.
        private mutating func node(of field: FieldPath) -> Int? {
            guard let (container, step) = field.lastStep else { return 0 }
            if container == noted.container {
                // Those that follow in this revision have the same object, and are not compared step by step.
                noted.container = container
            } else {
                let steps = container.steps
                var node: Int? = steps.contains(where: Self.isLong) ? nil : 0
                for step in steps { node = node.map { part(step, of: $0) } }
                noted = (container, node)
            }
            guard let node = noted.node, !Self.isLong(step) else { return nil }
            return part(step, of: node)
        }

        private mutating func part(_ step: FieldPath.Step, of node: Int) -> Int {
            if let part = nodes[node].parts[step] { return part }
            nodes[node].parts[step] = nodes.count
            nodes.append(Node())
            return nodes.count - 1
        }

        /// The whole object, or the whole metadata.
        var whole: Place { Place(node: 0, setter: nodes[0].setter) }

        /// A part of a field. O(length of the key), of which a page has no more than a kilobyte.
        func part(_ step: FieldPath.Step, of place: Place) -> Place {
            if Self.isLong(step) { return Place() }
            guard let node = place.node.flatMap({ nodes[$0].parts[step] }) else {
                return Place(node: nil, setter: place.setter)
            }
            let own = nodes[node].setter
            let isLater = place.setter.map { whole in own.map { whole.number < $0.number } ?? false } ?? true
            return Place(node: node, setter: isLater ? own : place.setter)
        }

        private static func isLong(_ step: FieldPath.Step) -> Bool {
            guard case .key(let key) = step else { return false }
            var room = keyBytesMax
            return !fits(key, &room, levels: 64)
        }

        /// Whether a key is no longer than there is room, and no deeper than so many levels. O(*room*).
        private static func fits(_ key: CBORValue, _ room: inout Int, levels: Int) -> Bool {
            switch key {
            case .text(let text): room -= max(1, text.utf8.count)
            case .bytes(let bytes): room -= max(1, bytes.count)
            default: room -= 1
            }
            if room < 0 || levels == 0 { return false }
            switch key {
            case .array(let items):
                return items.allSatisfy { fits($0, &room, levels: levels - 1) }
            case .map(let pairs):
                return pairs.allSatisfy { pair in
                    fits(pair.key, &room, levels: levels - 1) && fits(pair.value, &room, levels: levels - 1)
                }
            case .tag(_, let inner): return fits(inner, &room, levels: levels - 1)
            default: return true
            }
        }
    }
#endif
