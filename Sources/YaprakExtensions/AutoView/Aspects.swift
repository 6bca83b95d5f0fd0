import YaprakCore

/// The parts of a record a closure reads, known from its type: a change of other parts runs no code.
package struct Aspects: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let object = Self(rawValue: 1)
    package static let metadata = Self(rawValue: 2)
    /// The key alone, which never changes.
    package static let key: Self = []
    package static let row: Self = [.object, .metadata]

    /// Whether a change of a record can matter. (One that came again after all were removed at once is called inserted.)
    func concerns(_ kinds: ChangeKinds) -> Bool {
        contains(.object) && kinds.concernsObject || contains(.metadata) && kinds.concernsMetadata
    }
}
