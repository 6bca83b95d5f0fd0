#if Inspector
    import YaprakCBOR

    /// The description of the API, as OpenAPI 3.1.
    enum OpenAPI {
        private struct Parameter {
            let name: String
            let words: String
            var schema: CBORValue = ["type": "string"]
            var isRequired = false
            var mayBeEmpty = false
        }

        private static let number: CBORValue = ["type": "integer", "minimum": 0]
        private static let word: CBORValue = ["type": "string", "minLength": 1]
        private static let at = Parameter(
            name: "at", words: "The commit: 42, @, @~3, @{10 minutes ago}, a tag. The newest if not given.")
        private static let from = Parameter(name: "from", words: "The first commit.")
        private static let to = Parameter(name: "to", words: "The last commit. The newest if not given.")
        private static let collection = Parameter(
            name: "collection", words: "The name of the collection.", schema: word, isRequired: true)
        private static let key = Parameter(
            name: "key", words: "The key of the record, which may be empty.", isRequired: true, mayBeEmpty: true)
        private static let condition = Parameter(name: "where", words: "An expression, as of the command-line tool.")
        private static let offset = Parameter(
            name: "offset", words: "How many to skip.",
            schema: ["type": "integer", "minimum": 0, "maximum": 2_147_483_647])
        private static let limit = Parameter(
            name: "limit",
            words: "The most to return. Lists end with the part that exceeds 32 MiB: go on with offset.",
            schema: ["type": "integer", "minimum": 1, "maximum": 1000])

        private static let commit: CBORValue = [
            "type": "object", "required": ["commit", "time", "ns"],
            "properties": [
                "commit": number, "time": ["type": "string", "format": "date-time"],
                "ns": ["type": "integer", "description": "Nanoseconds since 1970."], "origin": ["type": "string"],
            ],
        ]
        /// What each path says that answers with the fields that differ.
        private static let fieldsNote = """
            A change whose paths take up to 64 KiB always has its `fields`. Once the longer paths in an answer exceed \
            16 MiB, the change that exceeds them and those after it with longer paths have no `fields`. Ask for such a \
            change alone, with offset and limit: it then has the 16 MiB to itself.
            """
        private static let objectSchema: CBORValue = ["type": "object"]
        /// An answer that may not have all of it.
        private static func part(of schema: CBORValue) -> CBORValue {
            [
                "allOf": [
                    schema,
                    [
                        "type": "object", "required": ["count", "isCut"],
                        "properties": [
                            "count": ["type": "integer", "minimum": 0, "description": "How many there are in all."],
                            "isCut": [
                                "type": "boolean",
                                "description": "Whether there are more, to be asked for with offset.",
                            ],
                        ],
                    ],
                ]
            ]
        }
        private static let list: CBORValue = ["type": "array", "items": ["type": "object"]]

        /// The document.
        static let document: CBORValue = [
            "openapi": "3.1.0",
            "info": [
                "title": "Yaprak inspector", "version": "1",
                "description":
                    "Reads a Yaprak database as of any commit. Values are the JSON of the command-line tool; `ns` is exact.",
            ],
            "paths": .map([
                path("/api/status", "The commits there are.", [], objectSchema),
                path(
                    "/api/commits", "Commits in brief, the newest first.", [from, to, limit],
                    ["type": "array", "items": commit]),
                path(
                    "/api/commits/{position}",
                    "A commit with the values it changed and the fields that differ. \(fieldsNote)",
                    [
                        Parameter(name: "position", words: "The commit.", schema: word, isRequired: true),
                        offset, limit,
                    ], part(of: commit)),
                path(
                    "/api/activity", "How much was done in each part of a range.",
                    [
                        from, to,
                        Parameter(
                            name: "slices", words: "The most parts.",
                            schema: ["type": "integer", "minimum": 1, "maximum": 2000]),
                        Parameter(
                            name: "by", words: "What is equal in all parts.",
                            schema: ["type": "string", "enum": ["commit", "time"]]),
                    ], list),
                path("/api/collections", "The collections with their counts.", [at], objectSchema),
                path(
                    "/api/records", "Records of a collection.",
                    [
                        collection, at, condition,
                        Parameter(name: "sort", words: "A field to sort by; texts by their first 256 bytes."),
                        Parameter(
                            name: "order", words: "Which way.",
                            schema: ["type": "string", "enum": ["ascending", "descending"]]),
                        offset, limit,
                    ], objectSchema),
                path("/api/record", "A record.", [collection, key, at], objectSchema),
                path(
                    "/api/history",
                    "What happened to a record, oldest first: the newest revisions, of which `omitted` came before. Where the "
                        + "log was not read to its end in time, `isLate` says so; `isCut` is either.",
                    [collection, key], objectSchema),
                path("/api/views", "The views that can be shown.", [at], list),
                path(
                    "/api/view", "The rows of a view, by group: offset and limit count the rows of all groups shown.",
                    [
                        Parameter(name: "name", words: "The name of the view.", schema: word, isRequired: true), at,
                        Parameter(name: "group", words: "Only this group; its name may be empty."), offset, limit,
                    ], part(of: objectSchema)),
                path(
                    "/api/changes", "The records that differ between two commits. \(fieldsNote)",
                    [
                        Parameter(name: "from", words: "The commit before.", schema: word, isRequired: true), to,
                        offset, limit,
                    ],
                    objectSchema),
                path(
                    "/api/without",
                    "What would be different now without a commit; nothing is written, or run after a commit. "
                        + "`conflicts` has the first thousand of `conflictCount`. \(fieldsNote)",
                    [
                        Parameter(name: "commit", words: "The commit that is undone.", schema: word, isRequired: true),
                        Parameter(
                            name: "conflicts", words: "What becomes of records that were changed since.",
                            schema: ["type": "string", "enum": ["keep", "undo"]]),
                        offset, limit,
                    ], objectSchema),
                path(
                    "/api/bisection",
                    """
                    The first commit of which an expression is true: firstBad, or firstBadAmong where what can't be read may \
                    hide it. Each probe that was skipped says what is unreadable.
                    """,
                    [
                        Parameter(
                            name: "where", words: "True of the states that are bad.", schema: word, isRequired: true),
                        Parameter(name: "good", words: "A good commit; the oldest if not given."),
                        Parameter(name: "bad", words: "A bad commit; the newest if not given."),
                    ], objectSchema),
                path("/api/tags", "The names of commits.", [], list),
                path("/api/health", "What can be said of the files and of the engine.", [], list),
            ]),
            "components": [
                "schemas": [
                    "Error": [
                        "type": "object", "required": ["error"],
                        "properties": [
                            "error": [
                                "type": "object", "required": ["code", "message"],
                                "properties": ["code": ["type": "string"], "message": ["type": "string"]],
                            ]
                        ],
                    ]
                ]
            ],
        ]

        private static func path(
            _ path: String, _ summary: String, _ parameters: [Parameter], _ schema: CBORValue
        ) -> CBORValue.Pair {
            let list = parameters.map { parameter -> CBORValue in
                [
                    "name": .text(parameter.name),
                    "in": .text(path.contains("{\(parameter.name)}") ? "path" : "query"),
                    "required": .bool(parameter.isRequired), "description": .text(parameter.words),
                    // Forms send what was left empty.
                    "allowEmptyValue": .bool(!parameter.isRequired || parameter.mayBeEmpty),
                    "schema": parameter.schema,
                ]
            }
            func answer(_ words: String, _ schema: CBORValue) -> CBORValue {
                ["description": .text(words), "content": ["application/json": ["schema": schema]]]
            }
            let failure: CBORValue = ["$ref": "#/components/schemas/Error"]
            return .init(
                .text(path),
                [
                    "get": [
                        "summary": .text(summary), "parameters": .array(list),
                        "responses": [
                            "200": answer("The answer.", schema),
                            "400": answer("The question is not well formed.", failure),
                            "401": ["description": "Without the cookie that the first address gives."],
                            "404": answer("There is no such thing.", failure),
                            "409": answer("The rules of the program refuse what was asked for.", failure),
                            "503": answer("The database can't be read now.", failure),
                        ],
                    ]
                ])
        }
    }
#endif
