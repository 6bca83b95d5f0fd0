import ToolSupport
import YaprakCBOR

/// A column of CSV: which field of a record its cells are.
///
///     address.city      the field city of the field address
///     ["a.b"]           the field a.b
///     .                 the object itself, if it has no fields
struct CSVColumn {
    /// The keys that lead to the field, at least one.
    let path: [CBORValue]

    /// - Throws: ``InputError`` for a name that can't be read. - Complexity: O(length).
    init(_ name: String) throws(InputError) {
        guard !name.isEmpty else { throw InputError("a column has no name") }
        if name == "." {
            path = [.text(name)]
            return
        }
        // By scalars: a combining mark may follow a dot or a bracket.
        var path: [CBORValue] = [], rest = Substring(name).unicodeScalars
        while !rest.isEmpty {
            guard path.count < CBORItem.depthMax else {
                throw InputError("a column is nested too deep: \(CBORItem.depthMax) levels are allowed")
            }
            if rest.first == "[" {
                guard let (key, end) = Self.bracketed(rest) else {
                    // A name of another program's, taken as it is.
                    self.path = [.text(name)]
                    return
                }
                path.append(key)
                rest = rest[end...]
            } else {
                let end = rest.firstIndex { $0 == "." || $0 == "[" } ?? rest.endIndex
                path.append(.text(String(rest[..<end])))
                rest = rest[end...]
            }
            if rest.first == ".", !rest.dropFirst().isEmpty {
                rest = rest.dropFirst()
            } else if !rest.isEmpty, rest.first != "[" {
                self.path = [.text(name)]
                return
            }
        }
        self.path = path
    }

    /// A key in brackets, in JSON, and where it ends: at the first bracket that belongs to no text and no container of the key.
    private static func bracketed(_ text: Substring.UnicodeScalarView) -> (CBORValue, Substring.Index)? {
        let start = text.index(after: text.startIndex)
        var depth = 0, isText = false, isEscaped = false
        for end in text[start...].indices {
            let scalar = text[end]
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if scalar == "\\" {
                    isEscaped = true
                } else if scalar == "\"" {
                    isText = false
                }
                continue
            }
            switch scalar {
            case "\"": isText = true
            case "{", "[": depth += 1
            case "]" where depth == 0:
                return (try? CBORValue(json: String(text[start..<end]))).map { ($0, text.index(after: end)) }
            case "}", "]": depth -= 1
            default: break
            }
        }
        return nil
    }
}
