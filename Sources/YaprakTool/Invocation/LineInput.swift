import ToolSupport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where a shell's lines come from: a person, who gets a prompt, or a pipe.
struct LineInput {
    /// The most bytes that a line may have. Who reads lines refuses one that is longer.
    static let lineBytesMax = 1 << 20

    let isInteractive: Bool
    /// The next line for a prompt; `nil` at the end.
    let next: (String) -> String?

    /// Whether standard input is a terminal.
    static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// Standard input; with the trait `LineEditing`, a terminal's lines can be edited and completed.
    static func standard(completing complete: @escaping LineCompletion.Source) -> LineInput {
        let isInteractive = isTerminal
        #if LineEditing
            if isInteractive, let editor = LineEditor(.standard(), completing: complete) {
                return LineInput(isInteractive: true) { editor.next($0) }
            }
        #endif
        return LineInput(isInteractive: isInteractive) { prompt in
            if isInteractive { _ = write(STDERR_FILENO, prompt, prompt.utf8.count) }
            return plainLine(isInteractive: isInteractive)
        }
    }

    /// A line of standard input without its end. Ctrl-C at the prompt begins a new one.
    private static func plainLine(isInteractive: Bool) -> String? {
        var bytes: [UInt8] = []
        while true {
            guard Interruption.awaitInput() else {
                guard Interruption.isRequested else { continue }
                if isInteractive { _ = write(STDERR_FILENO, "\n", 1) }
                return ""
            }
            var byte: UInt8 = 0
            guard read(STDIN_FILENO, &byte, 1) == 1 else {
                return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
            }
            if byte == 0x0a { return String(decoding: bytes, as: UTF8.self) }
            // Of a line that is refused for its length, no more than shows that.
            if bytes.count <= lineBytesMax { bytes.append(byte) }
        }
    }
}
