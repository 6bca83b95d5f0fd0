#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the allocator gives an object such as this one; `nil` where it does not say. In steps of 16 bytes, as a rule.
///
/// The least of several: where the rest of a free block would be too small, an object gets all of it.
public func allocatedBytes(_ make: () -> AnyObject) -> Int? {
    typealias Size = @convention(c) (UnsafeMutableRawPointer) -> Int
    let program = dlopen(nil, RTLD_LAZY)
    guard let symbol = dlsym(program, "malloc_usable_size") ?? dlsym(program, "malloc_size") else { return nil }
    let size = unsafeBitCast(symbol, to: Size.self)
    let objects = (0..<50).map { _ in make() }
    return withExtendedLifetime(objects) {
        objects.map { size(Unmanaged.passUnretained($0).toOpaque()) }.min()
    }
}
