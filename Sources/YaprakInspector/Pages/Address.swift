#if Inspector
    import Yaprak

    /// An address of a page: a path and a query. What a page shows is all in it.
    struct Address: Sendable {
        /// The names whose values are texts of the database, which may be empty. An empty value of another name is none.
        private static let texts: Set = ["key", "group", "of", "explain"]

        let path: String
        var query: [(name: String, value: String)] = []

        init(_ path: String, _ query: [(String, String?)] = []) {
            self.path = path
            self.query = query.compactMap { name, value in
                value.flatMap { Self.isValue($0, of: name) ? (name, $0) : nil }
            }
        }

        /// The address of a request, without what it has no use for.
        init(_ request: Request, keeping names: [String]) {
            path = request.path
            query = request.query.filter { names.contains($0.name) && Self.isValue($0.value, of: $0.name) }
        }

        private static func isValue(_ value: String, of name: String) -> Bool {
            !value.isEmpty || texts.contains(name)
        }

        /// The same with another value for a name, or with none.
        func with(_ name: String, _ value: String?) -> Address {
            var copy = self
            copy.query.removeAll { $0.name == name }
            if let value, Self.isValue(value, of: name) { copy.query.append((name, value)) }
            return copy
        }

        /// The path as it stands in a link.
        var encodedPath: String {
            path.split(separator: "/", omittingEmptySubsequences: false).map { PercentCoding.encoded(String($0)) }
                .joined(separator: "/")
        }

        /// As it stands in a link.
        var text: String {
            if query.isEmpty { return encodedPath }
            return encodedPath + "?"
                + query.map { PercentCoding.encoded($0.name) + "=" + PercentCoding.encoded($0.value) }.joined(
                    separator: "&")
        }

        /// The query as fields of a form that a reader does not see.
        ///
        /// No page can hold a NUL, and a form sends other ends of lines than it was given. A key may have both: such a value is
        /// percent-encoded, under a name that ends with a percent sign.
        func hiddenFields(without names: [String] = []) -> [Markup] {
            query.filter { !names.contains($0.name) }.map { name, value in
                if value.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }) {
                    return
                        #"<input type="hidden" name="\#(field: name)%" value="\#(field: PercentCoding.encoded(value))">"#
                }
                return #"<input type="hidden" name="\#(field: name)" value="\#(field: value)">"#
            }
        }
    }

    extension Address {
        static func commit(_ number: CommitNumber) -> Address { Address("/commits/\(number)") }
        static func collection(_ name: String, at: String?) -> Address {
            Address("/collection", [("name", name), ("at", at)])
        }
        static func record(_ key: String, in collection: String, at: String?) -> Address {
            Address("/record", [("collection", collection), ("key", key), ("at", at)])
        }
        static func view(_ name: String, at: String?) -> Address { Address("/view", [("name", name), ("at", at)]) }
    }

#endif
