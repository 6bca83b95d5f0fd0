// Uses the adapter of queries as a program would.
import SwiftUI
import YaprakCore

private struct Book: Codable, Sendable { var title = "" }

private struct Books: SwiftUI.View {
    @LiveQuery private var books: QueryRows<Book, NoMetadata>

    init(_ query: RecordQuery<Book, NoMetadata>) { _books = LiveQuery(query) }

    init(_ query: RecordQuery<Book, NoMetadata>, search: String) { _books = LiveQuery(query, id: search) }

    var body: some SwiftUI.View { ForEach(books, id: \.key) { Text($0.object.title) } }

    func changes() -> QueryChanges? { $books.model?.changes }
}
