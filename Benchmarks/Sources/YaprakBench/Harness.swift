import CHelpers

/// One way of doing what a measure is about: ours, or a peer's.
struct Contender {
    let name: String
    /// Does it once, and returns what one operation cost: nanoseconds, unless the measure says otherwise.
    let run: () async throws -> Double
}

/// What a contender's runs came to.
struct Series {
    let name: String
    let samples: [Double]

    var median: Double {
        let sorted = samples.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
    var low: Double { samples.min()! }
    var high: Double { samples.max()! }
}

/// Runs contenders A B C A B C …: what else the machine does meets all of them alike. One round warms up.
/// - Parameter isolated: each begins when what the one before has let go of is freed; for those that make databases. (Waiting
///   makes caches cold, and small measures longer.)
func interleave(
    _ contenders: [Contender], runs: Int, warmingUp: Bool = true, isolated: Bool = false
) async throws -> [Series] {
    var samples = contenders.map { _ in [Double]() }
    for run in (warmingUp ? -1 : 0)..<runs {
        for (index, contender) in contenders.enumerated() {
            if isolated { try await waitUntilIdle() }
            let cost = try await contender.run()
            if run >= 0 { samples[index].append(cost) }
        }
    }
    return zip(contenders, samples).map { Series(name: $0.name, samples: $1) }
}

@inline(__always) func now() -> UInt64 { ch_now_ns() }

/// Whether ``time(_:_:)`` takes the CPU time of the process: what others do on the machine costs nobody then but caches.
/// Good for what neither waits for a disk nor runs beside something else. Set once, before anything runs.
nonisolated(unsafe) var measuresCPU = false

private func clock() -> UInt64 { measuresCPU ? ch_cpu_ns() : ch_now_ns() }

/// Nanoseconds per operation of synchronous work.
func time(_ operations: Int, _ body: () throws -> Void) rethrows -> Double {
    let start = clock()
    try body()
    return Double(clock() - start) / Double(operations)
}

/// Nanoseconds per operation of asynchronous work.
func time(_ operations: Int, _ body: () async throws -> Void) async rethrows -> Double {
    let start = clock()
    try await body()
    return Double(clock() - start) / Double(operations)
}

/// Where results go that must not be optimised away.
nonisolated(unsafe) var sink: UInt64 = 0

/// Waits until the process uses hardly any CPU time: databases and snapshots that were let go of are freed in the background,
/// which would slow down what is measured beside it. Two seconds at most, eight milliseconds at least.
func waitUntilIdle() async throws {
    var quiet = 0
    for _ in 0..<500 where quiet < 2 {
        let before = ch_cpu_ns()
        try await Task.sleep(for: .milliseconds(4))
        quiet = ch_cpu_ns() - before < 400_000 ? quiet + 1 : 0
    }
}

/// Waits until the heap hardly changes any more: databases of the measure before are freed in the background, and would
/// count as memory that the next measure gives back. Ten seconds at most; waiting itself takes a few bytes now and then.
func waitForQuietHeap() async throws {
    var before = ch_heap_in_use()
    var quiet = 0
    for _ in 0..<200 where quiet < 4 {
        try await Task.sleep(for: .milliseconds(50))
        let now = ch_heap_in_use()
        quiet = max(now, before) - min(now, before) < 64 << 10 ? quiet + 1 : 0
        before = now
    }
}

/// The heap's growth while `make` runs and what it makes is alive, in bytes.
func heapGrowth<Made>(_ make: () async throws -> Made) async rethrows -> (bytes: Int, made: Made) {
    ch_heap_trim()
    let before = ch_heap_in_use()
    let made = try await make()
    ch_heap_trim()
    return (Int(ch_heap_in_use()) - Int(before), made)
}

/// The same for what is made without waiting.
func heapGrowth<Made>(_ make: () throws -> Made) rethrows -> (bytes: Int, made: Made) {
    ch_heap_trim()
    let before = ch_heap_in_use()
    let made = try make()
    ch_heap_trim()
    return (Int(ch_heap_in_use()) - Int(before), made)
}

func percentile(_ sorted: [UInt64], _ share: Double) -> Double {
    Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))])
}
