/// The sixteen random bytes that identify the files of one database.
package struct DatabaseID: Hashable, Sendable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Thirty-two hexadecimal digits.
    package var description: String { hexadecimal(high) + hexadecimal(low) }
}

/// Sixteen hexadecimal digits.
package func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}
