import Foundation
import Proof

extension ProofRunner {
    /// Writes small databases for the fuzz targets that read files: `segment`, `checkpoint` and so on below the path.
    static func writeCorpus(_ arguments: Arguments) -> [String: Int] {
        guard let path = arguments.text("path") else { fail("corpus needs --path") }
        var written = 0
        func write(_ bytes: [UInt8], _ target: String, _ name: String) {
            let folder = URL(fileURLWithPath: path).appending(path: target)
            do {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try Data(bytes).write(to: folder.appending(path: name))
                written += 1
            } catch {
                fail("\(error)")
            }
        }
        for seed in 1...UInt64(2) {
            let files = HostileDirectory.sample(seed: seed)
            for (index, file) in files.enumerated() {
                let isCheckpoint = file.path.hasPrefix("ckpt")
                write(file.bytes, isCheckpoint ? "checkpoint" : "segment", "\(seed)-\(index)")
                if index % 3 == 0 {
                    write(file.bytes, "sections", "\(seed)-\(index)")
                    write(Array(file.bytes.prefix(4200)), "header", "\(seed)-\(index)")
                }
            }
            var joined: [UInt8] = []
            for file in files where joined.count + file.bytes.count < 40_000 {
                joined += [UInt8(file.bytes.count & 0xFF), UInt8(file.bytes.count >> 8)] + file.bytes
            }
            write(joined, "directory", "\(seed)")
        }
        return ["files": written]
    }
}
