import CHelpers
import Foundation

do {
    let settings = try Settings(CommandLine.arguments.dropFirst())
    try await Task.detached { try await run(settings) }.value
} catch let error as UsageError {
    FileHandle.standardError.write(Data("yaprak-bench: \(error)\n\(Settings.usage)\n".utf8))
    exit(2)
}

func run(_ settings: Settings) async throws {
    defer { settings.removeFiles() }
    measuresCPU = settings.measuresCPU
    if settings.isGrowth { return try await Growth(settings).run() }
    let unknown = settings.only.subtracting(Measure.all.map(\.id))
    if !unknown.isEmpty { throw UsageError("--only: no measure is called \(unknown.sorted().joined(separator: ", "))") }
    let report = Report(settings.format)
    for measure in Measure.all where settings.only.isEmpty || settings.only.contains(measure.id) {
        do { try await measure.run(settings, report) } catch { report.miss(measure.id, error) }
        settings.removeFiles()
        ch_heap_trim()
    }
    try report.finish()
}
