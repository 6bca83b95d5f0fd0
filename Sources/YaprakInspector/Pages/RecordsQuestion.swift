#if Inspector
    import Yaprak
    import YaprakCBOR
    import YaprakReplay

    /// Which records of a collection are wanted, and in which order.
    struct RecordsQuestion: Sendable {
        static let pageSize = 50

        struct Answer: Sendable {
            /// Fewer than were asked for, and at least one, where these have more bytes than an answer may.
            var records: [ReplayRecord]
            /// How many there are in all, as far as was counted.
            var count: Int
            /// What the reader should know.
            var note: String?
        }

        let collection: String
        let condition: ReplayExpression?
        /// The field that orders them; `nil` for the order of keys.
        private let field: ReplayExpression?
        let isDescending: Bool
        let offset: Int
        let limit: Int

        /// - Parameter sort: a field, as an expression: `delay`, or `.stops[0].name`; `nil` for the order of keys.
        /// - Throws: `invalidParameter` as a ``Refusal`` if the field is none.
        init(
            collection: String, condition: ReplayExpression?, sort: String?, isDescending: Bool, offset: Int, limit: Int
        ) throws(Refusal) {
            do {
                field = try sort.map { name throws(ReplayExpressionError) in
                    try ReplayExpression(Self.expression(ofField: name), about: .record)
                }
            } catch {
                throw Refusal(400, "invalidParameter", "sort is a field, such as delay or .stops[0].name: \(error)")
            }
            self.collection = collection
            self.condition = condition
            self.isDescending = isDescending
            self.offset = offset
            self.limit = limit
        }

        /// The records, and how many there are. Stops at the deadline, and says so: also within one record, whose condition may
        /// look through collections.
        ///
        /// - Parameters:
        ///   - bytesMax: the records of the answer end with the one with which they have more bytes.
        ///   - isCancelled: whether nobody waits for the answer any more.
        /// - Throws: `CancellationError` if so.
        /// - Complexity: O(*limit* · log *n*) in the order of keys without a condition; else O(bytes of the collection).
        func answer(
            in snapshot: Snapshot, until deadline: ContinuousClock.Instant, bytesMax: Int = .max,
            unless isCancelled: @escaping () -> Bool = { false }
        ) throws(CancellationError) -> Answer {
            let records = snapshot.untyped(collection)
            let found =
                condition == nil && field == nil
                ? window(of: records)
                : scan(records, snapshot) { isCancelled() || ContinuousClock.now > deadline }
            var answer = Answer(records: [], count: found.count, note: found.note), bytes = 0
            for position in found.positions where bytes <= bytesMax {
                if isCancelled() { throw CancellationError() }
                let record = records[position]
                answer.records.append(record)
                bytes += record.byteCount
            }
            if isCancelled() { throw CancellationError() }
            return answer
        }

        /// Where the records of an answer are, and not the records: those of a program are encoded each time they are read, and
        /// may be large.
        private struct Found {
            let positions: [Int]
            let count: Int
            var note: String?
        }

        /// A bare name is a field of the object.
        static func expression(ofField name: String) -> String {
            if name.hasPrefix(".") || name.hasPrefix("$") { return name }
            func isLetter(_ byte: UInt8) -> Bool { byte == 0x5f || (0x41...0x5a).contains(byte & 0xdf) }
            let isBare =
                name.utf8.first.map(isLetter) ?? false
                && name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
            return isBare ? "." + name : quoted(name)
        }

        /// What a link that sorts by a field of the object says: the name itself, where that is not an expression.
        static func sort(ofField name: String) -> String {
            name.hasPrefix(".") || name.hasPrefix("$") ? quoted(name) : name
        }

        private static func quoted(_ name: String) -> String { ".[" + CBORValue.text(name).json() + "]" }

        /// In the order of keys; backwards where the order is turned.
        private func window(of records: UntypedRecords) -> Found {
            let count = records.count
            let low = min(offset, count), high = min(count, low + limit)
            return Found(positions: (low..<high).map { isDescending ? count - 1 - $0 : $0 }, count: count)
        }

        private func scan(
            _ records: UntypedRecords, _ snapshot: Snapshot, unless isStopped: @escaping () -> Bool
        ) -> Found {
            var found: [(key: CBORValue, position: Int)] = []
            var count = 0, seen = 0, isCut = false
            // With an order all have to be compared; only the first ones are kept, and none where none is to be shown.
            let needed = offset < records.count ? offset + min(limit, records.count - offset) : 0
            // Without a field the order of keys is turned; with one, equal values stay in it.
            let isTurned = field == nil && isDescending
            var (iterator, position) = (records.makeIterator(), isTurned ? records.count : -1)
            func next() -> ReplayRecord? {
                position += isTurned ? -1 : 1
                guard isTurned else { return iterator.next() }
                return position < 0 ? nil : records[position]
            }
            while let record = next() {
                var key = CBORValue.null, isWanted: Bool? = true
                if let condition { isWanted = condition.holds(for: record, in: snapshot, unless: isStopped) }
                if isWanted == true, let field {
                    let known = field.value(for: record, in: snapshot, unless: isStopped)
                    if known == nil { isWanted = nil }
                    key = ValueOrder.key(of: known ?? .null)
                }
                // One that was not decided is none of those that were looked at.
                guard let isWanted else {
                    isCut = true
                    break
                }
                seen += 1
                if !isWanted { continue }
                count += 1
                if field != nil {
                    found.append((key, position))
                    if found.count >= 2 * max(needed, 1000) { found = first(needed, of: found) }
                } else if count > offset, found.count < limit {
                    found.append((.null, position))
                }
            }
            if field != nil { found = Array(first(needed, of: found).dropFirst(offset)) }
            let note =
                isCut
                ? "Stopped after \(Amount.count(seen)) of \(records.count.counted("record")): the question takes too long. "
                    + "What is shown is of those." : nil
            return Found(positions: found.map(\.position), count: count, note: note)
        }

        private func first(
            _ needed: Int, of found: [(key: CBORValue, position: Int)]
        ) -> [(key: CBORValue, position: Int)] {
            // Equal values stay in the order of the records' keys, and what is missing stays at the end.
            let sorted = found.sorted { left, right in
                let isOtherMissing = ValueOrder.isMissing(right.key)
                if ValueOrder.isMissing(left.key) != isOtherMissing { return isOtherMissing }
                let order = ValueOrder.compare(left.key, right.key)
                return order == 0 ? left.position < right.position : (order < 0) != isDescending
            }
            return Array(sorted.prefix(needed))
        }
    }

    /// The order of expressions, for all values: what is missing has a place of its own, truth values come before numbers, these
    /// before texts and bytes, and tags are ignored. All others are equal: to write out what is in them may take long.
    enum ValueOrder {
        /// -1, 0 or 1.
        static func compare(_ left: CBORValue, _ right: CBORValue) -> Int {
            isOther(left) && isOther(right) ? 0 : left.sortOrder(to: right)
        }

        /// How many bytes of a text, or of bytes, records are sorted by: those that begin with the same are equal.
        static let keyBytesMax = 256

        /// What is kept of a value to sort by it, in the place of the value, which may have any size: all of a number, the first
        /// ``keyBytesMax`` of a text or of bytes, nothing of what is in a container.
        ///
        /// - Complexity: O(``keyBytesMax``).
        static func key(of value: CBORValue) -> CBORValue {
            switch untagged(value) {
            case .text(let text) where text.utf8.count > keyBytesMax:
                // To the end of the character there, so that texts which differ before it stay in their order.
                var end = text.utf8.index(text.startIndex, offsetBy: keyBytesMax)
                while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(after: end) }
                return .text(String(text[..<end]))
            case .bytes(let bytes) where bytes.count > keyBytesMax: return .bytes(Array(bytes.prefix(keyBytesMax)))
            case let other where isOther(other): return .array([])
            case let other: return other
            }
        }

        static func isMissing(_ value: CBORValue) -> Bool { untagged(value).isNull }

        private static func isOther(_ value: CBORValue) -> Bool {
            switch untagged(value) {
            case .array, .map, .simple: true
            default: false
            }
        }

        private static func untagged(_ value: CBORValue) -> CBORValue {
            var value = value
            while case .tag(_, let inner) = value { value = inner }
            return value
        }
    }
#endif
