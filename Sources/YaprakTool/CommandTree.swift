import ArgumentParser
import YaprakCBOR

/// A subcommand as the parser describes it: what it has under it, and its arguments.
struct CommandTree {
    /// An argument: one that stands by its place, an option with a value, or a flag.
    struct Parameter {
        enum Kind: String {
            case positional, option, flag
        }

        /// What its value is.
        enum Value {
            /// One of these.
            case list([String])
            case file, directory
            /// What a function completes.
            case computed
            case anything
        }

        let kind: Kind
        /// `--limit` and `-n`, in the order of their declaration.
        let names: [String]
        let valueName: String
        let value: Value
        let isRepeating: Bool
        let isShown: Bool
    }

    let name: String
    let subcommands: [CommandTree]
    let arguments: [Parameter]

    /// All of the tool. Costs some milliseconds the first time.
    static let yaprak: CommandTree = {
        let description = try? CBORValue(json: YaprakCommand._dumpHelp())
        return CommandTree(description?["command"] ?? .null)
    }()

    /// The arguments that stand by their place, the database too.
    var positionals: [Parameter] { arguments.filter { $0.kind == .positional } }

    /// Which of the words behind its name is the first that stands by its place; `nil` if all are options and their values.
    func firstPositional(in words: ArraySlice<String>) -> Int? {
        var isValue = false, isTerminated = false
        for (place, word) in zip(words.indices, words) {
            if isValue {
                isValue = false
            } else if isTerminated || !word.hasPrefix("-") || word == "-" {
                return place
            } else if word == "--" {
                isTerminated = true
            } else {
                isValue = arguments.contains { $0.kind == .option && $0.names.contains(word) }
            }
        }
        return nil
    }

    private init(_ description: CBORValue) {
        name = description["commandName"]?.string ?? ""
        subcommands = (description["subcommands"]?.elements ?? []).map { CommandTree($0) }
        arguments = (description["arguments"]?.elements ?? []).map { Parameter($0) }
    }
}

extension CommandTree.Parameter {
    fileprivate init(_ description: CBORValue) {
        kind = description["kind"]?.string.flatMap { Kind(rawValue: $0) } ?? .flag
        names = (description["names"]?.elements ?? []).compactMap { name in
            name["name"]?.string.map { (name["kind"]?.string == "long" ? "--" : "-") + $0 }
        }
        valueName = description["valueName"]?.string ?? ""
        isRepeating = description["isRepeating"] == .bool(true)
        isShown = description["shouldDisplay"] != .bool(false)
        let completed = description["completionKind"]
        if let values = completed?["list"]?["values"]?.elements ?? description["allValues"]?.elements {
            value = .list(values.compactMap(\.string))
        } else if completed?["file"] != nil {
            value = .file
        } else if completed?["directory"] != nil {
            value = .directory
        } else {
            value = completed?["custom"] != nil ? .computed : .anything
        }
    }
}

extension CBORValue {
    fileprivate var string: String? { if case .text(let text) = self { text } else { nil } }
    fileprivate var elements: [CBORValue]? { if case .array(let elements) = self { elements } else { nil } }
}
