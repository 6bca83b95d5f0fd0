#if Inspector
    import Yaprak
    import YaprakCBOR
    import YaprakReplay

    extension Pages {
        /// The collections as of a commit.
        func collections(_ request: Request) async throws -> Markup {
            let moment = try await Moment(request, in: history)
            let snapshot = try await moment.snapshot(in: history)
            let page = try request.number("page", 0...Int(Int32.max), default: 0), size = 1000
            let address = Address(request, keeping: ["at", "page"])
            let names = snapshot.collectionNames
            let rows = names.dropFirst(page * size).prefix(size).map { name -> Markup in
                """
                <tr data-key="\(name)"><td><a href="\(Address.collection(name, at: moment.at).text)">\
                \(Pieces.cut(name, 120))</a></td>\
                <td class="number">\(Amount.count(snapshot.count(inCollectionNamed: name)))</td></tr>
                """
            }
            return shell.page(
                "Collections", active: "/collections", moment: moment,
                address: address,
                names.isEmpty
                    ? #"<h1>Collections</h1><p class="note">There is no record at commit \#(moment.number).</p>"#
                    : """
                    <h1>Collections</h1><div class="scroll"><table><thead><tr><th scope="col">Collection</th>\
                    <th scope="col" class="number">Records</th></tr></thead><tbody>\(rows)</tbody></table></div>\
                    \(Pieces.paging(address, page: page, pageSize: size, count: names.count))
                    """)
        }

        /// The records of a collection as of a commit: those an expression is true of, sorted by a field, a page at a time.
        ///
        /// - Returns: the page, and whether all records were looked at.
        func collection(_ request: Request) async throws -> (markup: Markup, isWhole: Bool) {
            let name = try request.required("name")
            let moment = try await Moment(request, in: history)
            let address = Address(request, keeping: ["name", "at", "where", "sort", "order", "page"])
            let order = try request.word("order", of: ["ascending", "descending"]) ?? "ascending"
            let page = try request.number("page", 0...Int(Int32.max), default: 0)
            let snapshot = try await moment.snapshot(in: history)
            let form = filterForm(request, address)
            let condition: ReplayExpression?
            do { condition = try request.expression("where", about: .record) } catch {
                let page = shell.page(
                    name, active: "/collections", moment: moment, address: address,
                    "\(heading(name, snapshot))\(form)\(Pieces.expressionError(error, id: "where-error"))")
                return (page, true)
            }
            let query = try RecordsQuestion(
                collection: name, condition: condition, sort: request["sort"], isDescending: order == "descending",
                offset: page * RecordsQuestion.pageSize, limit: RecordsQuestion.pageSize)
            let (answer, table) = try await working { cancellation in
                let answer = try query.answer(
                    in: snapshot, until: .now + Self.patience, unless: { cancellation.isCancelled })
                let table = RecordTable(
                    records: answer.records, collection: name, sort: request["sort"], order: order, address: address,
                    at: moment.at)
                return (answer, table.markup)
            }
            let contents = shell.page(
                name, active: "/collections", moment: moment, address: address,
                """
                \(heading(name, snapshot))\(form)\(answer.note.map { #"<p class="note" role="status">\#($0)</p>"# as Markup })
                \(table)
                \(Pieces.paging(address, page: page, pageSize: RecordsQuestion.pageSize, count: answer.count))
                """)
            return (contents, answer.note == nil)
        }

        private func heading(_ name: String, _ snapshot: Snapshot) -> Markup {
            """
            <h1>\(Pieces.cut(name, 120)) <span class="count">\
            \(snapshot.count(inCollectionNamed: name).counted("record"))</span></h1>
            """
        }

        private func filterForm(_ request: Request, _ address: Address) -> Markup {
            """
            <form class="filter" method="get" action="/collection">\(address.hiddenFields(without: ["where", "page"]))
            <label for="where">Where</label>
            <input id="where" name="where" type="text" value="\(field: request["where"] ?? "")" spellcheck="false" \
            autocapitalize="off" autocomplete="off" placeholder=".delay &gt; 60 and .carrier == &quot;UA&quot;">
            <button class="button">Filter</button></form>
            """
        }
    }
#endif
