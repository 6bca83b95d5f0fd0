import Foundation
import Yaprak

extension Measure {
    /// P21: from a keystroke to the changes of a list, in the cities of the world by country, against one prefix query of
    /// FTS5 in memory that reads all rowids.
    static var keystrokes: Measure {
        Measure(id: "P21") { settings, report in
            let corpus = try SearchCorpus.cities()
            guard !corpus.isEmpty else { throw UsageError("the cities are not in Fixtures") }
            let index = corpus.index()
            let view = AutoView("byCountry", of: .documents, groupedBy: \.group, sortedBy: { $0.texts[0] })
            let database = try await corpus.database()
            try await database.register(index)
            try await database.register(view)
            let snapshot = database.snapshot
            let peer = FTS5Peer(corpus)
            peer.load("t", isFolded: true)
            peer.load("tp", isFolded: true, ", prefix='1 2 3'")
            let plain = peer.database.prepare("SELECT rowid FROM t WHERE t MATCH ?")
            let indexed = peer.database.prepare("SELECT rowid FROM tp WHERE tp MATCH ?")

            var random = SplitMix64(5)
            var words: [String] = []
            while words.count < 300 {
                let name = corpus.folded[Int(random.next() % UInt64(corpus.keys.count))][0]
                guard let first = name.split(separator: " ").first, first.utf8.count >= 4,
                    first.utf8.allSatisfy({ $0 < 128 })
                else { continue }
                words.append(String(first))
            }
            var all = ViewMappings(view)
            var screen = ViewMappings(view)
            screen.setRangeForAllGroups(.flexible(length: 50, from: .beginning))
            try all.update(to: snapshot)
            try screen.update(to: snapshot)
            /// The number of changes.
            @discardableResult
            func type(_ query: SearchQuery, _ list: inout ViewMappings<AutoView<Record<SearchDocument, NoMetadata>>>)
                throws -> Int
            {
                var next = list
                next.setSearch(query, in: index)
                try next.update(to: snapshot)
                let count = try next.changes(since: list, in: snapshot).rowChanges.count
                list = next
                return count
            }
            // The place of each document in the view is found out once for a state.
            var first = Double.infinity
            for _ in 0..<settings.runs {
                var list = all
                first = min(first, try time(1) { try type(.typing("zzz"), &list) })
            }
            try type(.typing("zzz"), &all)
            try type(.typing("zzz"), &screen)
            try await waitUntilIdle()
            func query(_ statement: SQLiteStatement, _ text: String) -> Double {
                time(1) {
                    statement.bind(1, "\"\(text)\"*")
                    while statement.step() { sink &+= UInt64(statement.int(0)) }
                    statement.reset()
                }
            }
            let bare = BareTypeAhead(corpus)
            var shown = bare.nothing
            var differing = 0
            var samples: [String: [Double]] = [:]
            for word in words {
                for length in 1...min(8, word.count) {
                    let text = String(word.prefix(length))
                    var (count, countOfLoop) = (0, 0)
                    samples["all", default: []].append(try time(1) { count = try type(.typing(text), &all) })
                    samples["plain", default: []].append(query(plain, text))
                    samples["screen", default: []].append(try time(1) { try type(.typing(text), &screen) })
                    samples["indexed", default: []].append(query(indexed, text))
                    samples["bare", default: []].append(
                        time(1) {
                            let next = bare.search(text)
                            countOfLoop = bare.changes(from: shown, to: next).count
                            shown = next
                        })
                    if count != countOfLoop { differing += 1 }
                }
            }
            func p99(_ name: String) -> Series {
                let sorted = samples[name]!.sorted()
                return Series(name: name, samples: [sorted[sorted.count * 99 / 100]])
            }
            func median(_ name: String) -> Series {
                let sorted = samples[name]!.sorted()
                return Series(name: name, samples: [sorted[sorted.count / 2]])
            }
            report.hold("P21", "first search of a list in a state", first, unit: .nanoseconds)
            report.hold("P21", "keystrokes with another number of changes than the loop", Double(differing), atMost: 0)
            func named(_ series: Series, _ name: String) -> Series { Series(name: name, samples: series.samples) }
            for (name, what) in [("all", "all rows"), ("screen", "50 rows of each country")] {
                // The loop shows all rows.
                let bound = name == "all" ? p99("bare") : nil
                report.compare(
                    "P21", "keystroke to list changes, \(what), p99", p99(name), named(p99("plain"), "FTS5, rowids"),
                    .atMost(0.2), bound: bound)
                report.compare(
                    "P21", "keystroke to list changes, \(what), p99", p99(name),
                    named(p99("indexed"), "FTS5, prefix='1 2 3'"), .atMost(1), bound: bound)
                report.compare(
                    "P21", "keystroke to list changes, \(what), median", median(name),
                    named(median("plain"), "FTS5, rowids"), .none)
            }
        }
    }
}
