#if Inspector
    import Yaprak

    /// What all pages have around their contents.
    struct Shell: Sendable {
        let databaseTitle: String
        /// Changes with each build of the style sheet and the modules, so that no browser keeps old ones.
        let assetsTag: String

        /// The pages there are, in the order in which they are named.
        private static let pages: [(path: String, name: String, keepsMoment: Bool)] = [
            ("/", "Timeline", true), ("/collections", "Collections", true), ("/views", "Views", true),
            ("/compare", "Compare", false), ("/bisect", "Bisect", false), ("/health", "Health", false),
        ]

        /// A page.
        ///
        /// - Parameters:
        ///   - title: what the page is about.
        ///   - active: the path of the page in the list of pages that it belongs to.
        ///   - moment: the commit it shows, if it shows the state as of one.
        ///   - address: of the page, for the bar that goes through history.
        func page(
            _ title: String, active: String, moment: Moment? = nil, address: Address? = nil, _ contents: Markup
        ) -> Markup {
            let links = Self.pages.map { page -> Markup in
                let address = Address(page.path, [("at", page.keepsMoment ? moment?.at : nil)])
                let current: Markup = page.path == active ? #" aria-current="page""# : ""
                return #"<a href="\#(address.text)"\#(current)>\#(page.name)</a>"#
            }
            let bar = moment.flatMap { moment in address.map { moment.scrubber($0) } }
            // Whether the page shows the newest commit, and goes on to the next when there is one.
            let follows: Markup = (moment?.isLive ?? (active == "/health")) ? #" data-follows="1""# : ""
            let number: Markup = moment.map { #" data-commit="\#($0.number)""# } ?? ""
            return """
                <!doctype html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>\(title) · \(databaseTitle)</title>
                <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
                <link rel="stylesheet" href="/assets/inspector.css?\(assetsTag)">
                <script type="module" src="/assets/inspector.js?\(assetsTag)"></script>
                </head>
                <body\(follows)\(number)>
                <a class="skip" href="#main">Skip to the contents</a>
                <header class="top">
                <a class="name" href="/" title="\(databaseTitle)">\(databaseTitle)</a>
                <nav aria-label="Pages">\(links)</nav>
                <p id="connection" role="status"></p>
                </header>
                \(bar)
                <main id="main" tabindex="-1">
                \(contents)
                </main>
                </body>
                </html>

                """
        }

        /// A page that says why there is no other.
        func failure(_ refusal: Refusal) -> Markup {
            // What comes later is asked for again by the page.
            let isLate = refusal.code == "notYet"
            let pending: Markup = isLate ? #" data-pending="1""# : ""
            return page(
                "Not shown", active: "",
                """
                <h1>This can't be shown\(isLate ? " yet" : "")</h1>
                <p class="error" role="alert"\(pending)>\(Pieces.sentence(refusal.message))</p>
                <p><a class="button" href="/">Timeline</a></p>
                """)
        }
    }
#endif
