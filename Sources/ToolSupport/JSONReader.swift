package import YaprakCBOR

/// Reads lines of JSON.
package enum JSONReader {
    /// The value of a text.
    /// - Throws: ``InputError`` with the byte.
    package static func value(of text: ArraySlice<UInt8>) throws(InputError) -> CBORValue {
        do {
            return try CBORValue(json: text)
        } catch {
            throw InputError(error.offset.map { "\(error.message), at byte \($0)" } ?? error.message)
        }
    }
}
