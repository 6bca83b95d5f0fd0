#if Inspector
    import Yaprak
    import YaprakCBOR
    import YaprakReplay

    /// A value as a tree: maps and arrays can be folded, each field says which commit set it.
    struct ValueTree {
        private static let levelMax = 24
        private static let itemsMax = 200
        /// Lines in all, so that a large value is a page and not a hundred megabytes.
        private static let linesMax = 2000

        let setters: FieldSetters

        func markup(of value: CBORValue, at place: FieldSetters.Place) -> Markup {
            var lines = Self.linesMax
            switch value {
            case .map, .array:
                return #"<ul class="tree">\#(items(of: value, place, 0, &lines))</ul>"#
            default:
                return #"<p class="whole">\#(Pieces.value(value, max: Pieces.valueMax)) \#(setter(of: place))</p>"#
            }
        }

        private func items(
            of value: CBORValue, _ place: FieldSetters.Place, _ level: Int, _ lines: inout Int
        ) -> Markup {
            let fields: [(name: String, step: FieldPath.Step, value: CBORValue)]
            let count: Int
            switch value {
            case .map(let pairs):
                count = pairs.count
                fields = pairs.prefix(Self.itemsMax).map { pair in
                    (Pieces.words(pair.key, 120), .key(pair.key), pair.value)
                }
            case .array(let items):
                count = items.count
                fields = items.prefix(Self.itemsMax).enumerated().map { ("\($0)", .place($0), $1) }
            default: return ""
            }
            var out: Markup = ""
            for field in fields {
                guard lines > 0 else { break }
                lines -= 1
                out += line(field.name, field.value, setters.part(field.step, of: place), level, &lines)
            }
            if count > fields.count || lines <= 0 {
                out += #"<li class="note">There is more. The API has the whole value.</li>"#
            }
            return out
        }

        private func line(
            _ name: String, _ value: CBORValue, _ place: FieldSetters.Place, _ level: Int, _ lines: inout Int
        ) -> Markup {
            let name: Markup = #"<span class="name">\#(name)</span>"#
            var count: Int?
            switch value {
            case .map(let pairs): count = pairs.count
            case .array(let items): count = items.count
            default: break
            }
            guard let count, count > 0, level < Self.levelMax else {
                return "<li>\(name) \(Pieces.value(value, max: 2000)) \(setter(of: place))</li>"
            }
            let isMap = value.map != nil
            let summary: Markup = #"<span class="note">\#(isMap ? "{\(count)}" : "[\(count)]")</span>"#
            return """
                <li><details open><summary>\(name) \(summary)</summary><ul>\(items(of: value, place, level + 1, &lines))</ul>\
                </details></li>
                """
        }

        private func setter(of place: FieldSetters.Place) -> Markup {
            guard let setter = place.setter else { return "" }
            let origin = setter.origin.isEmpty ? "" : " · " + Pieces.cut(setter.origin, 40)
            return #"<span class="setter">set by \#(Pieces.commit(setter.number))\#(origin)</span>"#
        }
    }
#endif
