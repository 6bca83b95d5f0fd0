#if LineEditing
    import CEdit
    import ToolSupport

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Lines that a person edits on a terminal, by libedit, with the lines of earlier sessions.
    ///
    /// Between lines the terminal is as it was, for subcommands, pagers and screens. Signals are ``Interruption``'s, not the
    /// library's, whose handlers send them to the whole group of processes.
    final class LineEditor {
        private let editor: OpaquePointer
        private let lines: OpaquePointer
        private let files: [UnsafeMutablePointer<FILE>]
        private let locale: locale_t?
        private let history: LineHistory
        private let complete: LineCompletion.Source
        /// The prompt as the library asks for it, with a zero at its end.
        private var prompt: UnsafeMutableBufferPointer<wchar_t>
        private var promptColumns = 0
        private var size = Screen.Size(columns: 0, rows: 0)
        private var resumeCount = 0
        /// Whether what is read was typed before the prompt.
        private var isTypedAhead = false
        /// How often a return key was pressed for the user, who pressed Ctrl-C.
        private var interruptedCount = 0

        /// `nil` if standard input or standard error is no terminal that can be addressed.
        init?(_ history: LineHistory, completing complete: @escaping LineCompletion.Source) {
            let terminal = getenv("TERM").map { String(cString: $0) } ?? ""
            guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1, !terminal.isEmpty, terminal != "dumb" else {
                return nil
            }
            // Streams of its own: standard error has no buffer, and each character would be a call.
            let files = [(STDIN_FILENO, "r"), (STDERR_FILENO, "w"), (STDERR_FILENO, "w")].compactMap {
                descriptor, mode in
                let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
                return copy < 0 ? nil : fdopen(copy, mode)
            }
            let locale = cedit_make_locale()
            let outer = locale.flatMap { uselocale($0) }
            defer { if let outer { uselocale(outer) } }
            guard files.count == 3, let editor = el_init("yaprak", files[0], files[1], files[2]),
                let lines = cedit_make_history(editor, Int32(LineHistory.linesMax))
            else {
                for file in files { fclose(file) }
                if let locale { freelocale(locale) }
                return nil
            }
            (self.editor, self.lines, self.files, self.locale) = (editor, lines, files, locale)
            (self.history, self.complete) = (history, complete)
            prompt = .allocate(capacity: 1)
            prompt[0] = 0
            for line in history.lines() { remember(line) }
            cedit_set_owner(editor, Unmanaged.passUnretained(self).toOpaque())
            cedit_set_prompt(editor) { LineEditor.of($0)?.prompt.baseAddress }
            cedit_set_reader(editor) { editor, character in
                guard let character, let owner = LineEditor.of(editor) else { return -1 }
                guard let scalar = owner.key() else { return 0 }
                character.pointee = scalar
                return 1
            }
            bindKeys()
            Interruption.listenToResizes()
        }

        deinit {
            el_end(editor)
            history_wend(lines)
            for file in files { fclose(file) }
            if let locale { freelocale(locale) }
            prompt.deallocate()
        }

        private static func of(_ editor: OpaquePointer?) -> LineEditor? {
            cedit_owner(editor).map { Unmanaged<LineEditor>.fromOpaque($0).takeUnretainedValue() }
        }

        private func bindKeys() {
            cedit_use_emacs_keys(editor)
            for (key, command) in [
                ("^R", "em-inc-search-prev"), ("^W", "ed-delete-prev-word"), ("\\e[1~", "ed-move-to-beg"),
                ("\\e[4~", "ed-move-to-end"), ("\\e[7~", "ed-move-to-beg"), ("\\e[8~", "ed-move-to-end"),
                ("\\e[H", "ed-move-to-beg"), ("\\e[F", "ed-move-to-end"), ("\\eOH", "ed-move-to-beg"),
                ("\\eOF", "ed-move-to-end"), ("\\e[3~", "ed-delete-next-char"), ("\\e[2~", "ed-ignore"),
                ("\\e[1;5C", "em-next-word"), ("\\e[1;5D", "ed-prev-word"),
            ] { cedit_bind(editor, key, command) }
            // What the user wants of all programs that have this editor, such as the keys of vi.
            el_source(editor, nil)
            cedit_add_completion(editor) { editor, _ in LineEditor.of(editor)?.tab() ?? UInt8(CC_ERROR) }
        }

        // MARK: Lines

        /// The next line; an empty one after Ctrl-C, `nil` at the end.
        func next(_ text: String) -> String? {
            let outer = locale.flatMap { uselocale($0) }
            defer { if let outer { uselocale(outer) } }
            prompt.deallocate()
            prompt = .allocate(capacity: text.unicodeScalars.count + 1)
            _ = prompt.initialize(from: text.unicodeScalars.map { wchar_t(bitPattern: $0.value) } + [0])
            promptColumns = text.columns
            (interruptedCount, resumeCount, size) = (0, Interruption.resumeCount, Self.terminalSize)
            isTypedAhead = true
            // The size may be another since the last line.
            el_resize(editor)
            Interruption.keysWillBeTaken()
            // Before the prompt, not behind it: who sees the prompt may type.
            cedit_take_keys(editor, 1)
            var count: Int32 = 0
            let found = el_wgets(editor, &count)
            Interruption.keysAreFree()
            guard let found, count > 0 else {
                print("\n")
                return nil
            }
            if interruptedCount > 0 { return "" }
            var line = Self.text(UnsafeBufferPointer(start: found, count: Int(count)))
            if line.last == "\n" { line.removeLast() }
            if LineHistory.keeps(line) {
                remember(line)
                history.add(line)
            }
            return line
        }

        private func remember(_ line: String) {
            (line.unicodeScalars.map { wchar_t(bitPattern: $0.value) } + [0]).withUnsafeBufferPointer {
                cedit_add_line(lines, $0.baseAddress)
            }
        }

        // MARK: Keys

        /// The next character; `nil` at the end.
        private func key() -> wchar_t? {
            while true {
                if Interruption.isRequested || interruptedCount > 0 {
                    // The return key ends a search and leaves the cursor below the line. Should it be bound to something
                    // else, the end of input does it.
                    if interruptedCount == 0 { print("^C") }
                    interruptedCount += 1
                    return interruptedCount < 10 ? 0x0a : nil
                }
                if Interruption.resumeCount != resumeCount { resume() }
                if Self.terminalSize != size { resize() }
                var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                if poll(&waiting, 1, 0) == 0 { isTypedAhead = false }
                guard Interruption.awaitInput() else { continue }
                guard var first = byte() else { return nil }
                // The terminal keeps a Ctrl-D that comes while it has lines as a zero.
                if first == 0, isTypedAhead { first = 0x04 }
                isTypedAhead = false
                if let scalar = scalar(startingWith: first) { return wchar_t(bitPattern: scalar.value) }
            }
        }

        /// What is no UTF-8 is left out.
        private func scalar(startingWith first: UInt8) -> Unicode.Scalar? {
            guard first >= 0x80 else { return Unicode.Scalar(first) }
            guard (0xc2...0xf4).contains(first) else { return nil }
            var bytes = [first]
            for _ in 1..<(first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4) {
                guard let byte = byte() else { return nil }
                bytes.append(byte)
            }
            guard let text = String(validating: bytes, as: UTF8.self), let scalar = text.unicodeScalars.first,
                scalar.properties.generalCategory != .control
            else { return nil }
            return scalar
        }

        private func byte() -> UInt8? {
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count == 1 { return byte }
                guard count < 0, errno == EINTR || errno == EAGAIN else { return nil }
            }
        }

        /// The program was stopped, and the terminal was given back meanwhile.
        private func resume() {
            resumeCount = Interruption.resumeCount
            cedit_take_keys(editor, 0)
            cedit_take_keys(editor, 1)
            print("\r\u{1b}[J")
            cedit_redraw(editor)
        }

        private func resize() {
            let before = size
            size = Self.terminalSize
            // Some terminals wrap what is on them again, some don't: go up no further than both.
            let column = promptColumns + (textBeforeCursor()?.columns ?? 0)
            let rows = min(column / max(1, before.columns), column / max(1, size.columns))
            print("\r" + (rows > 0 ? "\u{1b}[\(rows)A" : "") + "\u{1b}[J")
            el_resize(editor)
            cedit_redraw(editor)
        }

        private static var terminalSize: Screen.Size {
            var size = winsize()
            guard ioctl(STDIN_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
                return Screen.Size(columns: 80, rows: 24)
            }
            return Screen.Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
        }

        // MARK: Completion

        private func tab() -> UInt8 {
            guard let text = textBeforeCursor(), let completion = complete(text) else { return UInt8(CC_ERROR) }
            if completion.choices.isEmpty {
                el_deletestr(editor, Int32(completion.removedCount))
                let inserted = completion.inserted.unicodeScalars.map { wchar_t(bitPattern: $0.value) } + [0]
                _ = inserted.withUnsafeBufferPointer { el_winsertstr(editor, $0.baseAddress) }
                return UInt8(CC_REFRESH)
            }
            // Below the line, all of it.
            let columns = max(1, size.columns)
            let rows = (promptColumns + lineText().columns) / columns - (promptColumns + text.columns) / columns
            print(String(repeating: "\n", count: max(0, rows) + 1) + "\r")
            print(ChoiceTable.rows(completion.choices, width: columns).map { $0 + "\n" }.joined())
            cedit_redraw(editor)
            return UInt8(CC_NORM)
        }

        private func textBeforeCursor() -> String? {
            guard let line = el_wline(editor)?.pointee, let buffer = line.buffer, let cursor = line.cursor else {
                return nil
            }
            return Self.text(UnsafeBufferPointer(start: buffer, count: cursor - buffer))
        }

        private func lineText() -> String {
            guard let line = el_wline(editor)?.pointee, let buffer = line.buffer, let end = line.lastchar else {
                return ""
            }
            return Self.text(UnsafeBufferPointer(start: buffer, count: end - buffer))
        }

        private static func text(_ characters: UnsafeBufferPointer<wchar_t>) -> String {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: characters.lazy.compactMap { Unicode.Scalar(UInt32(bitPattern: $0)) })
            return String(text)
        }

        /// To the terminal, behind what the library has sent.
        private func print(_ text: String) {
            fputs(text, files[1])
            fflush(files[1])
        }
    }
#endif
