internal import SystemPackage

/// A damaged directory combined with a copy of it: each file, and each frame of a segment, comes from the one that has it
/// intact.
///
/// For reading only. A frame is the same bytes at the same offset of files of the same name in both, or it does not verify:
/// salt and offset are part of the checksums, and the chain links the frames. Files of the copy that are not of this history
/// are left out.
final class SplicedDirectory: Directory {
    private let own: any Directory
    private let donor: any Directory
    private let kind: FileKind
    private let files: DonorFiles

    init(_ own: any Directory, _ donor: any Directory, _ kind: FileKind, _ files: DonorFiles) {
        self.own = own
        self.donor = donor
        self.kind = kind
        self.files = files
    }

    /// The files of the copy that count.
    private var accepted: Set<FileName> { kind == .segment ? files.segments : files.checkpoints }

    func list(limit: Int) throws(DiskError) -> [String] {
        let names = Set(try own.list(limit: limit)).union(accepted.map { $0.string(kind) })
        guard names.count <= limit else { throw DiskError(.list, ".", .fileTooLarge) }
        return Array(names)
    }

    func open(_ name: String, _ mode: OpenMode) throws(DiskError) -> any File {
        guard case .read = mode else { throw DiskError(.open, name, .readOnlyFileSystem) }
        let mine = try Self.ifThere(own, name)
        let isAccepted = FileName(name, kind).map(accepted.contains) ?? false
        let other = isAccepted ? try Self.ifThere(donor, name) : nil
        guard let mine else {
            guard let other else { throw DiskError(.open, name, .noSuchFileOrDirectory) }
            return other
        }
        guard let other, let parsed = FileName(name, kind) else { return mine }
        switch kind {
        case .checkpoint: return isWhole(mine, parsed) || !isWhole(other, parsed) ? mine : other
        case .segment: return (try? SplicedFile(mine, other, before: files.bound(of: parsed))) ?? mine
        }
    }

    private static func ifThere(_ directory: any Directory, _ name: String) throws(DiskError) -> (any File)? {
        do throws(DiskError) {
            return try directory.open(name, .read)
        } catch {
            guard error.errno == .noSuchFileOrDirectory || error.errno == .invalidArgument else { throw error }
            return nil
        }
    }

    private func isWhole(_ file: any File, _ name: FileName) -> Bool {
        guard let bytes = try? file.readAll(Layout.fileHeaderBytes, at: 0) else { return false }
        let header = Result { () throws(HeaderDamage) in try UnprovenFileHeader(bytes: bytes).prove(as: .checkpoint) }
        return (try? CheckpointProof.prove(file, header, name: "", of: nil, decompresses: true)) != nil
    }

    func waitForOthers(microseconds: UInt32) { own.waitForOthers(microseconds: microseconds) }

    // Writing is refused.
    private func refused(_ operation: DiskError.Operation, _ name: String) -> DiskError {
        DiskError(operation, name, .readOnlyFileSystem)
    }
    func openDirectory(_ name: String) throws(DiskError) -> any Directory { throw refused(.openDirectory, name) }
    func makeDirectory(_ name: String) throws(DiskError) { throw refused(.makeDirectory, name) }
    func rename(_ source: String, to target: String) throws(DiskError) { throw refused(.rename, target) }
    func replace(_ target: String, by source: String) throws(DiskError) { throw refused(.rename, target) }
    func link(_ source: String, to target: String, in directory: any Directory) throws(DiskError) {
        throw refused(.link, target)
    }
    func unlink(_ name: String) throws(DiskError) { throw refused(.unlink, name) }
    func removeDirectory(_ name: String) throws(DiskError) { throw refused(.removeDirectory, name) }
    func sync() throws(DiskError) { throw refused(.syncDirectory, ".") }
    func lock(_ name: String) throws(DiskError) -> (any FileLock)? { throw refused(.lock, name) }
}

