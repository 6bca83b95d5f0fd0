#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the allocator gives an object such as this one; `nil` where it does not say. In steps of 16 bytes, as a rule.
///
/// The least of several, and of many until one gets no more than `limit`: where the rest of a free block would be too small, an
/// object gets all of it, and other tests may have left many such blocks.
public func allocatedBytes(atMost limit: Int, _ make: () -> AnyObject) -> Int? {
    typealias Size = @convention(c) (UnsafeMutableRawPointer) -> Int
    let program = dlopen(nil, RTLD_LAZY)
    guard let symbol = dlsym(program, "malloc_usable_size") ?? dlsym(program, "malloc_size") else { return nil }
    let size = unsafeBitCast(symbol, to: Size.self)
    var objects: [AnyObject] = []
    var least = Int.max
    while objects.count < 50 || least > limit && objects.count < 100_000 {
        let object = make()
        objects.append(object)
        least = min(least, size(Unmanaged.passUnretained(object).toOpaque()))
    }
    return withExtendedLifetime(objects) { least }
}
