internal import SystemPackage

/// Complete reads and writes: a single call may be interrupted, and may transfer fewer bytes than requested.
extension File {
    /// Writes everything, or throws.
    func writeAll(_ bytes: [UInt8], at offset: UInt64) throws(DiskError) {
        var done = 0
        while done < bytes.count {
            let result = bytes.withUnsafeBytes { buffer -> Result<Int, DiskError> in
                Result { () throws(DiskError) in
                    try write(UnsafeRawBufferPointer(rebasing: buffer[done...]), at: offset + UInt64(done))
                }
            }
            switch result {
            case .success(let count):
                guard count > 0 else { throw DiskError(.write, "", .noSpace) }
                done += count
            case .failure(let error):
                guard error.errno == .interrupted else { throw error }
            }
        }
    }

    /// Fills the buffer as far as the file has bytes; returns their number.
    func readAll(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int {
        var done = 0
        while done < buffer.count {
            do throws(DiskError) {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                let count = try read(into: rest, at: offset + UInt64(done))
                if count == 0 { return done }
                done += count
            } catch {
                guard error.errno == .interrupted else { throw error }
            }
        }
        return done
    }

    /// Up to `count` bytes from `offset`; fewer only at the end of the file.
    func readAll(_ count: Int, at offset: UInt64) throws(DiskError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = bytes.withUnsafeMutableBytes { buffer -> Result<Int, DiskError> in
            Result { () throws(DiskError) in try readAll(into: buffer, at: offset) }
        }
        let done = try result.get()
        if done < count { bytes.removeLast(count - done) }
        return bytes
    }
}
