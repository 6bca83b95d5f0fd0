#if SQLite
    import Yaprak
    import YaprakCore
    import YaprakModel

    /// Writes rows, and finds those that the database refuses.
    struct ImportWriter {
        let database: Database
        let origin: String
        let replacesExisting: Bool

        /// Writes rows in one commit. If it fails because of one of them, in several, without it.
        /// - Returns: what is to be said of those that were refused.
        func write(_ batch: [ImportReading.Item], _ report: inout ImportReport) async throws -> [ImportNote] {
            if batch.isEmpty { return [] }
            let outcomes: [ImportOutcome]
            do {
                outcomes = try await database.write(origin: origin) { transaction in
                    var outcomes: [ImportOutcome] = []
                    outcomes.reserveCapacity(batch.count)
                    for item in batch { outcomes.append(try Self.put(item, replacesExisting, &transaction)) }
                    return outcomes
                }
            } catch let error where Self.isOfOneRow(error) {
                if let item = batch.first, batch.count == 1 {
                    report.collections[item.place].leftOutCount += 1
                    return [
                        ImportNote(
                            .leftOut, "the database refuses it: \(ErrorText.of(error))", rowID: item.rowID,
                            collectionName: item.name, key: item.key)
                    ]
                }
                let middle = batch.count / 2
                return try await write(Array(batch[..<middle]), &report) + write(Array(batch[middle...]), &report)
            }
            // A write that changes nothing makes no commit.
            if outcomes.contains(where: { $0 != .unchanged }) { report.commitCount += 1 }
            for (item, outcome) in zip(batch, outcomes) {
                switch outcome {
                case .inserted: report.collections[item.place].insertedCount += 1
                case .replaced: report.collections[item.place].replacedCount += 1
                case .unchanged: report.collections[item.place].unchangedCount += 1
                }
            }
            return []
        }

        private static func put(
            _ item: ImportReading.Item, _ replaces: Bool, _ transaction: inout WriteTransaction
        ) throws -> ImportOutcome {
            switch item.content {
            case .typed(_, let put): return try put(&transaction)
            case .encoded(let object, let metadata):
                let isThere = transaction.hasRecord(item.key, inCollectionNamed: item.target)
                if isThere, !replaces { return .unchanged }
                // The file is older than any version of the collection, whichever its records have now.
                let kinds = try transaction.put(
                    object: object[...], metadata: metadata.map { $0[...] }, version: 1, for: item.key,
                    inCollectionNamed: item.target)
                return kinds.isEmpty ? .unchanged : isThere ? .replaced : .inserted
            }
        }

        /// Whether an error is about one of the rows, or about the size of all of them together; the import goes on without
        /// that row. Others would come with every row, and end it.
        ///
        /// What the program's own checks, reactions and extensions throw is about a row, unless it has a code of those that a
        /// write fails with by itself: else one bad row would end the import. If they throw at all rows, each has a note.
        static func isOfOneRow(_ error: any Error) -> Bool {
            guard let error = error as? DatabaseError else { return !(error is CancellationError && Task.isCancelled) }
            // A row may need one collection too many. That the log can have no more files, or no more commits, is no row's.
            if error.code == .overLimit { return error.place.collectionName != nil }
            return !ofEveryRow.contains(error.code)
        }

        /// That the disk or the database take no more, and that the program has not declared what it uses. A code that only
        /// opening has is none of them.
        private static let ofEveryRow: Set<DatabaseError.Code> = [
            .diskFull, .writeFailed, .syncFailed, .readOnly, .closed, .abandoned, .ioFailed, .permissionDenied,
            .corruptLog, .corruptCheckpoint, .corruptTags, .stateDiffers,
            .typeMismatch, .notConfigured, .nameTaken, .missingExtension, .extensionNotRegistered,
        ]
    }

    extension WriteTransaction {
        /// Whether there is a record under a key, also one that is set aside. O(log *n*).
        func hasRecord(_ key: String, inCollectionNamed name: String) -> Bool {
            containsUntyped(key.normalizedKey, inCollectionNamed: name)
        }
    }
#endif
