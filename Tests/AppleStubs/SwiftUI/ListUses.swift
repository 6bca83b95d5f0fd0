// Uses the adapters of lists as a program would.
import SwiftUI
import YaprakCore
import YaprakExtensions

private struct Mail: Codable, Sendable { var subject = "" }

private struct Inbox: SwiftUI.View {
    @LiveList private var sections: [ListSection<AutoView<Record<Mail, NoMetadata>>>]
    @Environment(\.database) private var database

    init(_ mappings: ViewMappings<AutoView<Record<Mail, NoMetadata>>>, search: String) {
        _sections = LiveList(mappings, id: search)
    }

    var body: some SwiftUI.View {
        ForEach(sections, id: \.name) { section in
            ForEach(section, id: \.key) { row in Text(row.object.subject) }
        }
    }

    func earlier() {
        _ = try? $sections.model?.extend("inbox", by: 50, at: .beginning)
        _ = $sections.error
    }
}

/// Each preview has a fork of a fixture that is made once.
private struct ForkedFixture: PreviewModifier {
    static func makeSharedContext() async throws -> Database { Database.inMemory() }

    func body(content: Content, context: Database) -> some SwiftUI.View { content.database(context.fork()) }
}
