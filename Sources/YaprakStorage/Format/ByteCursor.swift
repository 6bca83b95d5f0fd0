/// Reads numbers and bytes in sequence; nil at the end, and never beyond it.
struct ByteCursor {
    private let input: UnsafeRawBufferPointer
    private var at = 0

    init(_ input: UnsafeRawBufferPointer) { self.input = input }

    var isAtEnd: Bool { at == input.count }

    mutating func number<T: FixedWidthInteger>() -> T? {
        guard input.count - at >= MemoryLayout<T>.size else { return nil }
        defer { at += MemoryLayout<T>.size }
        return input.number(at: at)
    }

    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard count >= 0, input.count - at >= count else { return nil }
        defer { at += count }
        return [UInt8](UnsafeRawBufferPointer(rebasing: input[at..<at + count]))
    }
}
