#if Inspector
    import Yaprak
    import YaprakCBOR
    import YaprakReplay

    /// Records as a table: a column for each field that the records of the page have.
    ///
    /// Decodes them one by one, twice: a record may be large, and a page has many.
    struct RecordTable {
        private static let columnsMax = 12

        let records: [ReplayRecord]
        let collection: String
        let sort: String?
        let order: String
        let address: Address
        let at: String?

        var markup: Markup {
            guard !records.isEmpty else { return #"<p class="note">No record.</p>"# }
            let fields = Self.fields(of: records, always: sort)
            var kinds = Kinds()
            let rows = records.map { row(of: $0, fields, &kinds) }
            let numbers = Set(fields.filter(kinds.isNumeric))
            let hasMetadata = records.contains { $0.metadataBytes != nil }
            let hasOther = fields.isEmpty || kinds.hasOther
            let head =
                [header("Key", nil, false)] + fields.map { header($0, $0, numbers.contains($0)) }
                + (hasOther ? [#"<th scope="col">Value</th>"#] : [])
                + (hasMetadata ? [#"<th scope="col">Metadata</th>"#] : [])
            let lines = zip(records, rows).map { record, row -> Markup in
                let cells = zip(fields, row.cells).map { field, cell -> Markup in
                    let isNumber: Markup = numbers.contains(field) ? #" class="number""# : ""
                    return "<td\(isNumber)>\(cell)</td>"
                }
                let other: Markup = hasOther ? "<td>\(row.whole)</td>" : ""
                let metadata: Markup = hasMetadata ? "<td>\(row.metadata)</td>" : ""
                return """
                    <tr data-key="\(record.key)"><th scope="row">\(Pieces.record(record.key, in: collection, at: at))</th>\
                    \(cells)\(other)\(metadata)</tr>
                    """
            }
            return """
                <div class="scroll"><table class="records"><thead><tr>\(head)</tr></thead><tbody>\(lines)</tbody></table></div>
                """
        }

        /// What a record is in the table.
        private struct Row {
            let cells: [Markup?]
            /// Its object, where that is no map.
            let whole: Markup?
            let metadata: Markup?
        }

        /// Of which kinds the values of the fields are.
        private struct Kinds {
            private var numeric: Set<String> = []
            private var others: Set<String> = []
            /// Whether an object is no map.
            var hasOther = false

            mutating func note(_ value: CBORValue, of field: String) {
                switch value {
                case .unsigned, .negative, .float: numeric.insert(field)
                case .null, .undefined: break
                default: others.insert(field)
                }
            }

            /// Whether a field has numbers and nothing else.
            func isNumeric(_ field: String) -> Bool { numeric.contains(field) && !others.contains(field) }
        }

        private func row(of record: ReplayRecord, _ fields: [String], _ kinds: inout Kinds) -> Row {
            let object = record.object
            var values: [String: CBORValue] = [:]
            for pair in object.map ?? [] {
                guard let name = pair.key.text, values[name] == nil, fields.contains(name) else { continue }
                values[name] = pair.value
                kinds.note(pair.value, of: name)
            }
            if object.map == nil { kinds.hasOther = true }
            return Row(
                cells: fields.map { field in values[field].map { Pieces.value($0, max: 80) } },
                whole: object.map == nil ? Pieces.value(object) : nil,
                metadata: record.metadata.map { Pieces.value($0) })
        }

        /// The names of the fields that most records have, and of one that is wanted; those of maps whose keys are text.
        private static func fields(of records: [ReplayRecord], always wanted: String?) -> [String] {
            var counts: [String: Int] = [:], names: [String] = []
            for record in records {
                for pair in (record.object.map ?? []).prefix(200) {
                    guard let name = pair.key.text, !name.isEmpty, name.utf8.count <= 60 else { continue }
                    if counts.updateValue((counts[name] ?? 0) + 1, forKey: name) == nil { names.append(name) }
                }
            }
            let kept = Set(names.sorted { (counts[$0] ?? 0) > (counts[$1] ?? 0) }.prefix(columnsMax))
            return names.filter { kept.contains($0) || RecordsQuestion.sort(ofField: $0) == wanted }
        }

        private func header(_ words: String, _ field: String?, _ isNumber: Bool) -> Markup {
            let field = field.map(RecordsQuestion.sort(ofField:))
            let isSorted = sort == field
            let turned = isSorted && order == "ascending" ? "descending" : nil
            let target = address.with("sort", field).with("order", turned).with("page", nil)
            let state: Markup = isSorted ? #" aria-sort="\#(order)""# : ""
            let sign = isSorted ? (order == "ascending" ? " ↑" : " ↓") : ""
            let kind: Markup = isNumber ? #" class="number""# : ""
            return #"<th scope="col"\#(kind)\#(state)><a href="\#(target.text)">\#(words)\#(sign)</a></th>"#
        }
    }
#endif
