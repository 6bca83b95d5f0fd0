internal import Foundation
internal import ToolSupport
public import Yaprak

/// A file with the records of a fixture.
///
///     try await database.load(.csv("prices.csv"), into: .prices, key: "article")
///
/// A relative path starts in the folder of the source file that names it, wherever the tests run. Files may be compressed as
/// LZ4 frames (`lz4 cities.ndjson`).
public struct FixtureFile: Sendable {
    enum Form: Sendable {
        case ndjson
        case csv(separator: Character)
    }

    let path: String
    let form: Form

    /// A JSON object in each line, as `yaprak export` writes them.
    ///
    /// So its values are those of a record in a file: a `Decimal` and a `URL` are the objects that Foundation makes of them
    /// (`{"relative": "https://…"}`), and not a number and a text as in CSV.
    /// - Parameters:
    ///   - path: the file.
    ///   - source: where a relative path starts.
    public static func ndjson(_ path: String, source: String = #filePath) -> FixtureFile {
        FixtureFile(path: resolved(path, source), form: .ndjson)
    }

    /// Values between separators, with the names of the fields in the first line (RFC 4180).
    ///
    /// An empty value is `nil` for an optional property and an empty text for a `String`. Numbers, also of the type `Decimal`,
    /// `Bool` (`true`, `false`), dates and `URL` are read as what the property is. A date is one of ISO 8601, in UTC if it has
    /// no zone: `2013-01-05`, `2013-01-05 12:00`, `2013-01-05T12:00:00.5+01:00`; or seconds since 2001 with a point, as
    /// `yaprak export` writes them.
    /// - Parameters:
    ///   - path: the file.
    ///   - separator: what is between values; a tab or a semicolon, say.
    ///   - source: where a relative path starts.
    public static func csv(_ path: String, separator: Character = ",", source: String = #filePath) -> FixtureFile {
        FixtureFile(path: resolved(path, source), form: .csv(separator: separator))
    }

    /// The name of the file, for messages.
    var name: String { String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]) }

    /// A path as seen from a source file.
    static func resolved(_ path: String, _ source: String) -> String {
        path.hasPrefix("/") ? path : URL(filePath: source).deletingLastPathComponent().appending(path: path).path
    }

    /// The lines of a file; with their CR, if they end with one, if asked for.
    /// - Throws: `notFound`, `ioFailed`, `invalidFixture`.
    static func lines(
        of path: String, keepingReturns: Bool = false, _ body: (Int, ArraySlice<UInt8>) throws -> Void
    ) throws {
        let reader: LineReader
        do {
            reader = try LineReader(path)
            reader.keepsReturns = keepingReturns
        } catch {
            throw DatabaseError(
                FileManager.default.fileExists(atPath: path) ? .ioFailed : .notFound,
                "\(path) can't be opened: \(error). A relative path starts in the folder of the source file that names it.",
                place: .init(file: path))
        }
        while true {
            let line: ArraySlice<UInt8>?
            do {
                line = try reader.next()
            } catch {
                throw DatabaseError(
                    .invalidFixture, "\(path), line \(reader.number + 1): \(error). Correct the file.",
                    place: .init(file: path))
            }
            guard let line else { return }
            try body(reader.number, line)
        }
    }
}

extension DatabaseError.Code {
    /// A file with the records of a fixture is not in the form it should have.
    public static let invalidFixture = Self(rawValue: "invalidFixture")
}
