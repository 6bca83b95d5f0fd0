#if Inspector
    import TestSupport
    import Yaprak
    import YaprakLocks

    /// Hears when records are encoded, and can hold that up.
    final class Watch: Sendable {
        private let counted = Mutex(0)
        private let held: Int?
        /// Set when the held one is encoded.
        let began = Flag()
        /// Lets that go on.
        let gate = Flag()

        /// - Parameter held: the encoding that waits for the gate, counted from 1; none if `nil`.
        init(holding held: Int? = nil) { self.held = held }

        /// How many values were encoded.
        var count: Int { counted.withLock { $0 } }

        func willEncode() {
            let number = counted.withLock { count in
                count += 1
                return count
            }
            guard number == held else { return }
            began.set()
            gate.wait()
        }
    }

    /// A record of a database in memory, where nobody encodes it but who asks for its bytes.
    struct Watched: Codable, Sendable {
        let value: Int
        private let watch: Watch?

        init(_ value: Int, _ watch: Watch) {
            self.value = value
            self.watch = watch
        }

        init(from decoder: any Decoder) throws {
            value = try decoder.singleValueContainer().decode(Int.self)
            watch = nil
        }

        func encode(to encoder: any Encoder) throws {
            watch?.willEncode()
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    let watched = RecordCollection<Watched, NoMetadata>("watched")
#endif
