/// The default key of a superclass.
struct SuperKey: CodingKey {
    init() {}
    init?(intValue: Int) { return nil }
    init?(stringValue: String) { guard stringValue == "super" else { return nil } }
    var intValue: Int? { nil }
    var stringValue: String { "super" }
}
