#if os(Linux)
    import Foundation
    import SystemPackage
    import TestSupport
    import Testing
    import Yaprak
    import YaprakCBOR

    /// A file of some kilobytes that says it holds very much, or holds very much once it is decompressed: what reads it takes
    /// no more memory than the limits of the format allow, whatever it counts.
    @Suite(.bounded) struct BombTests {
        let folder: Folder

        init() throws { folder = try Folder() }

        /// What the only segment holds: items, and how many commits each frame of them counts.
        enum Bomb: CaseIterable {
            /// Those that are read within seconds, also by a debug build; a soak has all.
            static var some: [Bomb] {
                let long: Set = [operations, operationsOfSeveral, histories, commits, frame]
                return allCases.filter { Soak.isOn || !long.contains($0) }
            }

            /// As many operations as a commit may have.
            case operations
            /// One more.
            case tooManyOperations
            /// As many operations as a commit may have, in each of three.
            case operationsOfSeveral
            /// As many collections as a commit may have, and steps, and histories.
            case collections, steps, histories
            /// A field that no version knows, with 64 million items.
            case unknownField
            /// Arrays within arrays.
            case levels
            /// The largest value that a record may have.
            case value
            /// As many commits as a frame may have, in twenty frames.
            case commits
            /// The largest frame.
            case frame

            var items: [([UInt8], UInt32)] {
                switch self {
                case .operations: [(commit(1, list: Self.operationsMax), 1)]
                case .tooManyOperations: [(commit(1, list: Self.operationsMax + 1), 1)]
                case .operationsOfSeveral: (1...3).map { (commit(UInt8($0), list: Self.operationsMax), 1) }
                case .collections:
                    [(field("c", Self.array((1 << 20) - 1, of: [0x84, 0x61, 0x62, 0x01, 0xf4, 0x80])), 1)]
                case .steps: [(field("s", Self.array(Self.operationsMax, of: [0x82, 0x61, 0x76, 0x00])), 1)]
                case .histories: [(field("h", Self.array(Self.operationsMax, of: [0x82, 0x61, 0x76, 0x60])), 1)]
                case .unknownField: [(field("z", Self.array((64 << 20) - 100, of: [0])), 1)]
                case .levels: [(field("z", [UInt8](repeating: 0x81, count: 64 << 20) + [0]), 1)]
                case .value: [(commit(1, operation: Self.insertion(bytes: (64 << 20) - 100)), 1)]
                case .commits: (0..<20).map { _ in ([UInt8](repeating: 0xa0, count: 1 << 16), 1 << 16) }
                case .frame: [([UInt8](repeating: 0xa0, count: 256 << 20), 1)]
                }
            }

            private static let operationsMax = 4 << 20

            /// An array of equal items.
            private static func array(_ count: Int, of item: [UInt8]) -> [UInt8] {
                var bytes: [UInt8] = [0x9a] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
                bytes.reserveCapacity(count * item.count + 5)
                if item.count == 1 { return bytes + [UInt8](repeating: item[0], count: count) }
                for _ in 0..<count { bytes += item }
                return bytes
            }

            /// A record with the empty key that is inserted, a byte string so long.
            private static func insertion(bytes count: Int) -> [UInt8] {
                [0x83, 0x60, 0x01, 0x5a] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
                    + [UInt8](repeating: 0, count: count)
            }

            /// A commit with one field beside its number and time.
            private func field(_ name: Character, number: UInt8 = 1, _ value: [UInt8]) -> [UInt8] {
                [0xa3, 0x61, name.asciiValue!] + value + [0x61, 0x6e, number, 0x61, 0x74, 0x00]
            }

            private func commit(_ number: UInt8, operations: [UInt8]) -> [UInt8] {
                field("c", number: number, [0x81, 0x84, 0x61, 0x62, 0x01, 0xf4] + operations)
            }

            /// A commit with so many insertions of a record with the empty key.
            private func commit(_ number: UInt8, list count: Int) -> [UInt8] {
                commit(number, operations: Self.array(count, of: [0x83, 0x60, 0x01, 0x00]))
            }

            private func commit(_ number: UInt8, operation: [UInt8]) -> [UInt8] {
                commit(number, operations: [0x81] + operation)
            }
        }

        /// All that read a whole log; each run takes one of them, a soak all.
        private static let verbs: [[String]] = [
            ["verify", "DB"], ["log", "DB"], ["log", "DB", "--stat"], ["stats", "DB"], ["show", "DB"], ["ls", "DB"],
            ["ask", "DB", "count(b)"], ["dump", "DB"], ["repair", "DB", "--salvage", "--into", "NEW"],
        ]

        @Test(.disabled(if: Sanitizer.reservesAddresses), arguments: Bomb.some)
        func `Whatever a small file counts, the tool reads it in bounded memory, or says what is wrong`(bomb: Bomb)
            async throws
        {
            let path = folder("db")
            try await makeShop(at: path)
            let segment = path + "/wal/" + (try FileManager.default.contentsOfDirectory(atPath: path + "/wal")[0])
            let url = URL(fileURLWithPath: segment)
            let bytes = try ForgedSegment.bytes(like: [UInt8](Data(contentsOf: url)), bomb.items)
            #expect(bytes.count < 2 << 20, "a bomb is small")
            try Data(bytes).write(to: url)
            let stride = Soak.volume(Self.verbs.count, soak: 1)
            for index in Swift.stride(from: Int.random(in: 0..<stride), to: Self.verbs.count, by: stride) {
                let arguments = Self.verbs[index].map { $0 == "DB" ? path : $0 == "NEW" ? folder("new") : $0 }
                let end = try await BuiltProgram.run("yaprak", arguments, addressSpace: 2 << 30)
                let context: Comment = "\(bomb): \(arguments[0]): \(end.text.prefix(500))"
                let code = try #require(end.code, context)
                #expect((0...8).contains(code), context)
            }
        }

        // Each field had the steps that lead to it, or the text of them: 2.4 GB of the first record, and 4 GB of the second.
        @Test(.disabled(if: Sanitizer.reservesAddresses), arguments: [true, false])
        func `What leads to the fields of a record is not kept for each of them`(isDeep: Bool) async throws {
            let path = folder("db"), things = RecordCollection<CBORValue, NoMetadata>("b")
            func value(_ item: CBORValue) -> CBORValue {
                if isDeep {
                    let items = CBORValue.array(Array(repeating: item, count: 200_000))
                    return (0..<500).reduce(items) { inner, _ in .array([inner]) }
                }
                let key = CBORValue.text(String(repeating: "k", count: 100_000))
                return .map([.init(key, .array(Array(repeating: item, count: 40_000)))])
            }
            let database = try await Database.open(at: FilePath(path), collections: things)
            for number in 0..<2 {
                let object = value(.unsigned(UInt64(number)))
                try await database.write { $0[things]["k"] = object }
            }
            try await database.close()
            var runs: [(words: [String], code: Int32)] = [(["grep", path, "zzz"], 1)]
            if !isDeep { runs.append((["blame", path, "b", "k", "--field", "x"], 3)) }
            for (words, code) in runs {
                let end = try await BuiltProgram.run("yaprak", words, addressSpace: 2 << 30)
                #expect(end.code == code, "\(words): \(end.text.prefix(500))")
            }
        }
    }
#endif
