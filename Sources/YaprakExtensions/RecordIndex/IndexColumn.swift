public import YaprakCore

/// One column of a ``RecordIndex``: what its entries are sorted and found by.
///
///     RecordIndex("mails.inbox", of: .mails, columns: .metadata(\.folder), .descending(\.date))
///     RecordIndex("books.title", of: .books, columns: .ascending { $0.title.lowercased() })
///
/// By key path or by closure. A query finds an index by its key paths; a closure serves reads by the index's name. A column
/// must depend on the record alone: not on the clock, not on a locale.
///
/// If a column returns another value for an unchanged record, entries stay in the wrong place until these records are written
/// or the index is registered again. Nothing else happens: an index has each record of its snapshot, and no other. A write that
/// finds no entry where the column puts it now makes all entries again, in O(*n* log *n*).
public struct IndexColumn<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sendable {
    package let rule: ColumnRule

    private init(_ rule: ColumnRule) { self.rule = rule }

    private init<Value: IndexColumnValue>(_ path: any KeyPath<Object, Value> & Sendable, isDescending: Bool) {
        let offset = MemoryLayout<Object>.offset(of: path)
        let stored = offset.flatMap {
            ColumnRule.stored(
                Value.self, at: $0, ofObjectAt: TypedRecord<Object, Metadata>.objectOffset, path: path,
                isDescending: isDescending)
        }
        self.init(
            stored
                ?? ColumnRule(
                    Value.self, path: path, reads: .object,
                    isPure: offset != nil && Value.self is any PlainIndexValue.Type, isDescending: isDescending,
                    value: TypedRecord<Object, Metadata>.reading(path)))
    }

    private init<Value: IndexColumnValue>(_ value: @escaping @Sendable (Object) -> Value, isDescending: Bool) {
        self.init(
            ColumnRule(Value.self, path: nil, reads: .object, isDescending: isDescending) { $0.lendObject(to: value) })
    }

    /// A property of the object, small values first. An array or a set makes an entry for each element.
    public static func ascending<Value: IndexColumnValue>(_ path: any KeyPath<Object, Value> & Sendable) -> Self {
        Self(path, isDescending: false)
    }

    /// What a closure makes of the object, small values first.
    public static func ascending<Value: IndexColumnValue>(_ value: @escaping @Sendable (Object) -> Value) -> Self {
        Self(value, isDescending: false)
    }

    /// A property of the object, large values first, and `nil` last.
    public static func descending<Value: IndexColumnValue>(_ path: any KeyPath<Object, Value> & Sendable) -> Self {
        Self(path, isDescending: true)
    }

    /// What a closure makes of the object, large values first, and `nil` last.
    public static func descending<Value: IndexColumnValue>(_ value: @escaping @Sendable (Object) -> Value) -> Self {
        Self(value, isDescending: true)
    }

    /// What a closure makes of the metadata, which is `nil` where the record has none.
    ///
    ///     .metadata { $0?.folder }
    public static func metadata<Value: IndexColumnValue>(
        _ value: @escaping @Sendable (Metadata?) -> Value, isDescending: Bool = false
    ) -> Self {
        Self(rule(.metadata, isDescending) { value(Record<Object, Metadata>(box: $0).metadata) })
    }

    /// A property of the metadata; `nil` where the record has none.
    public static func metadata<Value: IndexValue>(
        _ path: any KeyPath<Metadata, Value> & Sendable, isDescending: Bool = false
    ) -> Self {
        Self(
            ColumnRule(
                Value?.self, path: path, reads: .metadata,
                isPure: MemoryLayout<Metadata>.offset(of: path) != nil && Value.self is any PlainIndexValue.Type,
                isDescending: isDescending
            ) {
                Record<Object, Metadata>(box: $0).metadata?[keyPath: path]
            })
    }

    /// What a closure makes of key, object and metadata together.
    public static func row<Value: IndexColumnValue>(
        _ value: @escaping @Sendable (Record<Object, Metadata>) -> Value, isDescending: Bool = false
    ) -> Self {
        Self(rule(.row, isDescending) { value(Record<Object, Metadata>(box: $0)) })
    }

    private static func rule<Value: IndexColumnValue>(
        _ reads: Aspects, _ isDescending: Bool, _ value: @escaping @Sendable (RecordBox) -> Value
    ) -> ColumnRule {
        ColumnRule(Value.self, path: nil, reads: reads, isDescending: isDescending, value: value)
    }
}
