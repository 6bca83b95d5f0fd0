internal import Foundation
internal import YaprakLocks

/// Writes texts into the calls of source files that expect them.
///
/// The lines of a file move with each text that is written. So a file is read once in a process, and all texts are put where
/// they belong in what was read.
final class SourceRecorder: Sendable {
    /// The one of this process.
    static let shared = SourceRecorder()

    fileprivate struct Source: Sendable {
        var bytes: [UInt8]
        /// What replaces which bytes of the file as it was read, by where these begin.
        var edits: [Int: (end: Int, text: String)] = [:]
    }

    private let sources = Mutex<[String: Source]>([:])

    /// Why a text can't be written.
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    /// Writes a text into the argument `matches:` of a call.
    /// - Throws: ``Fault``.
    func record(_ lines: [String], inCallAt line: Int, _ column: Int, of path: String) throws {
        try sources.withLock { sources in
            if sources[path] == nil {
                guard let data = FileManager.default.contents(atPath: path) else {
                    throw Fault(description: "\(path) can't be read, so the text was not written into it.")
                }
                sources[path] = Source(bytes: Array(data))
            }
            var source = sources[path]!
            guard let call = SwiftCall(in: source.bytes, line: line, column: column, argument: "matches") else {
                throw Fault(description: "No call is found at line \(line) of \(path), so the text was not written.")
            }
            let indentation = call.indentation + "    "
            let literal = Self.literal(of: lines, indentation)
            source.edits[call.place.lowerBound] = (
                call.place.upperBound,
                call.hasArgument ? literal : "\(call.separator)matches: \(literal)"
            )
            sources[path] = source
            do {
                try Data(source.edited.utf8).write(to: URL(filePath: path), options: .atomic)
            } catch {
                throw Fault(description: "\(path) can't be written: \(error)")
            }
        }
    }

    /// A multi-line literal, raw where the text has what would be escaped.
    private static func literal(of lines: [String], _ indentation: String) -> String {
        let text = lines.joined(separator: "\n")
        var marks = ""
        if text.contains("\\") || text.contains("\"\"\"") {
            marks = "#"
            while text.contains("\\\(marks)") || text.contains("\"\"\"\(marks)") { marks += "#" }
        }
        let body = lines.map { $0.isEmpty ? "" : indentation + $0 }.joined(separator: "\n")
        return "\(marks)\"\"\"\n\(body)\n\(indentation)\"\"\"\(marks)"
    }
}

extension SourceRecorder.Source {
    /// The file with all texts in it.
    fileprivate var edited: String {
        var result: [UInt8] = []
        var position = 0
        for (start, edit) in edits.sorted(by: { $0.key < $1.key }) {
            result += bytes[position..<start]
            result += Array(edit.text.utf8)
            position = edit.end
        }
        result += bytes[position...]
        return String(decoding: result, as: UTF8.self)
    }
}
