internal import Proof

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The target that `FUZZ_TARGET` names.
private let target: FuzzTarget = {
    guard let name = getenv("FUZZ_TARGET"), let target = FuzzTarget(rawValue: String(cString: name)) else {
        fatalError("set FUZZ_TARGET to one of \(FuzzTarget.allCases.map(\.rawValue))")
    }
    return target
}()

/// Runs one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// libFuzzer's own mutation.
@_silgen_name("LLVMFuzzerMutate")
private func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ max: Int) -> Int

/// Mutates, then makes the checksums right again: four times in five, so that the checks themselves are reached, too.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutateAndMend(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ max: Int, _ seed: CUnsignedInt) -> Int {
    let length = mutate(bytes, count, max)
    guard target.isFiles, seed % 5 != 0 else { return length }
    var mended = Array(UnsafeBufferPointer(start: bytes, count: length))
    if target == .directory {
        var files = FuzzTarget.files(mended)
        for index in files.indices { ChecksumMending.mend(&files[index], chains: seed % 3 != 0) }
        mended = FuzzTarget.join(files)
    } else {
        ChecksumMending.mend(&mended, chains: seed % 3 != 0)
    }
    let kept = min(max, mended.count)
    for index in 0..<kept { bytes[index] = mended[index] }
    return kept
}
