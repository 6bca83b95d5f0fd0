// Declares what the storage calls of Compression. Nothing here is ever run.

public struct compression_algorithm: Equatable, Sendable {
    public var rawValue: UInt32
}

public var COMPRESSION_LZ4_RAW: compression_algorithm { compression_algorithm(rawValue: 0x101) }

public func compression_encode_buffer(
    _ dst_buffer: UnsafeMutablePointer<UInt8>, _ dst_size: Int, _ src_buffer: UnsafePointer<UInt8>, _ src_size: Int,
    _ scratch_buffer: UnsafeMutableRawPointer?, _ algorithm: compression_algorithm
) -> Int { fatalError() }

public func compression_decode_buffer(
    _ dst_buffer: UnsafeMutablePointer<UInt8>, _ dst_size: Int, _ src_buffer: UnsafePointer<UInt8>, _ src_size: Int,
    _ scratch_buffer: UnsafeMutableRawPointer?, _ algorithm: compression_algorithm
) -> Int { fatalError() }
