/// The names of the collections at both ends of a relationship's edges, as one text.
///
///     "people" → "songs"
///
/// Files have it. A quote and a backslash in a name have a backslash before them, so that no two pairs of names make the same
/// text.
enum EdgeEnds {
    static func text(from source: String, to target: String) -> String { quoted(source) + " → " + quoted(target) }

    private static func quoted(_ name: String) -> String {
        var scalars = String.UnicodeScalarView()
        scalars.append("\"")
        for scalar in name.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { scalars.append("\\") }
            scalars.append(scalar)
        }
        scalars.append("\"")
        return String(scalars)
    }
}
