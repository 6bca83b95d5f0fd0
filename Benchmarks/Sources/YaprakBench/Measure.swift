/// A row of the performance targets.
struct Measure {
    let id: String
    let run: (Settings, Report) async throws -> Void

    static var all: [Measure] {
        [
            pointRead, newestRead, singleWrite, writeCallers, bulkLoad, bulkLoadLogged, durableCommit,
            concurrentDurableCommits, viewPage, rowChange, listChanges, opening, replay, memory, readerBesideWriter,
            fork, oldSnapshot,
            citiesLoad, indexedReads, indexedWrites, fullText, keystrokes, places, testForks,
        ]
    }
}
