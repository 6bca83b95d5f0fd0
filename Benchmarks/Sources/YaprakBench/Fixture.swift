import CLZ4Frame
import Foundation

/// The real data sets of the repository, compressed as LZ4 frames.
enum Fixture {
    /// The lines of a data set; none where the fixtures are not there.
    static func lines(of name: String) -> [ArraySlice<UInt8>] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Fixtures/\(name).lz4").standardized
        guard let packed = try? Data(contentsOf: file) else { return [] }
        return decompress([UInt8](packed)).split(separator: UInt8(ascii: "\n"))
    }

    private static func decompress(_ packed: [UInt8]) -> [UInt8] {
        var context: OpaquePointer?
        guard LZ4F_isError(LZ4F_createDecompressionContext(&context, UInt32(LZ4F_VERSION))) == 0 else { return [] }
        defer { LZ4F_freeDecompressionContext(context) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        var read = 0
        while read < packed.count {
            var (room, taken) = (chunk.count, packed.count - read)
            let rest = packed.withUnsafeBytes { packed in
                LZ4F_decompress(context, &chunk, &room, packed.baseAddress! + read, &taken, nil)
            }
            if LZ4F_isError(rest) != 0 || rest == 0 && room == 0 { break }
            bytes += chunk[..<room]
            read += taken
        }
        return bytes
    }
}
