package import YaprakCBOR

import struct Foundation.Date

// Stored data on its way to a person: nothing in it may speak to the terminal.

extension String {
    /// The text with every control character, line separator and mark that turns the direction of text escaped.
    ///
    /// Text without any of these, and without quotes and backslashes, comes back as it is.
    package var plain: String { String(CBORValue.text(self).json().dropFirst().dropLast()) }

    /// How many columns of a terminal the text takes: two for East Asian wide characters and emoji.
    package var columns: Int {
        var columns = 0
        for character in self {
            let first = character.unicodeScalars.first!
            if first.value < 0x300 {
                columns += 1
            } else if first.properties.generalCategory == .nonspacingMark {
                continue
            } else {
                columns += Self.isWide(first) || character.unicodeScalars.contains("\u{fe0f}") ? 2 : 1
            }
        }
        return columns
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
            0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1f64f, 0x1f680...0x1f6ff, 0x1f900...0x1f9ff,
            0x20000...0x3fffd:
            true
        default: false
        }
    }

    /// The text, cut to so many columns; a cut shows as `…`.
    package func cut(to columnsMax: Int) -> String {
        guard columns > columnsMax else { return self }
        var result = "", left = columnsMax - 1
        for character in self {
            left -= String(character).columns
            if left < 0 { break }
            result.append(character)
        }
        return result + "…"
    }

    /// The text with spaces before or behind, to so many columns.
    package func padded(to columnsMin: Int, leading: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, columnsMin - columns))
        return leading ? spaces + self : self + spaces
    }
}

extension CBORValue {
    /// The value as a cell of a table: text as it is, everything else in diagnostic notation; escaped.
    package func cell(columnsMax: Int? = nil) -> String {
        if isNull { return "" }
        if let text { return text.plain }
        return diagnostic(style: CBORDiagnosticStyle(charactersMax: columnsMax))
    }
}

extension Int64 {
    /// Nanoseconds since 1970 as UTC in ISO 8601, to the millisecond: `2026-11-20T23:15:04.170Z`.
    package var isoTime: String {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return Date(timeIntervalSince1970: Double(self / 1_000_000) / 1000).formatted(style)
    }
}

extension BinaryInteger {
    /// The number with a comma between thousands.
    package var grouped: String {
        var digits = Array(String(magnitude))
        for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
        return (self < 0 ? "-" : "") + String(digits)
    }

    /// The number as a count of bytes: `512 B`, `1.4 MB`.
    package var bytesText: String {
        guard self >= 1000 else { return "\(self) B" }
        var value = Double(self), unit = -1
        while value >= 999.95, unit < 4 {
            value /= 1000
            unit += 1
        }
        let tenths = (value * 10).rounded() / 10
        return "\(tenths) \(["kB", "MB", "GB", "TB", "PB"][unit])"
    }
}
