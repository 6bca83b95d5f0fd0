import Foundation

#if os(Linux)
    // The standard library's own normal forms, which only tests may use. Apple's SDKs do not declare them.
    @_spi(_Unicode) import Swift
#endif

extension String {
    /// The NFC form, as the standard library compares strings: Foundation's own is another one for some.
    public var nfc: String {
        #if os(Linux)
            String(String.UnicodeScalarView(Array(_nfc)))
        #else
            precomposedStringWithCanonicalMapping
        #endif
    }
}
