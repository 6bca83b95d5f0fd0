import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

/// The error that a person or a script gets when a subcommand fails.
///
///     {"code":"notFound","message":"There is nothing at shop.yaprak.","hint":"Check the path.","exit":3}
struct Failure: Error {
    /// A stable name.
    let code: String
    /// What happened.
    let message: String
    /// What to do about it.
    let hint: String?
    var place = DatabaseError.Place()
    let exitCode: Int32
    /// Where in the input the error is: the text, and a mark below.
    var pointer: String?

    init(
        _ code: String, _ message: String, place: DatabaseError.Place = .init(), exitCode: Int32, hint: String? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.place = place
        self.exitCode = exitCode
    }

    /// An error of the engine: the last sentence of its message is the remedy.
    private init(_ error: DatabaseError) {
        var message = error.message, hint: String?
        if let end = message.ranges(of: ". ").last {
            let last = String(message[end.upperBound...])
            // A quotation may have its own full stops.
            if last.first?.isUppercase == true, last.count(where: { $0 == "\"" }) % 2 == 0 {
                hint = last
                message = message[..<end.lowerBound] + "."
            }
        }
        self.init(
            error.code.rawValue, message, place: error.place, exitCode: Self.exitCode(error.code), hint: hint)
    }

    /// The failure for an error; `nil` for the parser's own errors and for closed pipes.
    init?(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as DatabaseError: self.init(error)
        case let error as InputError: self.init("badInput", "\(error)", exitCode: 64)
        case let error as Errno where error != .brokenPipe:
            self.init(
                "ioFailed", "the file system reports: \(error)", exitCode: error == .noSuchFileOrDirectory ? 3 : 6)
        case let error as ReplayExpressionError:
            self.init("badExpression", error.description, exitCode: 64)
            pointer = Self.pointer(error.source, error.offset)
        case let error as SearchQueryError:
            self.init("badQuery", error.description, exitCode: 64)
            pointer = Self.pointer(error.source, error.offset)
        case let error as CBORError:
            self.init("undecodableRecord", "a record is not CBOR: \(error)", exitCode: 4)
        case is EncodingError, is DecodingError:
            self.init("undecodableRecord", "a record does not fit: \(ErrorText.of(error))", exitCode: 4)
        case is CancellationError, is Interrupted: self.init("interrupted", "interrupted", exitCode: 130)
        default: return nil
        }
    }

    static func isClosedPipe(_ error: any Error) -> Bool { error as? Errno == .brokenPipe }

    private static func exitCode(_ code: DatabaseError.Code) -> Int32 {
        switch code {
        case .notFound, .commitOutOfReach, .viewNotShown: 3
        case .corruptView: 8
        case .corruptLog, .corruptCheckpoint, .stateDiffers, .corruptTags, .undecodableRecord, .migrationFailed: 4
        case .alreadyExists, .typeMismatch, .nameTaken: 5
        case .newerFormat: 7
        case .invalidDump, .invalidPosition, .invalidName, .keyTooLong, .valueTooLarge, .transactionTooLarge,
            .encodingFailed:
            64
        // `overLimit` is here, too: no file is damaged, and neither a repair nor a backup would help.
        default: 6
        }
    }

    /// The line for a person: `message (code)`, safe for a terminal.
    var sentence: String {
        let whole = hint.map { message.hasSuffix(".") ? "\(message) \($0)" : "\(message). \($0)" } ?? message
        let text = whole.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
        return text.joined(separator: " ") + " (\(code))" + (pointer.map { "\n" + $0 } ?? "")
    }

    /// The expression, no more of it than fits on a line, and a caret below the column.
    private static func pointer(_ source: String, _ offset: Int) -> String? {
        guard !source.isEmpty else { return nil }
        let start = max(0, offset - 60)
        let before = (start > 0 ? "…" : "") + String(source.dropFirst(start).prefix(offset - start)).plain
        let after = String(source.dropFirst(offset)).plain
        let line = before + after.cut(to: max(8, 92 - before.columns))
        return "    \(line)\n    \(String(repeating: " ", count: before.columns))^"
    }

    /// One object on one line.
    var json: String {
        var pairs: [CBORValue.Pair] = [.init("code", .text(code)), .init("message", .text(message))]
        if let hint { pairs.append(.init("hint", .text(hint))) }
        var parts: [CBORValue.Pair] = []
        if let file = place.file { parts.append(.init("file", .text(file))) }
        if let offset = place.offset { parts.append(.init("offset", .unsigned(offset))) }
        if let commits = place.commits {
            parts.append(.init("commits", [.number(commits.lowerBound), .number(commits.upperBound)]))
        }
        if let collection = place.collectionName { parts.append(.init("collection", .text(collection))) }
        if let key = place.key { parts.append(.init("key", .text(key))) }
        if !parts.isEmpty { pairs.append(.init("place", .map(parts))) }
        pairs.append(.init("exit", .integer(Int64(exitCode))))
        return CBORValue.map(pairs).json()
    }
}
