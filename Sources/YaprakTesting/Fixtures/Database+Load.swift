public import Yaprak
internal import YaprakCBOR
internal import YaprakSimulator

extension Database {
    /// Writes the records of a file into a collection.
    ///
    ///     try await database.load(.ndjson("cities.ndjson"), into: .cities, key: "id")
    ///
    /// One commit for 10,000 records, with the name of the file as its origin.
    /// - Parameters:
    ///   - file: where the records are.
    ///   - collection: where they go.
    ///   - field: the name of the field that holds the key; a text or a whole number. It may be a property of the object, too.
    ///   - metadataField: the name of the field that holds the metadata; records without it, or with null there, have none. It
    ///     may be a property of the object, too. Without a name no record has metadata.
    /// - Throws: `notFound`, `ioFailed`; `invalidFixture` with the line if the file is not in its form, has a record without
    ///   a key, or two with the same; `undecodableRecord` with the record and the field if it is not of the type of the
    ///   collection. As ``Database.write(origin:_:)``.
    /// - Complexity: O(bytes of the file).
    public nonisolated(nonsending) func load<Object, Metadata>(
        _ file: FixtureFile, into collection: RecordCollection<Object, Metadata>, key field: String,
        metadata metadataField: String? = nil
    ) async throws {
        let read = { @Sendable in try file.records(of: collection, key: field, metadata: metadataField) }
        // In a seeded run the thread reads: a task that is woken from elsewhere would be one that escaped.
        let records = try await SeededScheduler.isOnThread ? read() : blocking(read)
        for start in stride(from: 0, to: records.count, by: 10_000) {
            try await write(origin: file.name) { transaction in
                for record in records[start..<min(start + 10_000, records.count)] {
                    transaction[collection].set(record.object, metadata: record.metadata, for: record.key)
                }
            }
        }
    }
}

extension FixtureFile {
    fileprivate typealias FileRecord<Object, Metadata> = (key: String, object: Object, metadata: Metadata?)

    /// The records of the file as values of the program's types.
    fileprivate func records<Object, Metadata>(
        of collection: RecordCollection<Object, Metadata>, key field: String, metadata metadataField: String?
    ) throws -> [FileRecord<Object, Metadata>] {
        var records: [FileRecord<Object, Metadata>] = []
        var lines: [String: Int] = [:]
        func add(_ line: Int, _ key: String?, _ decode: () throws -> (Object, Metadata?)) throws {
            guard let key else {
                throw refusal(line, "the field \(field.debugDescription) has no key: a text or a number")
            }
            if let first = lines.updateValue(line, forKey: key) {
                throw refusal(line, "the key \(key.debugDescription) is that of line \(first), too")
            }
            do {
                let (object, metadata) = try decode()
                records.append((key, object, metadata))
            } catch let error as DecodingError {
                throw mismatch(line, key, collection.name, error)
            }
        }
        switch form {
        case .ndjson:
            try Self.lines(of: path) { line, bytes in
                if bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { return }
                let json: CBORValue
                do { json = try CBORValue(json: bytes) } catch { throw refusal(line, "\(error)") }
                guard json.map != nil else { throw refusal(line, "a record is a JSON object") }
                try add(line, json[field]?.keyText) {
                    let object = try CBORDecoder().decode(Object.self, from: json.encoded())
                    guard let metadataField, let value = json[metadataField], !value.isNull else {
                        return (object, nil)
                    }
                    return (object, try decoded(value, in: metadataField))
                }
            }
        case .csv(let separator):
            var text = ""
            try Self.lines(of: path, keepingReturns: true) { number, bytes in
                guard let line = String(validating: bytes, as: UTF8.self) else {
                    throw refusal(number, "it is not in UTF-8")
                }
                text += line + "\n"
            }
            let table: CSVTable
            do { table = try CSVTable(text, separator: separator) } catch { throw refusal(error.line, error.message) }
            for name in [field] + (metadataField.map { [$0] } ?? []) where !table.names.contains(name) {
                throw refusal(1, "no field is called \(name.debugDescription); there are \(table.names)")
            }
            for row in table.rows {
                let fields = Dictionary(uniqueKeysWithValues: zip(table.names, row.values))
                let key = fields[field].flatMap { $0.isEmpty ? nil : $0 }
                try add(row.line, key) {
                    let object = try Object(from: CSVRowDecoder(fields: fields))
                    guard let metadataField, let text = fields[metadataField], !text.isEmpty else {
                        return (object, nil)
                    }
                    let field = CSVFieldDecoder(text: text, codingPath: [FieldName(metadataField)])
                    return (object, try field.decode(Metadata.self))
                }
            }
        }
        return records
    }

    /// A value of a field; a type that does not fit is reported with the path that starts there.
    private func decoded<Value: Decodable>(_ value: CBORValue, in field: String) throws -> Value {
        do {
            return try CBORDecoder().decode(Value.self, from: value.encoded())
        } catch let error as DecodingError {
            throw error.below(FieldName(field))
        }
    }

    private func refusal(_ line: Int, _ what: String) -> DatabaseError {
        DatabaseError(.invalidFixture, "\(name), line \(line): \(what). Correct the file.", place: .init(file: path))
    }

    private func mismatch(_ line: Int, _ key: String, _ collection: String, _ error: DecodingError) -> DatabaseError {
        DatabaseError(
            .undecodableRecord,
            """
            \(name), line \(line): the record \(key.debugDescription) is not one that "\(collection)" holds: \
            \(SchemaMismatch.text(of: error)). Correct the file, or the type.
            """,
            place: .init(file: path, collectionName: collection, key: key))
    }
}

/// The name of a field, for paths.
private struct FieldName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
}

extension DecodingError {
    /// The same error, in a value that is at a key.
    fileprivate func below(_ key: some CodingKey) -> DecodingError {
        func moved(_ context: Context) -> Context {
            Context(
                codingPath: [key] + context.codingPath, debugDescription: context.debugDescription,
                underlyingError: context.underlyingError)
        }
        return switch self {
        case .typeMismatch(let type, let context): .typeMismatch(type, moved(context))
        case .valueNotFound(let type, let context): .valueNotFound(type, moved(context))
        case .keyNotFound(let missing, let context): .keyNotFound(missing, moved(context))
        case .dataCorrupted(let context): .dataCorrupted(moved(context))
        @unknown default: self
        }
    }
}

extension CBORValue {
    /// A key: a text or a whole number.
    fileprivate var keyText: String? {
        switch self {
        case .text(let text) where !text.isEmpty: text
        case .unsigned(let number): "\(number)"
        case .negative: integer.map { "\($0)" }
        default: nil
        }
    }
}
