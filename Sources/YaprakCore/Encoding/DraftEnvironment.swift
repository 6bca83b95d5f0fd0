import YaprakModel

/// What the drafts of a database take from it. One object for all of them.
final class DraftEnvironment: Sendable {
    let limits: DatabaseLimits
    /// Whether records are encoded when the transaction is sealed.
    let encodes: Bool
    /// Whether what was encoded is decoded again, to fail where a launch would.
    let checksDecoding: Bool
    let clock: @Sendable () -> Int64
    /// Lets the encoding of a record fail; none does if nil.
    let encodingFault: (@Sendable (_ collection: String, _ key: String) -> (any Error)?)?

    init(
        limits: DatabaseLimits, encodes: Bool = false, checksDecoding: Bool = false,
        clock: @escaping @Sendable () -> Int64,
        encodingFault: (@Sendable (_ collection: String, _ key: String) -> (any Error)?)? = nil
    ) {
        self.limits = limits
        self.encodes = encodes
        self.checksDecoding = checksDecoding
        self.clock = clock
        self.encodingFault = encodingFault
    }
}
