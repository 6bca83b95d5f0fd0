#if Inspector
    import Yaprak
    import YaprakCBOR
    import YaprakReplay

    /// Which records of a collection are wanted, and in which order.
    struct RecordsQuestion: Sendable {
        static let pageSize = 50

        struct Answer: Sendable {
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

        /// The records, and how many there are. Stops at the deadline, and says so.
        ///
        /// - Complexity: O(*limit* · log *n*) in the order of keys without a condition; else O(bytes of the collection).
        func answer(in snapshot: Snapshot, until deadline: ContinuousClock.Instant) -> Answer {
            let records = snapshot.untyped(collection)
            if condition == nil, field == nil { return window(of: records) }
            return scan(records, snapshot, deadline)
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
        private func window(of records: UntypedRecords) -> Answer {
            let count = records.count
            let low = min(offset, count), high = min(count, low + limit)
            let found = isDescending ? (low..<high).map { records[count - 1 - $0] } : (low..<high).map { records[$0] }
            return Answer(records: found, count: count)
        }

        private func scan(
            _ records: UntypedRecords, _ snapshot: Snapshot, _ deadline: ContinuousClock.Instant
        ) -> Answer {
            var found: [(value: CBORValue, record: ReplayRecord)] = []
            var count = 0, seen = 0, isCut = false
            // With an order all have to be compared; only the first ones are kept.
            let (end, isFar) = offset.addingReportingOverflow(limit)
            let needed = isFar ? Int.max : end
            // Without a field the order of keys is turned; with one, equal values stay in it.
            let isTurned = field == nil && isDescending
            var (iterator, left) = (records.makeIterator(), records.count)
            func next() -> ReplayRecord? {
                guard isTurned else { return iterator.next() }
                left -= 1
                return left < 0 ? nil : records[left]
            }
            while let record = next() {
                seen += 1
                if seen % 256 == 0, ContinuousClock.now > deadline {
                    isCut = true
                    break
                }
                if let condition, !condition.holds(for: record, in: snapshot) { continue }
                count += 1
                if let field {
                    found.append((field.value(for: record, in: snapshot), record))
                    if found.count >= 2 * max(needed, 1000) { found = first(needed, of: found) }
                } else if count > offset, found.count < limit {
                    found.append((.null, record))
                }
            }
            if field != nil { found = Array(first(needed, of: found).dropFirst(offset)) }
            let note =
                isCut
                ? "Stopped after \(Amount.count(seen)) of \(Amount.count(records.count)) records: the question takes too long. "
                    + "What is shown is of those." : nil
            return Answer(records: found.map(\.record), count: count, note: note)
        }

        private func first(
            _ needed: Int, of found: [(value: CBORValue, record: ReplayRecord)]
        ) -> [(value: CBORValue, record: ReplayRecord)] {
            // Equal values stay in the order of keys, and what is missing stays at the end.
            let sorted = found.enumerated().sorted { left, right in
                if left.element.value.isNull != right.element.value.isNull { return right.element.value.isNull }
                let order = ValueOrder.compare(left.element.value, right.element.value)
                return order == 0 ? left.offset < right.offset : (order < 0) != isDescending
            }
            return sorted.prefix(needed).map(\.element)
        }
    }

    /// An order of all values: what is missing last, then by kind, numbers by size, text by its characters.
    enum ValueOrder {
        /// -1, 0 or 1.
        static func compare(_ left: CBORValue, _ right: CBORValue) -> Int {
            let (first, second) = (rank(left), rank(right))
            if first != second { return first < second ? -1 : 1 }
            switch (left, right) {
            case (.text(let left), .text(let right)): return left == right ? 0 : left < right ? -1 : 1
            case (.bool(let left), .bool(let right)): return left == right ? 0 : right ? -1 : 1
            // Beyond 2^53 numbers that differ may be equal as floating-point numbers.
            case (.unsigned(let left), .unsigned(let right)): return left == right ? 0 : left < right ? -1 : 1
            case (.negative(let left), .negative(let right)): return left == right ? 0 : left > right ? -1 : 1
            default:
                guard let left = number(left), let right = number(right) else { return 0 }
                return left == right ? 0 : left < right ? -1 : 1
            }
        }

        private static func rank(_ value: CBORValue) -> Int {
            switch value {
            case .unsigned, .negative, .float: number(value) == nil ? 5 : 0
            case .text: 1
            case .bool: 2
            case .null, .undefined: 6
            default: 4
            }
        }

        private static func number(_ value: CBORValue) -> Double? {
            switch value {
            case .unsigned(let number): Double(number)
            case .negative(let number): -1 - Double(number)
            case .float(let number): number.isNaN ? nil : number
            default: nil
            }
        }
    }
#endif
