import ArgumentParser
import ToolSupport
import YaprakCBOR

/// How the key of a record is made of its fields.
///
///     --key id                                        the field id
///     --key address.city                              a field of a field, if no field has that whole name
///     --key-template '{carrier}{number}-{origin}'     several
struct KeyRule {
    private enum Part {
        case text(String)
        case field(String)
    }

    private let parts: [Part]

    /// The column that `export` writes keys to. It is no field of the record: with this rule it is taken out of the object,
    /// and so is the metadata.
    static let exported = KeyRule(field: RecordColumns.key)

    init(field: String) { parts = [.field(field)] }

    /// - Throws: `ValidationError` for a template without a field, or with a brace that is not closed. `{{` is a brace.
    init(template: String) throws {
        var parts: [Part] = [], text = "", rest = Substring(template)
        while let character = rest.popFirst() {
            if character == "{" || character == "}", rest.first == character {
                text.append(character)
                rest.removeFirst()
            } else if character == "{" {
                guard let end = rest.firstIndex(of: "}"), end > rest.startIndex else {
                    throw ValidationError("--key-template has a { without a name and a }. Write {{ for a brace")
                }
                if !text.isEmpty { parts.append(.text(text)) }
                text = ""
                parts.append(.field(String(rest[..<end])))
                rest = rest[rest.index(after: end)...]
            } else if character == "}" {
                throw ValidationError("--key-template has a } without a {. Write }} for a brace")
            } else {
                text.append(character)
            }
        }
        if !text.isEmpty { parts.append(.text(text)) }
        guard parts.contains(where: { if case .field = $0 { true } else { false } }) else {
            throw ValidationError("--key-template names no field: all records would have one key")
        }
        self.parts = parts
    }

    /// Whether keys are where `export` writes them.
    var isExported: Bool {
        if case .field(RecordColumns.key)? = parts.first, parts.count == 1 { true } else { false }
    }

    /// The key of an object.
    /// - Throws: what field is missing, or is neither a text nor an integer.
    func key(of object: CBORValue) throws(InputError) -> String {
        var key = ""
        for part in parts {
            switch part {
            case .text(let text): key += text
            case .field(let path):
                guard let value = Self.value(at: path, in: object) else {
                    throw InputError("the object has no field \"\(path)\"\(Self.names(in: object))")
                }
                switch value {
                case .text(let text): key += text
                case .unsigned(let number): key += String(number)
                case .negative(let number): key += String(-1 - Int128(number))
                default: throw InputError("the field \"\(path)\" is neither a text nor an integer of 64 bits")
                }
            }
        }
        return key
    }

    /// What fields an object has, as the end of a sentence.
    private static func names(in object: CBORValue) -> String {
        let names = (object.map ?? []).compactMap(\.key.text)
        return names.isEmpty ? "" : "; it has \(Suggestion.list(names, isQuoted: false))"
    }

    /// The field of that name; if there is none, the field of a field that the path names.
    private static func value(at path: String, in object: CBORValue) -> CBORValue? {
        if let value = object[path] { return value }
        var value: CBORValue? = object
        for name in path.split(separator: ".", omittingEmptySubsequences: false) { value = value?[String(name)] }
        return value
    }
}
