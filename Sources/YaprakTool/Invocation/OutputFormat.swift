import ArgumentParser

/// The form in which data is printed.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
    case table, json, ndjson, csv, markdown

    /// Whether the arguments ask for JSON, also if they don't parse.
    static func wantsJSON(_ arguments: [String]) -> Bool {
        for (index, argument) in arguments.enumerated() {
            if argument == "--format=json" || argument == "--format=ndjson" { return true }
            if argument == "--format", index + 1 < arguments.count {
                return ["json", "ndjson"].contains(arguments[index + 1])
            }
        }
        return false
    }
}
