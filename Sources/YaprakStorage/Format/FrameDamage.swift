/// Why bytes are not a valid frame.
enum FrameDamage: Sendable, Equatable {
    /// The file ends here.
    case endOfFile
    /// Zeros: nothing was written here yet.
    case blank
    /// The header does not verify.
    case header
    /// The frame reaches beyond the end, or is larger than the file allows.
    case bounds
    /// The payload does not verify.
    case payload
    /// The frame verifies, but does not continue the chain.
    case chain
    /// The frame verifies, but its content is inconsistent.
    case content(String)
    /// The frame needs a feature this version lacks.
    case newer(String)

    /// A clause for a message.
    var sentence: String {
        switch self {
        case .endOfFile: "the file ends"
        case .blank: "nothing was written"
        case .header: "the header of the frame does not verify"
        case .bounds: "the frame is larger than its file allows"
        case .payload: "the payload of the frame does not verify"
        case .chain: "the frame does not follow the one before it"
        case .content(let what): what
        case .newer(let what): what
        }
    }
}

/// Carries a `FrameDamage` through `Result`.
struct FrameDamageError: Error {
    let damage: FrameDamage
    init(_ damage: FrameDamage) { self.damage = damage }
}
