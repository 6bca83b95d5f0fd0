// What decoding throws.
extension DecodingState {
    @inline(never)
    func corrupted(_ error: CBORError, _ key: (any CodingKey)?) -> DecodingError {
        let path = key.map { codingPath + [$0] } ?? codingPath
        return .dataCorrupted(.init(codingPath: path, debugDescription: error.description, underlyingError: error))
    }

    /// The error as an error of `Codable`.
    @inline(never)
    func translated(_ error: CBORError, _ type: Any.Type, at offset: Int, path: [any CodingKey]) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: path, debugDescription: error.description, underlyingError: error)
        guard error.code == .wrongType else { return .dataCorrupted(context) }
        return isNull(at: offset) ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}
