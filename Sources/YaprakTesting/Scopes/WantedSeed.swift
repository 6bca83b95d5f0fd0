internal import Foundation

/// Which seeds `YAPRAK_SEED` in the environment asks for.
enum WantedSeed: Equatable {
    case all
    case only(UInt64)
    /// It is set, and no number.
    case unreadable(String)

    /// What a text asks for; without one, or with none in it, all.
    init(_ text: String?) {
        if let text, !text.isEmpty {
            self = UInt64(text).map { .only($0) } ?? .unreadable(text)
        } else {
            self = .all
        }
    }

    /// The seed to repeat, or `nil` for all.
    ///
    /// - Throws: ``Fault`` if the text is none: running all seeds in its place would repeat nothing.
    static func fromEnvironment() throws(Fault) -> UInt64? {
        switch WantedSeed(ProcessInfo.processInfo.environment["YAPRAK_SEED"]) {
        case .all: return nil
        case .only(let seed): return seed
        case .unreadable(let text): throw Fault(text: text)
        }
    }

    struct Fault: Error, CustomStringConvertible {
        let text: String

        var description: String {
            """
            YAPRAK_SEED is \(text.debugDescription), which is no seed: give a number in decimal digits, as the failure has it. \
            Nothing was run.
            """
        }
    }
}
