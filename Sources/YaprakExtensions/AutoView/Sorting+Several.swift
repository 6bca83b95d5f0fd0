import YaprakCore

extension Sorting {
    /// By a value of the object that may be missing; rows without it come first. Runs when the object is set or touched.
    ///
    ///     .byObject { $0.finished }                       // a Date?
    public static func byObject<Wrapped>(_ value: @escaping @Sendable (_ object: Object) -> Wrapped?) -> Self
    where Value == MissingFirst<Wrapped> {
        Self(.object) { MissingFirst($0.lendObject(to: value)) }
    }

    /// By two values of the object, the first before the second. Runs when the object is set or touched.
    ///
    ///     .byObject { ($0.surname, $0.firstName) }
    public static func byObject<First, Second>(
        _ values: @escaping @Sendable (_ object: Object) -> (First, Second)
    ) -> Self where Value == ValuePair<First, Second> {
        Self(.object) { box in
            let values = box.lendObject(to: values)
            return ValuePair(values.0, values.1)
        }
    }

    /// By a value of the metadata that may be missing. Runs when the metadata is set or touched.
    public static func byMetadata<Wrapped>(_ value: @escaping @Sendable (_ metadata: Metadata?) -> Wrapped?) -> Self
    where Value == MissingFirst<Wrapped> {
        Self(.metadata) { MissingFirst(value(Record<Object, Metadata>(box: $0).metadata)) }
    }
}
