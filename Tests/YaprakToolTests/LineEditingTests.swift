#if LineEditing
    import Foundation
    import TestSupport
    import Testing
    import Yaprak

    @testable import YaprakTool

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// The shell on a real terminal: keys, history, Tab, signals.
    @Suite(.bounded) struct LineEditingTests {
        let folder: Folder
        let shop: String

        init() async throws {
            folder = try Folder()
            shop = folder("shop.yaprak")
            try await makeShop(at: shop)
            let file = try folder.write(
                "{\"id\":\"new york\",\"n\":42}\n{\"id\":\"escape\\u001b[31m\",\"n\":1}", to: "in.ndjson")
            #expect(await yaprak("load", file, shop, "--collection", "places", "--key", "id").code == 0)
        }

        private func shell(
            columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]
        ) throws -> PseudoTerminal {
            let own = ["XDG_STATE_HOME": folder("state"), "EDITRC": "/dev/null", "LC_ALL": ""]
            let terminal = try PseudoTerminal(
                "yaprak", [shop], columns: columns, rows: rows, environment: own.merging(environment) { $1 })
            try terminal.wait(for: "shop> ")
            return terminal
        }

        /// Types keys and waits for what comes after them; after a whole line, also for the next prompt: the keys of what is
        /// typed earlier are the terminal's own.
        private func type(_ keys: String, into terminal: PseudoTerminal, until expected: String) throws {
            let start = terminal.text.count
            terminal.type(keys)
            try terminal.wait(for: expected, after: start)
            guard keys.hasSuffix("\r") else { return }
            let behind = terminal.text.dropFirst(start).firstRange(of: expected)
            let end = behind.map { terminal.text.distance(from: terminal.text.startIndex, to: $0.upperBound) } ?? start
            try terminal.wait(for: "shop> ", after: end)
        }

        /// Waits for the next prompt, ends the shell, and looks at what it left.
        private func finish(_ terminal: PseudoTerminal) {
            terminal.type("\u{4}")
            #expect(terminal.end() == .exited(0))
            #expect(terminal.isAsBefore)
        }

        @Test(arguments: ["", "C"]) func `A line is edited with arrows and with Ctrl-A and Ctrl-E`(locale: String)
            throws
        {
            let terminal = try shell(environment: ["LC_ALL": locale])
            #expect(!terminal.isAsBefore)
            try type("sk 'count(books'\u{1}a\u{5}\u{1b}[D)\r", into: terminal, until: "\r\n1\r\n")
            // Characters of several bytes and columns count as one.
            try type("ls bö日本k\u{1b}[D\u{7f}\u{7f}\r", into: terminal, until: "there is no collection \"bök\"")
            try type("ls\u{17}help\r", into: terminal, until: "SUBCOMMANDS")
            finish(terminal)
        }

        @Test func `Lines of the session before come back with the arrow and with Ctrl-R`() throws {
            let first = try shell()
            try type("ask 'count(books)'\r", into: first, until: "\r\n1\r\n")
            try type(" ask '41 + 1'\r", into: first, until: "\r\n42\r\n")
            try type("ask '3 * 3'\r", into: first, until: "\r\n9\r\n")
            finish(first)
            #expect(
                try String(contentsOfFile: folder("state/yaprak/history"), encoding: .utf8)
                    == "ask 'count(books)'\nask '3 * 3'\n")
            let second = try shell()
            try type("\u{1b}[A\r", into: second, until: "\r\n9\r\n")
            try type("\u{12}count\r", into: second, until: "\r\n1\r\n")
            finish(second)
        }

        @Test func `Tab completes a subcommand, a collection, and a key with a space`() throws {
            let terminal = try shell()
            try type("as\t'2 + 5'\r", into: terminal, until: "\r\n7\r\n")
            try type("ge\tpl\tne\t--format json\r", into: terminal, until: "42")
            try type("get pl\t\"ne\t--format json\r", into: terminal, until: "42")
            // The offers, and the line again.
            try type("ls \t", into: terminal, until: "books   places\r\n")
            try type("bo\t--format csv\r", into: terminal, until: "Dune")
            // A key with control characters is no offer, and nothing of it reaches the terminal.
            try type("get places \t--format json\r", into: terminal, until: "42")
            #expect(!terminal.text.contains("\u{1b}[31m"))
            finish(terminal)
        }

        @Test func `Ctrl-C begins a new line, as often as one likes, also after a subcommand`() throws {
            let terminal = try shell()
            for _ in 0..<3 {
                try type("ls nothing", into: terminal, until: "nothing")
                let start = terminal.text.count
                kill(terminal.process.processIdentifier, SIGINT)
                try terminal.wait(for: "^C\r\nshop> ", after: start)
            }
            let start = terminal.text.count
            terminal.type("tail --follow\r")
            try terminal.wait(for: "\"commit\":4", after: start)
            kill(terminal.process.processIdentifier, SIGINT)
            try terminal.wait(for: "shop> ", after: start)
            let again = terminal.text.count
            kill(terminal.process.processIdentifier, SIGINT)
            try terminal.wait(for: "^C\r\nshop> ", after: again)
            try type("ask 'count(books)'\r", into: terminal, until: "\r\n1\r\n")
            // While a search is on, too: what it found shows that it has read its key.
            try type("\u{12}c", into: terminal, until: "ask 'count(books)'")
            let third = terminal.text.count
            kill(terminal.process.processIdentifier, SIGINT)
            // The search draws the prompt, too, and a Ctrl-D before the signal would be its.
            try terminal.wait(for: "^C", after: third)
            #expect(!terminal.text.contains("no collection"))
            finish(terminal)
        }

        @Test(arguments: [SIGTERM, SIGHUP]) func `A signal that ends the shell gives the terminal back`(signal: Int32)
            throws
        {
            let terminal = try shell()
            #expect(!terminal.isAsBefore)
            try type("ls bo", into: terminal, until: "bo")
            kill(terminal.process.processIdentifier, signal)
            #expect(terminal.end() == .killed(signal))
            #expect(terminal.isAsBefore)
        }

        @Test func `Subcommands have the terminal as it was: a failing one, a pager, a screen`() throws {
            let terminal = try shell(environment: ["PAGER": "sed s/^/paged:/"])
            try type("ls nothing\r", into: terminal, until: "there is no collection")
            try type("log --oneline\r", into: terminal, until: "paged:")
            let step = terminal.text.count
            terminal.type("replay --step\r")
            try terminal.wait(for: "commit 1 of 4", after: step)
            terminal.type("q")
            // The screen drops what is typed while it goes.
            try terminal.wait(for: "\u{1b}[?1049lshop> ", after: step)
            try type("ask 'count(books)'\r", into: terminal, until: "paged:1\r\n")
            let start = terminal.text.count
            terminal.type("exit\r")
            #expect(terminal.end() == .exited(0), "\(terminal.text.dropFirst(start))")
            #expect(terminal.isAsBefore)
        }

        @Test func `A line survives another size of the terminal, and a stop`() throws {
            let terminal = try shell(columns: 30)
            try type("ask 'count(books) + 100 + 1000 + 10000", into: terminal, until: "10000")
            var start = terminal.text.count
            terminal.resize(columns: 60, rows: 24)
            kill(terminal.process.processIdentifier, SIGWINCH)
            try terminal.wait(for: "shop> ask 'count(books) + 100 + 1000 + 10000", after: start)
            start = terminal.text.count
            kill(terminal.process.processIdentifier, SIGTSTP)
            let end = Date(timeIntervalSinceNow: 20)
            while !terminal.isAsBefore, Date() < end { terminal.settle(milliseconds: 20) }
            // It may not have stopped yet: the first of these signals would come too early.
            while terminal.isAsBefore, Date() < end {
                kill(terminal.process.processIdentifier, SIGCONT)
                terminal.settle(milliseconds: 50)
            }
            try terminal.wait(for: "shop> ask 'count(books)", after: start)
            #expect(!terminal.isAsBefore)
            try type("'\r", into: terminal, until: "\r\n11101\r\n")
            finish(terminal)
        }

        @Test func `A long paste of many lines is run line by line`() throws {
            let terminal = try shell()
            let long = " # " + String(repeating: "long ", count: 400)
            try type("ask '299 + 1'\(long)\rask '300 + 1'\(long)\r", into: terminal, until: "\r\n301\r\n")
            #expect(terminal.text.contains("\r\n300\r\n"))
            finish(terminal)
        }

        @Test
        func `Without a terminal that can be addressed, and without a place for the history, lines are read still`()
            throws
        {
            let dumb = try shell(environment: ["TERM": "dumb"])
            #expect(dumb.isAsBefore)
            dumb.type("ask 'count(books)'\n")
            try dumb.wait(for: "\r\n1\r\n")
            finish(dumb)
            let homeless = try shell(environment: ["XDG_STATE_HOME": "/proc/none", "HOME": "/proc/none"])
            try type("ask 'count(books)'\r", into: homeless, until: "\r\n1\r\n")
            finish(homeless)
        }
    }
#endif
