/// Why something that should be a frame is none.
enum FrameDamage: Sendable, Equatable {
    /// The file ends here.
    case endOfFile
    /// Zeros: nothing was written here yet.
    case blank
    /// The header does not verify.
    case header
    /// The frame would reach over the end, or is larger than the file allows.
    case bounds
    /// The payload does not verify.
    case payload
    /// The frame verifies, but does not follow the one before it.
    case chain
    /// The frame verifies, but what it says contradicts itself.
    case content(String)
    /// The frame needs a feature this version lacks.
    case newer(String)

    /// What to say about it.
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
