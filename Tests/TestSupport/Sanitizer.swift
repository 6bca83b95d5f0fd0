#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a sanitizer that the tests were built with does to what they measure.
public enum Sanitizer {
    /// Whether the address sanitizer is at work: it keeps freed memory for a while, to see who uses it still.
    public static let keepsFreedMemory = isLinked("__asan_init")
    /// Whether a sanitizer is at work that reserves terabytes of addresses for its notes.
    public static let reservesAddresses = isLinkedAtAll
    /// Whether a sanitizer is at work that brings an allocator of its own, which puts objects where it likes.
    public static let placesObjects = isLinkedAtAll

    private static let isLinkedAtAll = keepsFreedMemory || isLinked("__tsan_init")

    private static func isLinked(_ name: String) -> Bool { dlsym(dlopen(nil, RTLD_LAZY), name) != nil }
}
