import CHelpers
import Foundation
import Yaprak

/// What grows with size: one axis at a time, everything else small.
struct Scale {
    /// One figure at one size.
    struct Point: Codable {
        /// What is counted along the axis.
        var axis: String
        var size: Int
        var measure: String
        var value: Double
        var unit: Unit
    }

    /// What a measure came to.
    struct Figure {
        var measure: String
        var value: Double
        var unit: Unit
    }

    let settings: Settings

    init(_ settings: Settings) { self.settings = settings }

    static let axes: [ScaleAxis] = [.records, .values, .views, .collections, .followers, .commits]

    func run() async throws {
        let names = Self.axes.map { $0.name.uppercased() }
        let unknown = settings.only.subtracting(names)
        if !unknown.isEmpty {
            throw UsageError("--only: no axis is called \(unknown.sorted().joined(separator: ", "))")
        }
        var points: [Point] = []
        for axis in Self.axes where settings.only.isEmpty || settings.only.contains(axis.name.uppercased()) {
            var own: [Point] = []
            for size in settings.isQuick ? axis.sizes.dropLast() : axis.sizes[...] {
                try await waitForQuietHeap()
                own += try await axis.measure(size, settings).map {
                    Point(axis: axis.counted, size: size, measure: $0.measure, value: $0.value, unit: $0.unit)
                }
                settings.removeFiles()
                ch_heap_trim()
                FileHandle.standardError.write(Data("\(axis.name) \(size)\n".utf8))
            }
            print(Self.table(own, axis).joined(separator: "\n"), terminator: "\n\n")
            fflush(nil)
            points += own
            // After each axis: the last ones take long.
            try save(points)
        }
    }

    private func save(_ points: [Point]) throws {
        try FileManager.default.createDirectory(atPath: settings.output, withIntermediateDirectories: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(points).write(to: URL(filePath: settings.output + "/scale.json"))
    }

    /// The axis as a table in Markdown: a row for each measure, a column for each size. The last column is how much a figure
    /// grows while the size grows tenfold, at its steepest.
    static func table(_ points: [Point], _ axis: ScaleAxis) -> [String] {
        var sizes: [Int] = []
        var measures: [String] = []
        for point in points {
            if !sizes.contains(point.size) { sizes.append(point.size) }
            if !measures.contains(point.measure) { measures.append(point.measure) }
        }
        var lines = ["| \(axis.counted) | " + sizes.map { grouped($0) }.joined(separator: " | ") + " | tenfold |"]
        lines.append(String(repeating: "| --- ", count: sizes.count + 2) + "|")
        for measure in measures {
            let own = points.filter { $0.measure == measure }
            let cells = sizes.map { size in
                own.first { $0.size == size }.map { Finding.text($0.value, $0.unit) } ?? "–"
            }
            lines.append("| \(measure) | " + cells.joined(separator: " | ") + " | \(steepest(own)) |")
        }
        return lines
    }

    private static func steepest(_ points: [Point]) -> String {
        let factors = zip(points, points.dropFirst()).compactMap { low, high -> Double? in
            guard low.value > 0, high.value > 0 else { return nil }
            return pow(high.value / low.value, 1 / log10(Double(high.size) / Double(low.size)))
        }
        return factors.max().map { "\(Finding.short($0)) ×" } ?? "–"
    }

    private static func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }
}

/// An axis: what is counted along it, its sizes, and what is measured at one of them. `name` is for `--only`.
struct ScaleAxis: Sendable {
    let name: String
    let counted: String
    let sizes: [Int]
    let measure: @Sendable (Int, Settings) async throws -> [Scale.Figure]
}

/// A record of a chosen size.
struct Payload: Codable, Sendable {
    var number: Int
    var text: String

    /// - Parameter bytes: of the text; every second half of it repeats, as much as in texts that people write.
    init(_ number: Int, bytes: Int) {
        self.number = number
        var random = SplitMix64(UInt64(number))
        text = String(unsafeUninitializedCapacity: bytes) { buffer in
            var at = 0
            while at < bytes {
                var word = random.next()
                for _ in 0..<min(8, bytes - at) {
                    buffer[at] = UInt8(ascii: "a") + UInt8(word & 15)
                    word >>= 4
                    at += 1
                }
                for _ in 0..<min(8, bytes - at) {
                    buffer[at] = buffer[at - 8]
                    at += 1
                }
            }
            return bytes
        }
    }

    /// Keys without an order, that need no list of keys.
    static func key(_ number: Int) -> String {
        var random = SplitMix64(UInt64(number))
        var bits = random.next()
        return String(unsafeUninitializedCapacity: 16) { buffer in
            for place in 0..<16 {
                let digit = UInt8(bits & 15)
                buffer[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                bits >>= 4
            }
            return 16
        }
    }
}

extension RecordCollection where Object == Payload, Metadata == NoMetadata {
    static var payloads: Self { Self("payloads") }
}

extension [Scale.Figure] {
    mutating func add(_ measure: String, _ value: Double, _ unit: Unit = .nanoseconds) {
        append(Scale.Figure(measure: measure, value: value, unit: unit))
    }
}

/// Nanoseconds of each of many writes, in order of size.
struct Latencies {
    private(set) var sorted: [UInt64]

    init(_ all: [UInt64]) { sorted = all.sorted() }

    var p50: Double { percentile(sorted, 0.5) }
    var p99: Double { percentile(sorted, 0.99) }
}
