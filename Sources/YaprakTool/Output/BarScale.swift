/// Numbers as bars of characters, all on one scale that has 0 on it.
struct BarScale {
    private let low: Double
    private let high: Double

    init(_ values: [Double?]) {
        let numbers = values.compactMap { $0 }.filter(\.isFinite)
        low = min(0, numbers.min() ?? 0)
        high = max(0, numbers.max() ?? 0)
    }

    /// The bar of a number: from the place of 0 to its own, in eighths of a character. `width` characters are the whole scale.
    func bar(_ value: Double?, of width: Int) -> String {
        guard let value, value.isFinite, high / 2 > low / 2 else { return "" }
        // In halves: the whole scale may be longer than the largest number.
        func place(_ number: Double) -> Int {
            Int(((number / 2 - low / 2) / (high / 2 - low / 2) * Double(width * 8)).rounded())
        }
        let zero = place(0), end = place(value)
        if value >= 0 {
            let length = end - zero
            let whole = String(repeating: "█", count: length / 8)
            let rest = length % 8 == 0 ? "" : String(Array("▏▎▍▌▋▊▉")[length % 8 - 1])
            return String(repeating: " ", count: (zero + 4) / 8) + whole + (length == 0 && value > 0 ? "▏" : rest)
        }
        // Below 0 only whole characters: blocks grow from their left edge.
        let length = max(1, (zero - end + 4) / 8)
        return String(repeating: " ", count: max(0, (zero + 4) / 8 - length)) + String(repeating: "▒", count: length)
    }
}
