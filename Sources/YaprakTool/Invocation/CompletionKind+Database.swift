import ArgumentParser
import Foundation
import SystemPackage
import ToolSupport
import Yaprak
import YaprakReplay

// What shells complete from a database. Nothing here fails: what can't be read is not offered.

extension CompletionKind {
    /// A database's directory.
    static var database: CompletionKind { .directory }

    /// The name of a collection.
    static var collection: CompletionKind {
        .custom { words, _, prefix in CompletedDatabase(words)?.collections().offered(prefix) ?? [] }
    }

    /// A key of the collection that was named before it.
    static var key: CompletionKind {
        .custom { words, _, prefix in CompletedDatabase(words)?.keys(prefix).offered("") ?? [] }
    }

    /// A tag, or the newest commit.
    static var position: CompletionKind {
        .custom { words, _, prefix in (["@"] + (CompletedDatabase(words)?.tags() ?? [])).offered(prefix) }
    }

    /// The name of a tag.
    static var tag: CompletionKind {
        .custom { words, _, prefix in CompletedDatabase(words)?.tags().offered(prefix) ?? [] }
    }

    /// The name of a view.
    static var view: CompletionKind {
        .custom { words, _, prefix in CompletedDatabase(words)?.views().offered(prefix) ?? [] }
    }
}

extension [String] {
    /// Words for a shell: those that begin as wanted, without what could be more than a word to it.
    fileprivate func offered(_ prefix: String) -> [String] {
        let prefix = CompletedDatabase.meant(prefix)
        var offers: [String] = filter { $0.hasPrefix(prefix) }
        // The first ones and the last: what all begin with is then what these begin with.
        if offers.count > CompletedDatabase.offersMax {
            offers = offers.prefix(CompletedDatabase.offersMax - 1) + [offers[offers.count - 1]]
        }
        return offers.compactMap { $0.asShellWord }
    }
}

extension String {
    /// The word as the completion script of the shell needs it; `nil` if something in it could control a terminal.
    fileprivate var asShellWord: String? {
        guard !controlsTerminal else { return nil }
        switch CompletionShell.requesting {
        case .bash?:
            // The script hands words to `compgen -W`, which expands them: `$(…)` in a key must stay a text.
            return unicodeScalars.map { Self.isPlain($0) ? String($0) : "\\" + String($0) }.joined()
        case .zsh?:
            // A colon begins a description.
            return escaping(["\\": "\\\\", ":": "\\:"])
        default: return self
        }
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x80 || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            || "-_./:@%+=,".unicodeScalars.contains(scalar)
    }
}

/// The database that a line of words is about.
private struct CompletedDatabase {
    private let reader: ReplayReader
    /// The words behind it, options left out.
    private let rest: [String]

    static let offersMax = 200
    /// What would take longer than a person waits is not read.
    private static let bytesMax: UInt64 = 64 << 20

    init?(_ words: [String]) {
        if let journey = Invocation.journey {
            // In a shell: there the words are as meant.
            guard let index = words.firstIndex(of: journey.path) else { return nil }
            reader = journey.reader
            rest = Array(words[(index + 1)...])
            return
        }
        for (index, word) in words.enumerated().dropFirst() {
            let path = Self.unquoted(word)
            guard !path.isEmpty, !path.hasPrefix("-"), FileManager.default.fileExists(atPath: path + "/wal"),
                let reader = try? ReplayReader(FilePath(path))
            else { continue }
            self.reader = reader
            rest = words[(index + 1)...].map(Self.unquoted)
            return
        }
        return nil
    }

    func collections() -> [String] {
        if let snapshot = snapshot() { return snapshot.collectionNames }
        // A large one: the collections of its newest commits.
        guard let newest = try? reader.newestCommitNumber(), let oldest = try? reader.oldestCommitNumber() else {
            return []
        }
        let first = max(oldest, CommitNumber(newest.rawValue - min(newest.rawValue, 1000)))
        var names: Set<String> = []
        var commits = reader.commits(from: first).makeAsyncIterator()
        while let commit = try? commits.next() { names.formUnion(commit.collections.map(\.name)) }
        return names.sorted()
    }

    /// Keys that begin with a prefix, of the collection that is the first word behind the database, or that of --collection.
    func keys(_ prefix: String) -> [String] {
        let named = rest.firstIndex(of: "--collection").flatMap { rest.indices.contains($0 + 1) ? rest[$0 + 1] : nil }
        guard let name = named ?? rest.first(where: { !$0.hasPrefix("-") }), let snapshot = snapshot() else {
            return []
        }
        let records = snapshot.untyped(name), prefix = Self.meant(prefix).normalizedKey
        let start = records.position(notBefore: prefix)
        let end = max(start, records.position(notBefore: prefix + "\u{10ffff}"))
        guard end - start > Self.offersMax else { return records[start..<end].map(\.key) }
        // The first ones and the last: what all begin with is then what these begin with.
        return records[start..<(start + Self.offersMax - 1)].map(\.key) + [records[end - 1].key]
    }

    func tags() -> [String] { (try? reader.tags())?.map(\.name.description) ?? [] }

    func views() -> [String] {
        (try? Invocation.journey?.viewNames() ?? reader.views().map(\.name)) ?? []
    }

    private func snapshot() -> Snapshot? {
        if let journey = Invocation.journey, journey.isWarm { return try? reader.state() }
        let files = FileManager.default
        let sizes = ["wal", "ckpt"].flatMap { folder -> [UInt64] in
            let path = reader.path.string + "/" + folder
            return ((try? files.contentsOfDirectory(atPath: path)) ?? []).map {
                (try? files.attributesOfItem(atPath: path + "/" + $0)[.size] as? UInt64) ?? 0
            }
        }
        return sizes.reduce(0) { $0 + min($1, .max - $0) } <= Self.bytesMax ? try? reader.state() : nil
    }

    /// A word of the line: as it is in this tool's shell, which splits lines itself.
    static func meant(_ word: String) -> String { Invocation.journey == nil ? unquoted(word) : word }

    /// A word as the shell means it: without quotes and backslashes, and with the home directory.
    static func unquoted(_ word: String) -> String {
        var text = "", isEscaped = false, quote: Character?
        for character in word {
            if isEscaped {
                text.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote, character == open {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else {
                text.append(character)
            }
        }
        return text.hasPrefix("~/") ? NSHomeDirectory() + text.dropFirst() : text
    }
}
