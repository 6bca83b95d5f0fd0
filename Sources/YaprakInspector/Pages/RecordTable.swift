#if Inspector
    import Yaprak
    import YaprakCBOR
    import YaprakReplay

    /// Records as a table: a column for each field that the records of the page have.
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
            let objects = records.map(\.object)
            let fields = Self.fields(of: objects, always: sort)
            let numbers = Set(fields.filter { field in Self.isNumeric(field, objects) })
            let hasMetadata = records.contains { $0.metadata != nil }
            let hasOther = fields.isEmpty || objects.contains { $0.map == nil }
            let head =
                [header("Key", nil, false)] + fields.map { header($0, $0, numbers.contains($0)) }
                + (hasOther ? [#"<th scope="col">Value</th>"#] : [])
                + (hasMetadata ? [#"<th scope="col">Metadata</th>"#] : [])
            let rows = zip(records, objects).map { record, object -> Markup in
                let pairs = Dictionary(
                    (object.map ?? []).compactMap { pair in pair.key.text.map { ($0, pair.value) } },
                    uniquingKeysWith: { first, _ in first })
                let cells = fields.map { field -> Markup in
                    let value = pairs[field]
                    let isNumber: Markup = numbers.contains(field) ? #" class="number""# : ""
                    return "<td\(isNumber)>\(value.map { Pieces.value($0, max: 80) })</td>"
                }
                let other: Markup =
                    hasOther ? "<td>\(object.map == nil ? Pieces.value(object) : "" as Markup)</td>" : ""
                let metadata: Markup = hasMetadata ? "<td>\(record.metadata.map { Pieces.value($0) })</td>" : ""
                return """
                    <tr data-key="\(record.key)"><th scope="row">\(Pieces.record(record.key, in: collection, at: at))</th>\
                    \(cells)\(other)\(metadata)</tr>
                    """
            }
            return """
                <div class="scroll"><table class="records"><thead><tr>\(head)</tr></thead><tbody>\(rows)</tbody></table></div>
                """
        }

        /// The names of the fields that most records have, and of one that is wanted; those of maps whose keys are text.
        private static func fields(of objects: [CBORValue], always wanted: String?) -> [String] {
            var counts: [String: Int] = [:], names: [String] = []
            for object in objects {
                for pair in (object.map ?? []).prefix(200) {
                    guard let name = pair.key.text, !name.isEmpty, name.utf8.count <= 60 else { continue }
                    if counts.updateValue((counts[name] ?? 0) + 1, forKey: name) == nil { names.append(name) }
                }
            }
            let kept = Set(names.sorted { (counts[$0] ?? 0) > (counts[$1] ?? 0) }.prefix(columnsMax))
            return names.filter { kept.contains($0) || RecordsQuestion.sort(ofField: $0) == wanted }
        }

        /// Whether a field has numbers and nothing else.
        private static func isNumeric(_ field: String, _ objects: [CBORValue]) -> Bool {
            let values = objects.compactMap { $0[field] }.filter { !$0.isNull }
            return !values.isEmpty
                && values.allSatisfy {
                    switch $0 {
                    case .unsigned, .negative, .float: true
                    default: false
                    }
                }
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
