import Configuration
import Foundation
import Hummingbird
import Inventory
import Logging
import ServiceLifecycle
import Yaprak
import YaprakServices

// YAPRAK_PATH=inventory.yaprak YAPRAK_DURABILITY=always INVENTORY_PORT=8080 swift run inventory-server

let config = ConfigReader(provider: EnvironmentVariablesProvider())
let logger = Logger(label: "inventory")
let metrics = DatabaseMetrics("inventory")
var options = DatabaseOptions()
do {
    options = try DatabaseOptions(configuration: config.scoped(to: "yaprak"))
} catch {
    logger.critical("\(error)")
    exit(78)
}
options.instruments = [metrics, WriteTracing()]
options.logger = logger

do {
    let path = config.string(forKey: "yaprak.path", default: "inventory.yaprak")
    let database = try await Database.open(at: path, options: options, collections: .items)
    let application = try await makeApplication(
        Inventory(database),
        configuration: ApplicationConfiguration(
            address: .hostname("127.0.0.1", port: config.int(forKey: "inventory.port", default: 8080))),
        services: [Reporting(metrics: metrics, database: database)], logger: logger)
    try await application.runService()
} catch {
    // A directory in use, a port that is taken: nothing that a crash report would say better.
    logger.critical("\(error)")
    exit(1)
}

/// Reports the gauges until the program shuts down.
struct Reporting: Service {
    let metrics: DatabaseMetrics
    let database: Database

    func run() async throws {
        await cancelWhenGracefulShutdown { await metrics.run(database) }
    }
}
