extension CBORReader {
    /// A float, rounded to the nearest; a finite one stays finite. An integer is not rounded.
    mutating func readFloat() throws(CBORError) -> Float {
        let before = position
        let isInteger = try Head(bytes, at: before).major <= Major.negative
        let wide = try readDouble()
        let value = Float(wide)
        if wide.isFinite, !value.isFinite { throw .outOfRange("the number is too large for a float", before) }
        if isInteger, Double(value) != wide { throw .outOfRange("a float does not hold the integer exactly", before) }
        return value
    }

    /// Looks for a break at `position` and steps over it.
    func readStop(at position: inout Int) throws(CBORError) -> Bool {
        var there = CBORReader(bytes, at: position)
        guard try there.readStop() else { return false }
        position = there.position
        return true
    }
}
