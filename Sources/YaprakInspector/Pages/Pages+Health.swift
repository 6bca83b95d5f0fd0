#if Inspector
    import Yaprak

    extension Pages {
        /// What can be said of the files and of the engine.
        func health() async throws -> Markup {
            let parts = try await history.health().map { part -> Markup in
                let rows = part.rows.map { row -> Markup in
                    """
                    <tr class="\(row.state.rawValue)"><th scope="row">\(row.name)</th>\
                    <td>\(Pieces.sentence(Pieces.cut(row.value, 1000)))</td>\
                    <td>\(row.state == .good ? "" : row.state.rawValue)</td></tr>
                    """
                }
                let table: Markup? =
                    rows.isEmpty
                    ? nil
                    : """
                    <div class="scroll"><table class="health"><thead class="unseen"><tr><th scope="col">What</th>\
                    <th scope="col">Value</th><th scope="col">State</th></tr></thead><tbody>\(rows)</tbody></table></div>
                    """
                let note: Markup? = part.note.map { #"<p class="note">\#(Pieces.sentence($0))</p>"# }
                return """
                    <section><h2>\(part.title)</h2>\(table)\(note)</section>
                    """
            }
            return shell.page("Health", active: "/health", "<h1>Health</h1><div class=\"parts\">\(parts)</div>")
        }
    }
#endif
