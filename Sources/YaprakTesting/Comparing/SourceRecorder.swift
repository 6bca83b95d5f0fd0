internal import Foundation
internal import YaprakLocks

/// Writes texts into the calls of source files that expect them.
///
/// The lines of a file move with each text that is written. So a file is read once in a process, and all texts are put where
/// they belong in what was read.
///
/// Where another process has written into the file before, or a person, the lines are not those that were compiled. So a text
/// goes only into a call that has the text that was compiled, or into one of the library's own that has none as it had none.
final class SourceRecorder: Sendable {
    /// The one of this process.
    static let shared = SourceRecorder()

    fileprivate struct Source: Sendable {
        var bytes: [UInt8]
        /// The file as it was written last.
        var newest: [UInt8]
        /// What replaces which bytes of the file as it was read, by where these begin.
        var edits: [Int: (end: Int, text: String)] = [:]
    }

    private let sources = Mutex<[String: Source]>([:])
    /// The functions that take a text.
    private let names: Set<String>

    init(names: Set<String> = ["expectSnapshot", "expectChanges"]) { self.names = names }

    /// Why a text can't be written.
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    /// Writes a text into the argument `matches:` of a call, in the place of the one that was compiled.
    /// - Throws: ``Fault``; the file is as it was.
    func record(
        _ lines: [String], insteadOf compiled: String?, inCallAt line: Int, _ column: Int, of path: String
    ) throws {
        try sources.withLock { sources in
            guard let present = FileManager.default.contents(atPath: path).map({ Array($0) }) else {
                throw Fault(description: "\(path) can't be read, so the text was not written into it.")
            }
            var source = sources[path] ?? Source(bytes: present, newest: present)
            guard source.newest == present else {
                throw Fault(
                    description: """
                        \(path) was changed while the tests ran, so the text was not written into it. Build and run the test \
                        again.
                        """)
            }
            guard let call = SwiftCall(in: source.bytes, line: line, column: column, argument: "matches") else {
                throw Fault(description: "No call is found at line \(line) of \(path), so the text was not written.")
            }
            guard isCompiled(call, with: compiled) else {
                throw Fault(
                    description: """
                        The call at line \(line) of \(path) does not have the text that was compiled, so no other was \
                        written. If the file was changed since, build and run the test again. If it is a call of a function of \
                        your own, write the text into it.
                        """)
            }
            let indentation = call.indentation + "    "
            let literal = Self.literal(of: lines, indentation)
            source.edits[call.place.lowerBound] = (
                call.place.upperBound,
                call.hasArgument ? literal : "\(call.separator)matches: \(literal)"
            )
            source.newest = source.edited
            do {
                try Data(source.newest).write(to: URL(filePath: path), options: .atomic)
            } catch {
                throw Fault(description: "\(path) can't be written: \(error)")
            }
            sources[path] = source
        }
    }

    /// Whether a call can be the one that was compiled with a text.
    private func isCompiled(_ call: SwiftCall, with compiled: String?) -> Bool {
        if call.hasArgument != (compiled != nil) { return false }
        // Of a literal with interpolations nobody knows the text.
        return call.text.map { $0 == compiled } ?? names.contains(call.name)
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
    fileprivate var edited: [UInt8] {
        var result: [UInt8] = []
        var position = 0
        for (start, edit) in edits.sorted(by: { $0.key < $1.key }) {
            result += bytes[position..<start]
            result += Array(edit.text.utf8)
            position = edit.end
        }
        result += bytes[position...]
        return result
    }
}
