package import Yaprak

/// What the simulation stores.
package struct SimulatedRecord: Codable, Sendable, Hashable {
    package var number: Int
    package var text: String

    package static let items = RecordCollection<SimulatedRecord, NoMetadata>("items")
    package static let others = RecordCollection<SimulatedRecord, Int>("others")

    /// A collection of the two and a key in it, as one name.
    package static func name(_ isOther: Bool, _ key: Int) -> String { isOther ? "others/\(key)" : "items/\(key)" }
}
