/// Initial bytes with a meaning of their own.
enum InitialByte {
    static let emptyMap: UInt8 = 0xa0
    static let no: UInt8 = 0xf4
    static let yes: UInt8 = 0xf5
    static let null: UInt8 = 0xf6
    static let undefined: UInt8 = 0xf7
    static let half: UInt8 = 0xf9
    static let single: UInt8 = 0xfa
    static let double: UInt8 = 0xfb
    static let stop: UInt8 = 0xff
}
