import YaprakModel

/// What a draft takes from the database it is part of.
struct DraftEnvironment: Sendable {
    var limits = DatabaseLimits()
    /// Whether records are encoded when the transaction is sealed.
    var encodes = false
    /// Whether what was encoded is decoded again, to fail where a launch would.
    var checksDecoding = false
    var clock: @Sendable () -> Int64
}
