/// Decides whether to try compression: after 16 failures in a row, 64 frames are stored uncompressed.
struct CompressionGate {
    /// If false, nothing is ever compressed.
    var isEnabled = true
    private var failures = 0
    private var skips = 0

    init(isEnabled: Bool = true) { self.isEnabled = isEnabled }

    /// Whether to try now.
    mutating func opens() -> Bool {
        guard isEnabled else { return false }
        guard skips > 0 else { return true }
        skips -= 1
        return false
    }

    /// Records the result of a try.
    mutating func note(success: Bool) {
        failures = success ? 0 : failures + 1
        if failures == 16 {
            failures = 0
            skips = 64
        }
    }
}
