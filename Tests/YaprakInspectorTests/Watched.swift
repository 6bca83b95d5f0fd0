#if Inspector
    import TestSupport
    import Yaprak
    import YaprakLocks

    /// Hears when records are encoded, from ``start()`` on, and can hold that up.
    final class Watch: Sendable {
        /// `nil` until it is to hear.
        private let counted = Mutex<Int?>(nil)
        private let held: Int?
        /// Set when the held one is encoded.
        let began = Flag()
        /// Lets that go on.
        let gate = Flag()

        /// - Parameter held: the encoding that waits for the gate, counted from 1; none if `nil`.
        init(holding held: Int? = nil) { self.held = held }

        /// Begins to count, when all is written: a write in memory encodes each record with a reference in its type, to see how
        /// deep it nests.
        func start() { counted.withLock { $0 = 0 } }

        /// How many values were encoded since it began.
        var count: Int { counted.withLock { $0 ?? 0 } }

        func willEncode() {
            let number = counted.withLock { count -> Int? in
                count = count.map { $0 + 1 }
                return count
            }
            guard let number, number == held else { return }
            began.set()
            gate.wait()
        }
    }

    /// A record of a database in memory, where nobody encodes it, once it is written, but who asks for its bytes.
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
