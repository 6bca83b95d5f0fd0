import ArgumentParser
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay
import YaprakSearch

struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Finds records by the words in them.",
        usage: "yaprak search <database> <query> [<options>]",
        discussion: """
            Looks at every record: the files have no index that can be read without the program's types. The query language is \
            that of full-text indexes: words, "phrases", prefixes*, words with one typo (word~1), AND, OR, NOT, NEAR(a b, 5), \
            and field: words for one field at the top of records. Records come in the order of their keys, without a rank. Exit \
            code 3 says that there is no such collection, 1 that nothing was found.

              yaprak search world.yaprak 'new york' --collection cities
              yaprak search world.yaprak 'name: istan* NOT country: tr'
              yaprak search world.yaprak 'sprng~1' --field note --at @{yesterday}
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Argument(help: "The words to find.")
    var query: String

    @Option(help: "Only records of this collection.", completion: .collection)
    var collection: String?

    @Option(help: "Only this field at the top of records.")
    var field: String?

    @Option(
        help: ArgumentHelp("The state as of this commit; the newest by default.", valueName: "position"),
        completion: .position, transform: LogPosition.argument)
    var at: LogPosition = .newest

    @Option(
        name: [.customShort("n", allowingJoined: true), .long],
        help: ArgumentHelp("At most this many records.", valueName: "count"))
    var limit: Int?

    @OptionGroup var output: OutputOptions
    @OptionGroup var paging: PagingOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("-n takes a count of 0 or more") }
    }

    func run() async throws {
        let query = try SearchQuery(parsing: query)
        guard query.columnNames.count <= SearchScan.namedColumnsMax else {
            throw Failure(
                "badQuery", "the query names \(query.columnNames.count) fields", exitCode: 64,
                hint: "Name at most \(SearchScan.namedColumnsMax) at once.")
        }
        let console = try paging.console()
        let reader = try ReplayReader.open(database)
        let snapshot = try reader.state(at: reader.commitNumber(at: at))
        if let collection { try snapshot.require(collection) }
        let columns = ["collection", "key", "found"].map { Column(name: $0) }
        var rows = RowWriter(output.format(on: console), columns, console)
        var scanned = 0
        var found = 0
        let scanner = RecordScanner(query: query, field: field)
        search: for name in collection.map({ [$0] }) ?? snapshot.collectionNames {
            for record in snapshot.untyped(name) {
                if found == limit ?? .max { break search }
                scanned += 1
                if scanned % 256 == 0, Invocation.isInterrupted() {
                    try rows.finish()
                    throw Interrupted()
                }
                guard let snippet = scanner.snippet(of: record) else { continue }
                found += 1
                try rows.write([.text(name), .text(record.key), .text(snippet)])
            }
        }
        try rows.finish()
        if console.isTerminal {
            try console.err.write("records looked at, one by one: \(scanned); found: \(found)\n")
        }
        if found == 0 { throw ExitCode(1) }
    }
}

/// Looks for words in records of whatever fields.
final class RecordScanner {
    private let query: SearchQuery
    private let field: String?
    /// One for each set of fields: records of a collection mostly have the same.
    private var scans: [[String]: SearchScan] = [:]
    /// Those that made room last. One that is needed again is kept again: otherwise, if there are a few more sets of fields than
    /// are kept, none would be there when it is needed.
    private var olderScans: [[String]: SearchScan] = [:]
    /// How many names ``scans`` has.
    private var keptNameCount = 0
    /// How many were made: for each, the query is split and compiled.
    private(set) var madeCount = 0

    private static let keptMax = 1_000
    /// Of all sets in ``scans``, unless there is only one: records that are dictionaries by id have many names, and other
    /// ones each.
    private static let keptNamesMax = 64_000

    init(query: SearchQuery, field: String?) {
        self.query = query
        self.field = field
    }

    /// What was found, with its surroundings; `nil` if nothing.
    func snippet(of record: ReplayRecord) -> String? {
        let record = RecordTexts(record, field: field)
        guard !record.texts.isEmpty else { return nil }
        let scan = scan(of: record.names)
        guard scan.matches(record.texts) else { return nil }
        let snippet = scan.snippet(of: record.texts, terms: 12)
        return "\(snippet.column): "
            + snippet.marked("[", "]").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The scan of records with these fields.
    private func scan(of names: [String]) -> SearchScan {
        if let known = scans[names] { return known }
        let scan = olderScans[names] ?? makeScan(of: names)
        // Those before make room: records with the same fields mostly come one after the other.
        if scans.count == Self.keptMax || keptNameCount + names.count > Self.keptNamesMax {
            (olderScans, scans, keptNameCount) = (scans, [:], 0)
        }
        scans[names] = scan
        keptNameCount += names.count
        return scan
    }

    private func makeScan(of names: [String]) -> SearchScan {
        madeCount += 1
        return SearchScan(query, columns: names)
    }
}
