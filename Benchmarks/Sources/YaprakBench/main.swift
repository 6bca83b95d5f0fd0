import CHelpers
import Foundation

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "compare" {
        guard arguments.count == 3 else { throw UsageError("compare takes two lists of files") }
        let files = arguments.dropFirst().map { $0.split(separator: ",").map(String.init) }
        exit(try Comparison(before: files[0], after: files[1]).report() ? 0 : 1)
    }
    let settings = try Settings(CommandLine.arguments.dropFirst())
    try await Task.detached { try await run(settings) }.value
} catch let error as UsageError {
    FileHandle.standardError.write(Data("yaprak-bench: \(error)\n\(Settings.usage)\n".utf8))
    exit(2)
}

func run(_ settings: Settings) async throws {
    defer { settings.removeFiles() }
    measuresCPU = settings.measuresCPU
    let ids = Measure.all.map(\.id).filter { settings.only.isEmpty || settings.only.contains($0) }
    let names = ids.reduce(into: [String]()) { names, id in if !names.contains(id) { names.append(id) } }
    let hasChildren = !settings.isGrowth && !settings.isScale && names.count > 1 && !settings.isOneProcess
    let interrupts = hasChildren ? [] : settings.removeFilesWhenInterrupted()
    defer { for source in interrupts { source.cancel() } }
    if settings.isGrowth { return try await Growth(settings).run() }
    if settings.isScale { return try await Scale(settings).run() }
    let unknown = settings.only.subtracting(Measure.all.map(\.id))
    if !unknown.isEmpty { throw UsageError("--only: no measure is called \(unknown.sorted().joined(separator: ", "))") }
    let report = Report(settings.format)
    if hasChildren {
        // What a measure leaves of the heap slows down the next.
        let children = Children(settings)
        let interrupts = children.handleInterrupts()
        defer { interrupts.cancel() }
        for name in names {
            do { try report.take(children.findings(of: name)) } catch { report.miss(name, error) }
        }
        return try report.finish()
    }
    for measure in Measure.all where names.contains(measure.id) {
        try await waitForQuietHeap()
        do { try await measure.run(settings, report) } catch { report.miss(measure.id, error) }
        settings.removeFiles()
        ch_heap_trim()
    }
    try report.finish()
}
