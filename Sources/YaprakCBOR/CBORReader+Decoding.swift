extension CBORReader {
    /// A float, rounded to the nearest; a finite one stays finite.
    mutating func readFloat() throws(CBORError) -> Float {
        let before = position
        let wide = try readDouble()
        let value = Float(wide)
        if wide.isFinite, !value.isFinite { throw .outOfRange("the number is too large for a float", before) }
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
