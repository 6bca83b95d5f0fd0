import Foundation
import SystemPackage
import TestSupport
import Testing
import ToolSupport
import Yaprak

@testable import YaprakTool

/// What Tab makes of a line, and what is left of lines in the history.
@Suite(.bounded) struct ShellCompletionTests {
    let folder: Folder
    let shop: String
    let completion: ShellCompletion

    init() async throws {
        folder = try Folder()
        shop = folder("shop.yaprak")
        try await makeShop(at: shop)
        let keys = ["new york", "new haven", "it's", "a\"b\\c", "#1", "esc\u{1b}[31m", "naïve"]
        let lines = keys.map { "{\"id\":\(CBORText.json($0)),\"n\":1}" }.joined(separator: "\n")
        let file = try folder.write(lines, to: "in.ndjson")
        #expect(await yaprak("load", file, shop, "--collection", "odd things", "--key", "id").code == 0)
        #expect(await yaprak("tag", shop, "opening", "1").code == 0)
        try await addView("byRank", to: shop)
        completion = ShellCompletion(database: shop, journey: try Journey(shop))
    }

    /// The line after Tab, or the choices below it.
    private func tab(_ text: String) -> String {
        guard let made = completion.completion(of: text) else { return "nothing" }
        guard made.choices.isEmpty else { return made.choices.joined(separator: "|") }
        return String(String.UnicodeScalarView(text.unicodeScalars.dropLast(made.removedCount))) + made.inserted
    }

    @Test func `Subcommands and their options are completed`() {
        #expect(tab("as") == "ask ")
        #expect(tab("ex") == "exit|export|export-test" && tab("exp") == "export")
        #expect(tab("").contains("ask|bisect|"))
        #expect(tab("help bis") == "help bisect ")
        #expect(tab("view ") == "diff|ls|show")
        #expect(tab("help view sh") == "help view show ")
        #expect(tab("export books --eac") == "export books --each-collection ")
        #expect(tab("ls --format ta") == "ls --format table ")
        #expect(tab("ls --format=ta") == "ls --format=table ")
        // A flag is offered once.
        #expect(tab("get --his") == "get --history " && tab("get --history --his") == "nothing")
        #expect(tab("ls books # --fo") == "nothing" && tab("unknown b") == "nothing" && tab("ls books\\") == "nothing")
    }

    @Test func `Collections, keys and tags of the database are completed, and what needs quotes gets them`() {
        #expect(tab("ls bo") == "ls books ")
        #expect(tab("get books ") == "get books abc ")
        #expect(tab("get --at op") == "get --at opening ")
        #expect(tab("show ") == "@|opening")
        #expect(tab("view show by") == "view show byRank ")
        #expect(tab("ls od") == "ls odd\\ things ")
        #expect(tab("ls \"od") == "ls \"odd things\" ")
        #expect(tab("diff 1 @ --collection 'od") == "diff 1 @ --collection 'odd things' ")
        #expect(tab("get odd\\ things ne") == "get odd\\ things new\\ ")
        #expect(tab("get odd\\ things new\\ ") == "new haven|new york")
        #expect(tab("get odd\\ things 'new y") == "get odd\\ things 'new york' ")
        #expect(tab("get 'odd things' it") == "get 'odd things' it\\'s ")
        #expect(tab("get 'odd things' 'it") == "get 'odd things' \"it's\" ")
        #expect(tab("get 'odd things' a") == "get 'odd things' a\\\"b\\\\c ")
        #expect(tab("get 'odd things' \\#") == "get 'odd things' \\#1 ")
        #expect(tab("get 'odd things' na") == "get 'odd things' naïve ")
        // What has control characters is not offered.
        #expect(tab("get 'odd things' es") == "nothing" && !tab("get 'odd things' ").contains("esc"))
    }

    @Test func `Paths are completed for files, --output and directories`() throws {
        _ = try folder.write("", to: "some file.csv")
        try FileManager.default.createDirectory(atPath: folder("sub"), withIntermediateDirectories: false)
        let path = folder("")
        #expect(tab("load \(path)some") == "load \(path)some\\ file.csv ")
        #expect(tab("export books --output \(path)su") == "export books --output \(path)sub/")
        #expect(tab("export books --output=\(path)some") == "export books --output=\(path)some\\ file.csv ")
        #expect(tab("fork \(path)s") == "shop.yaprak/|sub/")
        #expect(tab("load \(path)none") == "nothing")
    }

