#if Inspector
    import NIOHTTP1

    /// A request, as far as the inspector reads it.
    struct Request: Sendable {
        /// `GET` or `HEAD`; nothing else gets here.
        let isHead: Bool
        /// The path, decoded.
        let path: String
        /// What follows the question mark, decoded, in order.
        let query: [(name: String, value: String)]
        /// The address as it was sent, for forms and links that come back to it.
        let target: String
        private let headers: HTTPHeaders

        /// - Returns: `nil` if the address is not one: bad escapes, no UTF-8.
        init?(_ head: HTTPRequestHead) {
            self.init(target: head.uri, isHead: head.method == .HEAD, headers: head.headers)
        }

        /// A request for an address.
        init?(target: String, isHead: Bool = false, headers: HTTPHeaders = [:]) {
            self.isHead = isHead
            self.headers = headers
            self.target = target
            let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
            guard target.utf8.first == UInt8(ascii: "/"), let first = parts.first,
                let path = PercentCoding.decoded(first, plusIsSpace: false)
            else { return nil }
            self.path = path
            var query: [(name: String, value: String)] = []
            if parts.count > 1 {
                for pair in parts[1].split(separator: UInt8(ascii: "&")) {
                    let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                    guard let name = PercentCoding.decoded(sides[0], plusIsSpace: true),
                        let value = sides.count > 1 ? PercentCoding.decoded(sides[1], plusIsSpace: true) : ""
                    else { return nil }
                    // The name of a hidden field whose value is encoded once more; see ``Address/hiddenFields(without:)``.
                    if name.utf8.last == UInt8(ascii: "%"),
                        let text = PercentCoding.decoded(value.utf8, plusIsSpace: false)
                    {
                        query.append((String(name.dropLast()), text))
                    } else {
                        query.append((name, value))
                    }
                }
            }
            self.query = query
        }

        /// The first value of a name in the query; `nil` if there is none, or an empty one.
        subscript(name: String) -> String? {
            guard let value = query.first(where: { $0.name == name })?.value, !value.isEmpty else { return nil }
            return value
        }

        /// The first value of a name in the query, which may be empty; `nil` if there is none. For texts of the database: a key
        /// may be empty, and so may the name of a group.
        func text(_ name: String) -> String? { query.first { $0.name == name }?.value }

        /// A header; `nil` if there is none, or several.
        func header(_ name: String) -> String? {
            let values = headers[name]
            return values.count == 1 ? values[0] : nil
        }

        /// The tags of the answers that the client has (`If-None-Match`), as it wrote them.
        var knownTags: [String] { headers["If-None-Match"] }

        /// Whether the client has the answer of a tag: one of those it lists, or `*`. A weak tag is as good here (RFC 9110,
        /// 13.1.2).
        func knows(_ tag: String) -> Bool {
            knownTags.contains { list in
                var rest = list.utf8[...], isListed = false
                func skip(_ bytes: String) { rest = rest.drop { bytes.utf8.contains($0) } }
                if list.trimmingPrefix(while: \.isWhitespace) == "*" { return true }
                while !rest.isEmpty, !isListed {
                    skip(", \t")
                    if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
                    // A tag may have commas: it ends with its second quote.
                    guard rest.first == UInt8(ascii: "\"") else { return false }
                    guard let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else { return false }
                    isListed = rest[...end].elementsEqual(tag.utf8)
                    rest = rest[rest.index(after: end)...]
                }
                return isListed
            }
        }

        /// Whether there is a header, however often.
        func hasHeader(_ name: String) -> Bool { headers.contains(name: name) }

        /// The values of a cookie, of all headers that have any.
        func cookies(_ name: String) -> [String] {
            headers["Cookie"].flatMap { $0.split(separator: ";") }.compactMap { pair in
                let sides = pair.split(separator: "=", maxSplits: 1).map { String($0.drop { $0 == " " }) }
                return sides.count == 2 && sides[0] == name ? sides[1] : nil
            }
        }
    }

    /// Percent-encoding, as in addresses (RFC 3986) and in what forms send.
    enum PercentCoding {
        /// The text of encoded bytes; `nil` if an escape is broken, or if it is not UTF-8.
        static func decoded(_ bytes: some Sequence<UInt8>, plusIsSpace: Bool) -> String? {
            var out: [UInt8] = []
            var iterator = bytes.makeIterator()
            while let byte = iterator.next() {
                switch byte {
                case UInt8(ascii: "+") where plusIsSpace: out.append(UInt8(ascii: " "))
                case UInt8(ascii: "%"):
                    guard let high = iterator.next().flatMap(digit), let low = iterator.next().flatMap(digit) else {
                        return nil
                    }
                    out.append(high << 4 | low)
                default: out.append(byte)
                }
            }
            return String(validating: out, as: UTF8.self)
        }

        /// A text as it stands in a query.
        static func encoded(_ text: String) -> String {
            var out = ""
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "~"):
                    out.unicodeScalars.append(Unicode.Scalar(byte))
                default:
                    out += byte < 16 ? "%0" : "%"
                    out += String(byte, radix: 16, uppercase: true)
                }
            }
            return out
        }

        private static func digit(_ byte: UInt8) -> UInt8? {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
            default: nil
            }
        }
    }
#endif
