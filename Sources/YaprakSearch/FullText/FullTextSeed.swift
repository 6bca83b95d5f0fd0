import Dispatch
import Foundation
import YaprakCore
import YaprakLocks
import YaprakTrees

/// What an index is made of, gathered from the records while writers go on: every term and its place.
///
/// All cores split texts and make pages. 20 bytes for each term of the texts, until the index is made.
package final class FullTextSeed: @unchecked Sendable {
    // One population owns it, from its first record to the build. Within a call, each lane and the rows of its documents are
    // one thread's. That is the whole of the @unchecked.
    private let makeLane: () -> SeedLane
    /// One for each core, made when it is needed first.
    private var lanes: [SeedLane] = []
    private var rows: [DocumentRow] = []
    /// How many terms each document has.
    private var lengths: [UInt32] = []

    /// With fewer records, another thread costs more than it saves; with fewer terms, too.
    private static let (recordsMin, termsMin) = (64, 8192)
    private let lanesMax: Int

    /// - Parameter lanesMax: how many threads there are at most.
    init(lanesMax: Int = min(ProcessInfo.processInfo.activeProcessorCount, 8), _ makeLane: @escaping () -> SeedLane) {
        self.lanesMax = lanesMax
        self.makeLane = makeLane
    }

    /// Adds records. Their texts are asked for on several threads.
    func add(_ records: [RecordBox]) {
        let count = max(1, min(lanesMax, records.count / Self.recordsMin))
        while lanes.count < count { lanes.append(makeLane()) }
        let (lanes, first) = (lanes, rows.count)
        for part in Self.inParallel(
            count,
            { number in
                var part: [(row: DocumentRow, length: UInt32)] = []
                let range = number * records.count / count..<(number + 1) * records.count / count
                part.reserveCapacity(range.count)
                for index in range {
                    let record = records[index]
                    let row = DocumentRow(key: record.keyString, number: UInt32(first + index))
                    part.append((row, UInt32(lanes[number].add(row.number, record))))
                }
                return part
            })
        {
            for (row, length) in part {
                rows.append(row)
                lengths.append(length)
            }
        }
    }

    /// Makes the index. Documents are numbered in the order in which they came.
    /// - Complexity: O(terms + different terms · log of their number).
    func makeRoot(draft: TreeDraft) -> FullTextRoot {
        var root = FullTextRoot()
        root.documentCount = rows.count
        root.capacity = rows.count
        root.termCount = lanes.reduce(0) { $0 + $1.termCount }
        let lanes = lanes
        let runs = SeedRuns(Self.inParallel(lanes.count) { lanes[$0].takePostings() })
        let parts = runs.parts(max(1, min(4 * lanesMax, root.termCount / Self.termsMin)))
        // The trees of documents are made by one thread while others make pages. Until they have, the draft is its own.
        let documents = Documents(rows: rows, lengths: lengths, draft: draft)
        let made = Self.inParallel(1 + parts.count) { number in
            number == 0 ? Part.documents(documents.makeTrees()) : Part.pages(runs.pages(of: parts[number - 1]))
        }
        var pages: [PostingPage] = []
        for part in made {
            switch part {
            case .documents(let trees): (root.keys, root.blocks, root.lengths) = trees
            case .pages(let more): pages += more
            }
        }
        root.pages = draft.tree(ofAscending: pages)
        return root
    }

    private enum Part: Sendable {
        case documents(Documents.Trees)
        case pages([PostingPage])
    }

    /// What `body` makes of each number below `count`, each on a thread of its own.
    private static func inParallel<Result: Sendable>(
        _ count: Int, _ body: @Sendable (Int) -> Result
    ) -> [Result] {
        if count == 1 { return [body(0)] }
        let results = Mutex([Result?](repeating: nil, count: count))
        DispatchQueue.concurrentPerform(iterations: count) { number in
            let result = body(number)
            results.withLock { $0[number] = result }
        }
        return results.withLock { $0.compactMap { $0 } }
    }
}

/// The documents of an index, of which trees are made.
struct Documents: @unchecked Sendable {
    // A thread that makes the trees has the draft to itself; that is the whole of the @unchecked.
    /// The rows of all records, their keys ascending.
    let rows: [DocumentRow]
    /// The value of each number, free ones included.
    let lengths: [UInt32]
    let draft: TreeDraft

    typealias Trees = (keys: TreeRoot, blocks: TreeRoot, lengths: TreeRoot)

    func makeTrees() -> Trees {
        let blockCount = (lengths.count + DocumentBlock.count - 1) / DocumentBlock.count
        let blocks = (0..<blockCount).map { DocumentBlock($0, like: nil) }
        for row in rows {
            blocks[Int(row.number) / DocumentBlock.count].rows[Int(row.number) % DocumentBlock.count] = row
        }
        let pageCount = (lengths.count + LengthPage.count - 1) / LengthPage.count
        let pages = (0..<pageCount).map { LengthPage($0, like: nil) }
        for (number, length) in lengths.enumerated() {
            pages[number / LengthPage.count].values[number % LengthPage.count] = length
        }
        // The keys of records ascend by their bytes, as those of trees do.
        return (
            keys: draft.tree(ofAscending: rows), blocks: draft.tree(ofAscending: blocks),
            lengths: draft.tree(ofAscending: pages)
        )
    }
}

extension TreeDraft {
    /// A tree of rows that should stand in the order of their keys; one by one if they don't.
    func tree(ofAscending rows: [TreeRow]) -> TreeRoot {
        if let root = try? build(from: rows) { return root }
        var root = TreeRoot()
        for row in rows { insert(row, into: &root) }
        return root
    }
}
