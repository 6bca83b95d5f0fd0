#if SQLite
    import Yaprak

    /// What becomes of the rows of a collection.
    enum ImportRule: Sendable {
        case skipped
        /// Read without its type.
        case values
        /// Decoded by the program. The first closure decodes, outside of any write; what it returns puts the record;
        /// the last parameter says whether in the place of another.
        case typed(target: String, decode: @Sendable (YapDatabaseRow, String, Bool) throws -> Put)

        typealias Put = @Sendable (inout WriteTransaction) throws -> ImportOutcome

        /// The name that the program gave its collection.
        var target: String? { if case .typed(let target, _) = self { target } else { nil } }
    }

    /// What putting a record did.
    enum ImportOutcome: Sendable {
        case inserted, replaced, unchanged
    }

    /// Equality of values whose type may have one.
    enum Equality {
        /// Whether both are equal; false for a type that does not say.
        static func holds<Value>(_ a: Value, _ b: Value) -> Bool {
            guard let a = a as? any Equatable else { return false }
            return isEqual(a, b)
        }

        private static func isEqual<Value: Equatable>(_ a: Value, _ b: Any) -> Bool { a == b as? Value }
    }
#endif
