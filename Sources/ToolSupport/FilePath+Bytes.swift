package import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension FilePath {
    /// Its bytes and a zero, as C takes them. A path need not be UTF-8, and a `String` of one that is not leads elsewhere.
    package var cString: [CChar] {
        withPlatformString { Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1)) }
    }
}
