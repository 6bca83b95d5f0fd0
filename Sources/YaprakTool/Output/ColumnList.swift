import YaprakCBOR

/// The names of columns in one text, separated by commas, as a table has them for heads.
///
///     $key,size.w,["a.b"],["c,d"]
///
/// A comma within brackets is part of a name: there a key stands in JSON.
enum ColumnList {
    /// The names, each with the spaces around it. O(length).
    static func names(_ list: String) -> [String] {
        var names: [String] = [], name = String.UnicodeScalarView()
        var depth = 0, isText = false, isEscaped = false
        // By scalars: a combining mark may follow a comma or a bracket.
        for scalar in list.unicodeScalars {
            if isText {
                if !isEscaped, scalar == "\"" { isText = false }
                isEscaped = !isEscaped && scalar == "\\"
            } else if depth > 0, scalar == "\"" {
                isText = true
            } else if scalar == "[" || depth > 0 && scalar == "{" {
                depth += 1
            } else if depth > 0, scalar == "]" || scalar == "}" {
                depth -= 1
            } else if depth == 0, scalar == "," {
                names.append(String(name))
                name = .init()
                continue
            }
            name.append(scalar)
        }
        return (names + [String(name)]).filter { !trimmed($0).isEmpty }
    }

    /// A name without the spaces around it.
    static func trimmed(_ name: String) -> String {
        let start = name.drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
