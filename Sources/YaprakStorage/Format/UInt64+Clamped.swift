extension UInt64 {
    /// The sum, or the greatest number if the sum is larger. Files may be as long as their file system says, without any bytes.
    package func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, isLarger) = addingReportingOverflow(other)
        return isLarger ? .max : sum
    }
}