    @Test func `Never more than 200 offers, and what they have in common is what all have`() async throws {
        let lines = (0..<1000).map { "{\"id\":\"a\($0)\"}" } + (0..<10).map { "{\"id\":\"b\($0)\"}" }
        let file = try folder.write(lines.joined(separator: "\n"), to: "many.ndjson")
        #expect(await yaprak("load", file, shop, "--collection", "many", "--key", "id").code == 0)
        let choices = completion.completion(of: "get many ")?.choices ?? []
        #expect(choices.count == 200 && choices.first == "a0" && choices.last == "b9")
        #expect(tab("get many b") == (0..<10).map { "b\($0)" }.joined(separator: "|"))
        #expect(tab("get many a99").split(separator: "|").count == 11)
    }

    @Test func `Every offer is read back as it is`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let alphabet: [Unicode.Scalar] = [
            "a", " ", "'", "\"", "\\", "#", "-", "=", "é", "\u{301}", "\u{3000}", "👩", "\u{200d}", "$",
        ]
        for _ in 0..<3000 {
            var text = String.UnicodeScalarView()
            for _ in 0...random.below(6) { text.append(alphabet[random.below(alphabet.count)]) }
            let word = String(text)
            for written in ["", "'", "\""] {
                guard let made = CompletedWord(written: written, meant: "").completion(among: [.init(word)]) else {
                    continue
                }
                #expect(
                    try ShellWords.split("x " + made.inserted) == ["x", word], "seed \(seed): \(word.debugDescription)")
            }
        }
    }

    // MARK: History

    private func history(_ name: String = "state/yaprak/history") -> LineHistory {
        LineHistory(path: FilePath(folder(name)))
    }

    @Test func `The history is private, keeps the newest lines, no secrets and no repetitions`() throws {
        let history = history()
        for line in ["log", "log", " hidden", "", "ls", "log", "esc\u{1b}[31m"] { history.add(line) }
        #expect(history.lines() == ["log", "ls", "log"])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder("state/yaprak/history"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let folderAttributes = try FileManager.default.attributesOfItem(atPath: folder("state/yaprak"))
        #expect(folderAttributes[.posixPermissions] as? Int == 0o700)
        let long = (0..<1100).map { "show \($0)\n" }.joined()
        _ = try folder.write(long, to: "state/yaprak/history")
        history.add("show 1100")
        #expect(history.lines().count == 1000 && history.lines().last == "show 1100")
        let text = try String(contentsOfFile: folder("state/yaprak/history"), encoding: .utf8)
        #expect(text.split(separator: "\n").count == 1000 && text.hasPrefix("show 101\n"))
    }

    @Test func `Lines of several sessions are all kept`() throws {
        let history = history()
        DispatchQueue.concurrentPerform(iterations: 4) { session in
            for number in 0..<5 { history.add("show \(session) \(number)") }
        }
        #expect(Set(history.lines()).count == 20)
    }

    @Test func `What is no file of lines is left alone`() throws {
        try FileManager.default.createDirectory(atPath: folder("directory"), withIntermediateDirectories: false)
        #expect(mkfifo(folder("fifo"), 0o600) == 0)
        try FileManager.default.createSymbolicLink(atPath: folder("null"), withDestinationPath: "/dev/null")
        for name in ["directory", "fifo", "null", "fifo/below"] {
            history(name).add("log")
            #expect(history(name).lines().isEmpty)
        }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder("null")) == "/dev/null")
        LineHistory(path: nil).add("log")
        LineHistory(path: "/proc/none/history").add("log")
        var bytes = Data("log\n\u{1b}]0;title\u{7}\n".utf8)
        bytes.append(contentsOf: [0xff, 0xfe, 0x0a, 0x00, 0x0a])
        bytes.append(Data("\u{9b}31m\nls\nlast".utf8))
        try bytes.write(to: URL(fileURLWithPath: folder("hostile")))
        #expect(history("hostile").lines() == ["log", "ls", "last"])
        // A link to a file is followed, and stays one.
        try FileManager.default.createSymbolicLink(atPath: folder("link"), withDestinationPath: folder("hostile"))
        history("link").add("new")
        #expect(history("hostile").lines() == ["log", "ls", "last", "new"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder("link")) == folder("hostile"))
    }
}

private enum CBORText {
    static func json(_ text: String) -> String {
        String(decoding: try! JSONEncoder().encode(text), as: UTF8.self)
    }
}
