#if canImport(SwiftUI)
    public import SwiftUI
    public import YaprakCore

    extension EnvironmentValues {
        /// The database that ``LiveList`` and live queries read; `nil` unless a view around them set one.
        ///
        ///     @Environment(\.database) private var database
        public var database: Database? {
            get { self[DatabaseKey.self] }
            set { self[DatabaseKey.self] = newValue }
        }
    }

    private enum DatabaseKey: EnvironmentKey {
        static let defaultValue: Database? = nil
    }

    extension SwiftUI.View {
        /// Gives a database to this view and all within it.
        ///
        ///     Inbox().database(database)
        ///     #Preview { Inbox().database(fixture.fork()) }       // what a preview writes stays in its fork
        public func database(_ database: Database?) -> some SwiftUI.View {
            environment(\.database, database)
        }
    }
#endif
