#if SQLite
    import Yaprak
    import YaprakCBOR

    /// What becomes of the rows of a collection.
    enum ImportRule: Sendable {
        case skipped
        /// Read without its type.
        case values
        /// Decoded by the program. The first closure decodes, outside of any write; what it returns puts the record;
        /// the last parameter says whether in the place of another.
        case typed(target: String, decode: @Sendable (YapDatabaseRow, String, Bool) throws -> Put)

        typealias Put = @Sendable (inout WriteTransaction) throws -> ImportOutcome

        var isSkipped: Bool { if case .skipped = self { true } else { false } }

        /// The name that the program gave its collection.
        var target: String? { if case .typed(let target, _) = self { target } else { nil } }
    }

    /// What putting a record did.
    enum ImportOutcome: Sendable {
        case inserted, replaced, unchanged
    }

    /// Equality of values by what would be stored: `==` of a type may leave some of its properties out.
    enum StoredEquality {
        /// Whether both are stored as the same bytes. False, too, where that can't be said: such a record is written again.
        static func holds<Value: Encodable>(_ a: Value, _ b: Value) -> Bool {
            guard let a = try? CBOREncoder().encode(a), let b = try? CBOREncoder().encode(b) else { return false }
            return a == b
        }
    }
#endif