/// A segment whose frames come from two files.
private final class SplicedFile: File {
    private let own: any File
    private let donor: any File
    /// The ranges that are read from the donor, in ascending order.
    private let borrowed: [Range<UInt64>]
    private let length: UInt64

    /// - Parameter bound: no frame with this commit or a later one is taken from the donor.
    init(_ own: any File, _ donor: any File, before bound: UInt64) throws {
        self.own = own
        self.donor = donor
        let header = try Self.header(own)
        guard let header = try header ?? Self.header(donor) else { throw DiskError(.open, "", .invalidArgument) }
        if let mine = try Self.header(own), let theirs = try Self.header(donor), mine != theirs {
            throw DiskError(.open, "", .invalidArgument)
        }
        var ranges: [Range<UInt64>] = []
        if try Self.header(own) == nil { ranges.append(0..<UInt64(Layout.fileHeaderBytes)) }
        let (mine, theirs) = (try ReadWindow(own), try ReadWindow(donor))
        var offset = UInt64(Layout.fileHeaderBytes)
        var chain = header.previousChain
        while true {
            if let frame = try Self.frame(mine, header, offset, chain) {
                offset += UInt64(frame.totalLength)
                chain = frame.headerSum
            } else if let frame = try Self.frame(theirs, header, offset, chain),
                frame.type != FrameType.commitGroup.rawValue || frame.first < bound
            {
                let end = offset + UInt64(frame.totalLength)
                if let last = ranges.last, last.upperBound == offset {
                    ranges[ranges.count - 1] = last.lowerBound..<end
                } else {
                    ranges.append(offset..<end)
                }
                offset = end
                chain = frame.headerSum
            } else {
                break
            }
        }
        borrowed = ranges
        length = max(mine.size, ranges.last?.upperBound ?? 0)
    }

    private static func header(_ file: any File) throws -> FileHeader? {
        let bytes = try file.readAll(Layout.fileHeaderBytes, at: 0)
        return try? UnprovenFileHeader(bytes: bytes).prove(as: .segment)
    }

    /// The frame at an offset, if it verifies and continues the chain.
    private static func frame(
        _ window: ReadWindow, _ header: FileHeader, _ offset: UInt64, _ chain: UInt64
    ) throws -> FrameHeader? {
        guard let bytes = try window.bytes(at: offset, count: Layout.frameHeaderBytes),
            case .success(let frame) = UnprovenFrameHeader(bytes: bytes).prove(in: header, at: offset, end: window.size),
            frame.previousChain == chain, frame.type != FrameType.attest.rawValue,
            let stored = try window.bytes(
                at: offset + UInt64(Layout.frameHeaderBytes), count: frame.storedLength),
            frame.proves(stored, salt: header.salt, offset: offset)
        else { return nil }
        return frame
    }

    func size() throws(DiskError) -> UInt64 { length }

    func nextData(from offset: UInt64) -> UInt64 { min(own.nextData(from: offset), donor.nextData(from: offset)) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int {
        var end = min(length, offset + UInt64(buffer.count))
        guard offset < end else { return 0 }
        var source = own
        // The first range that ends behind the offset.
        let place = borrowed.partitioningIndex { $0.upperBound > offset }
        if place < borrowed.count {
            let range = borrowed[place]
            let isInside = range.contains(offset)
            if isInside { source = donor }
            end = min(end, isInside ? range.upperBound : range.lowerBound)
        }
        return try source.read(
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(end - offset)]), at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int { throw refused(.write) }
    func syncData() throws(DiskError) { throw refused(.syncData) }
    func sync() throws(DiskError) { throw refused(.sync) }
    func allocate(to length: UInt64) throws(DiskError) { throw refused(.allocate) }
    func truncate(to length: UInt64) throws(DiskError) { throw refused(.truncate) }
    func dropCache() {}
    func close() throws(DiskError) {
        try own.close()
        try donor.close()
    }
    private func refused(_ operation: DiskError.Operation) -> DiskError {
        DiskError(operation, "", .readOnlyFileSystem)
    }
}
