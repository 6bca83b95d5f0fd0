#if SQLite
    import SystemPackage
    import Yaprak
    import YaprakCBOR
    import YaprakModel

    /// The rows of a file on their way into a database, and what is known of them.
    struct ImportReading {
        /// A row that is ready to be written.
        struct Item: Sendable {
            enum Content: Sendable {
                /// Encoded, for a collection that is read without its type.
                case encoded(object: [UInt8], metadata: [UInt8]?)
                /// What the row means as a property list, and what puts what it was decoded to.
                case typed(meantBytes: Int, ImportRule.Put)
            }

            /// The place of its collection in the report.
            let place: Int
            let rowID: Int64
            /// As in the file.
            let name: String
            /// In the database.
            let target: String
            let key: String
            let content: Content
        }

        private let rows: YapDatabaseRows
        private let rules: [[UInt8]: ImportRule]
        private let rest: YapDatabaseImport.Rest
        private let batchCount: Int
        private let replacesExisting: Bool
        private let endsWithTask: Bool
        private let valueBytesMax: Int
        /// How many bytes more than the file has of them its values may become together.
        private var expansionLeft: Int
        /// The collections of the file whose names are UTF-8, if there are others.
        private let plainCollections: Set<[UInt8]>
        /// The first collections of the file that no rule is for, to be shown.
        private let otherCollections: String
        private var names: TargetNames
        private var places: [[UInt8]: Int] = [:]
        /// What is to be read, and no row was in so far. Empty if there is a rule for each collection of the file: then none of
        /// them can be the one that was meant.
        private var unmatched: Set<[UInt8]>
        var report: ImportReport

        /// More bytes of rows than this don't go into one commit.
        private static let batchBytesMax = 16 << 20

        /// - Parameters:
        ///   - limits: those of the database that the rows are for.
        ///   - endsWithTask: whether reading throws, or a batch ends, when the task is cancelled that it is in.
        init(
            _ plan: YapDatabaseImport, _ rules: [[UInt8]: ImportRule], _ limits: DatabaseLimits, endsWithTask: Bool
        ) throws(DatabaseError) {
            rows = try YapDatabaseRows(plan.path, endsWithTask: endsWithTask)
            report = ImportReport(totalRowCount: rows.count)
            self.rules = rules
            rest = plan.rest
            batchCount = max(1, plan.batchCount)
            replacesExisting = plan.replacesExisting
            self.endsWithTask = endsWithTask
            valueBytesMax = limits.effectiveValueBytesMax
            // What a value refers to in many places, its record has in each of them: of a sound file that is some times as much.
            expansionLeft = 64 << 20 + 32 * min(rows.fileSize, 1 << 40)
            let collections = try rows.collections().map(\.name)
            let plain = collections.filter { $0.foreignBytes == nil }.map(\.text)
            let plainBytes = plain.count < collections.count ? Set(plain.map { Array($0.utf8) }) : []
            plainCollections = plainBytes
            let others = collections.filter { rules[Self.ruleName(of: $0, plainBytes)] == nil }
            otherCollections = Self.text(of: others)
            names = TargetNames(
                reserved: rules.values.compactMap(\.target), names: plain,
                keyBytesMax: min(limits.keyBytesMax, DatabaseLimits.storedKeyBytesMax))
            unmatched = others.isEmpty ? [] : Set(rules.filter { !$0.value.isSkipped }.keys)
        }

        /// The report, its collections by name.
        func finished(isComplete: Bool) -> ImportReport {
            var report = report
            report.collections.sort { $0.name < $1.name }
            report.isComplete = isComplete
            return report
        }

        mutating func add(_ note: ImportNote) { report.add(note) }

        /// The next rows; `nil` at the end. Of a task that was cancelled they may be fewer, or `nil`.
        mutating func nextBatch(_ note: (ImportNote) -> Void) throws(DatabaseError) -> [Item]? {
            var batch: [Item] = [], bytes = 0, hasRows = false
            while batch.count < batchCount, bytes < Self.batchBytesMax, !(endsWithTask && Task.isCancelled) {
                guard let step = try rows.next() else {
                    for one in unmatchedNotes() {
                        hasRows = true
                        report.add(one)
                        note(one)
                    }
                    break
                }
                hasRows = true
                // One without bytes takes time and memory, too.
                bytes += 16
                switch step {
                case .unread(let unread):
                    report.unreadPlaceCount += 1
                    // There may be one for each row of the file.
                    bytes += 240
                    report.add(unread)
                    note(unread)
                case .row(let row):
                    bytes += row.object.count + (row.metadata?.count ?? 0) + row.key.utf8.count
                    var notes: [ImportNote] = []
                    if let item = item(row, &notes) {
                        batch.append(item)
                        // What a few bytes mean may be large.
                        switch item.content {
                        case .encoded(let object, let metadata): bytes += object.count + (metadata?.count ?? 0)
                        case .typed(let meantBytes, _): bytes += meantBytes
                        }
                    }
                    for one in notes {
                        report.add(one)
                        note(one)
                    }
                }
            }
            return hasRows ? batch : nil
        }

        // MARK: Rows

        private mutating func item(_ row: YapDatabaseRow, _ notes: inout [ImportNote]) -> Item? {
            let (rule, place) = place(of: row, &notes)
            report.collections[place].rowCount += 1
            guard let target = report.collections[place].target else { return nil }
            let key = names.key(row.key, of: row.rowID, in: target)
            if key != row.key {
                notes.append(
                    note(
                        .renamed, row,
                        "another row has this key, in another spelling perhaps; it is "
                            + ImportNote.beginning(of: key).debugDescription))
            } else if row.hasForeignKey {
                notes.append(note(.renamed, row, "its key is no UTF-8, and has numbers in place of bytes"))
            }
            let content: Item.Content
            switch rule {
            case .skipped: return nil
            case .typed(_, let decode):
                guard let meantBytes = meantBytes(of: row) else {
                    report.collections[place].leftOutCount += 1
                    notes.append(note(.leftOut, row, "it is not decoded: \(Self.tooLargeTogether)"))
                    return nil
                }
                do {
                    content = .typed(meantBytes: meantBytes, try decode(row, key, replacesExisting))
                } catch {
                    report.collections[place].leftOutCount += 1
                    notes.append(note(.leftOut, row, "it could not be decoded: \(ErrorText.of(error))"))
                    return nil
                }
            case .values:
                do throws(CBORError) {
                    content = try values(row, place, &notes)
                } catch {
                    // A value that was read is one that can be written; were it not, nothing would be lost silently.
                    report.collections[place].leftOutCount += 1
                    notes.append(note(.leftOut, row, "it could not be encoded: \(error)"))
                    return nil
                }
            }
            return Item(
                place: place, rowID: row.rowID, name: row.collectionName, target: target, key: key, content: content)
        }

        private mutating func values(
            _ row: YapDatabaseRow, _ place: Int, _ notes: inout [ImportNote]
        ) throws(CBORError) -> Item.Content {
            let object = try read(Array(row.object))
            report.collections[place].forms[object.form, default: 0] += 1
            if let error = object.error {
                notes.append(note(.keptAsBytes, row, "its object is kept as bytes: \(error)"))
            } else if object.form == .empty {
                notes.append(note(.keptAsBytes, row, "its object has no bytes, and is null"))
            }
            var metadata: [UInt8]?
            if let bytes = row.metadata {
                let stored = try read(Array(bytes), mayBeTimestamp: true)
                report.collections[place].metadataForms[stored.form, default: 0] += 1
                if let error = stored.error {
                    notes.append(note(.keptAsBytes, row, "its metadata is kept as bytes: \(error)"))
                }
                if stored.form != .empty { metadata = stored.encoded }
            }
            return .encoded(object: object.encoded, metadata: metadata)
        }

        /// A value as it is written, within what those of the file may become together.
        private mutating func read(
            _ bytes: [UInt8], mayBeTimestamp: Bool = false
        ) throws(CBORError) -> (form: StoredValue.Form, error: ForeignDataError?, encoded: [UInt8]) {
            let room = bytes.count + expansionLeft
            let stored = StoredValue(bytes, mayBeTimestamp: mayBeTimestamp, bytesMax: min(valueBytesMax, room))
            let encoded = try stored.value.encoded()
            expansionLeft -= min(expansionLeft, max(0, encoded.count - bytes.count))
            let isAlone = room >= valueBytesMax || stored.error != Expansion.tooLarge
            return (stored.form, isAlone ? stored.error : Self.tooLargeTogether, encoded)
        }

        /// The bytes of what a property list that the program decodes means; `nil` if that is more than the values of the file
        /// may become together. Of other rows nothing is known: 0.
        private mutating func meantBytes(of row: YapDatabaseRow) -> Int? {
            var meant = BinaryPropertyList.meantBytes(Array(row.object)), stored = row.object.count
            if let metadata = row.metadata {
                meant += BinaryPropertyList.meantBytes(Array(metadata))
                stored += metadata.count
            }
            guard meant - stored <= expansionLeft else { return nil }
            expansionLeft -= max(0, meant - stored)
            return meant
        }

        private static let tooLargeTogether = ForeignDataError(
            .overLimit, "with the values before it, it is larger than those of a file of this size may be")

        private func note(_ kind: ImportNote.Kind, _ row: YapDatabaseRow, _ reason: String) -> ImportNote {
            ImportNote(kind, reason, rowID: row.rowID, collectionName: row.collectionName, key: row.key)
        }

        /// What becomes of the collection of a row, and where the report has it.
        private mutating func place(of row: YapDatabaseRow, _ notes: inout [ImportNote]) -> (ImportRule, Int) {
            // By its bytes: two spellings of a name are two collections there.
            let bytes = row.collectionBytes, ruled = Self.ruleName(of: row.storedCollectionName, plainCollections)
            let rule = rules[ruled] ?? (rest == .skipped ? .skipped : .values)
            if let place = places[bytes] { return (rule, place) }
            unmatched.remove(ruled)
            let target: String?
            switch rule {
            case .skipped: target = nil
            case .typed(let name, _): target = name
            case .values:
                let name = names.collection(row.collectionName, bytes: bytes)
                target = name
                if row.hasForeignCollection || !name.utf8.elementsEqual(row.collectionName.utf8) {
                    notes.append(
                        ImportNote(
                            .renamed, "it is called \(name.debugDescription) in the database",
                            collectionName: row.collectionName))
                }
            }
            let place = report.collections.count
            places[bytes] = place
            report.collections.append(ImportReport.Collection(name: row.collectionName, target: target))
            return (rule, place)
        }

        /// What a rule for a collection is called. A text stands for a collection whose name is no UTF-8 if it is no other's
        /// name.
        private static func ruleName(of name: YapDatabaseName, _ plainCollections: Set<[UInt8]>) -> [UInt8] {
            guard let bytes = name.foreignBytes else { return name.bytes }
            let text = Array(name.text.utf8)
            return plainCollections.contains(text) ? bytes : text
        }

        /// What to say, once, of rules without rows.
        private mutating func unmatchedNotes() -> [ImportNote] {
            defer { unmatched = [] }
            // Which collections the rows are in that can't be read, nobody knows.
            guard report.unreadPlaceCount == 0 else { return [] }
            return unmatched.map { String(decoding: $0, as: UTF8.self) }.sorted().map {
                ImportNote(
                    .unmatched, "the file has no row in this collection" + otherCollections, collectionName: $0)
            }
        }

        private static func text(of collections: [YapDatabaseName]) -> String {
            let shown = collections.prefix(8).map { ImportNote.beginning(of: $0.text, bytes: 255).debugDescription }
            return "; it has \(shown.joined(separator: ", "))" + (collections.count > 8 ? " and others" : "")
        }
    }
#endif
