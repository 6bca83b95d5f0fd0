#if SQLite
    /// The name of a collection, or a key, of a file: bytes there, and a text here.
    ///
    /// Of what is no UTF-8 each byte that is not ASCII is written as `%` with its number, and so is `%` itself: no two of them
    /// have the same text. The name of another collection may be that text all the same.
    struct YapDatabaseName: Sendable, Hashable, ExpressibleByStringLiteral {
        let text: String
        /// The bytes in the file, if they are no UTF-8.
        let foreignBytes: [UInt8]?

        init(stringLiteral text: String) { (self.text, foreignBytes) = (text, nil) }

        init(_ bytes: [UInt8]) {
            if let text = String(validating: bytes, as: UTF8.self) {
                (self.text, foreignBytes) = (text, nil)
                return
            }
            var text = ""
            for byte in bytes {
                if byte < 0x80, byte != UInt8(ascii: "%") {
                    text.unicodeScalars.append(Unicode.Scalar(byte))
                } else {
                    text += "%" + String(byte, radix: 16)
                }
            }
            (self.text, foreignBytes) = (text, bytes)
        }

        /// The bytes in the file.
        var bytes: [UInt8] { foreignBytes ?? Array(text.utf8) }
    }
#endif
