/// Records in the log that a checkpoint was finished.
struct CheckpointMark: Equatable, Sendable {
    var number: UInt64
    /// The header checksum of the checkpoint's footer: it identifies the file and all its digests.
    var footerSum: UInt64
    var createdNs: Int64

    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: number)
        bytes.append(number: footerSum)
        bytes.append(number: createdNs)
        return bytes
    }
}
