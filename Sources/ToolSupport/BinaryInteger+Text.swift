extension BinaryInteger {
    /// The number as a count of bytes: `512 B`, `1.4 MB`.
    package var bytesText: String {
        guard self >= 1000 else { return "\(self) B" }
        var value = Double(self), unit = -1
        while value >= 999.95, unit < 4 {
            value /= 1000
            unit += 1
        }
        let tenths = (value * 10).rounded() / 10
        return "\(tenths) \(["kB", "MB", "GB", "TB", "PB"][unit])"
    }
}
