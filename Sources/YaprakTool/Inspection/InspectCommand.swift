import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakReplay

#if Inspector
    import YaprakInspector
#endif

struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Shows a database in a browser.",
        discussion: """
            Serves pages for this machine's browsers until Ctrl-C: the timeline of commits, records and views as of any of \
            them, differences, a search for the first bad commit. Only reads, also while a program writes. The address that is \
            printed has a token: only browsers that open it get in. It is available if yaprak was built with the trait Inspector.

              yaprak inspect departures.yaprak
              yaprak inspect departures.yaprak --port 8080 --open
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Option(help: ArgumentHelp("The port; 0 for one that is free.", valueName: "number"))
    var port = 0

    @Flag(help: "Open the address in the browser, through a page that only you can read.")
    var open = false

    func validate() throws {
        guard (0...65535).contains(port) else { throw ValidationError("--port takes a number from 0 to 65535") }
    }

    func run() async throws {
        // Also where it can't be shown: what is wrong with the path is said first.
        _ = try ReplayReader.open(database)
        #if Inspector
            let console = Invocation.console
            Interruption.listen()
            let page = open ? Self.redirectPage() : nil
            // Until the end: nobody knows when the browser reads it.
            defer { withExtendedLifetime(page) {} }
            let inspection = Task {
                try await Inspector(path: FilePath(database)).run(port: port) { address in
                    try? console.out.write("Inspector: \(address)\n")
                    try? console.err.write("Press Ctrl-C to end it.\n")
                    try? console.flush()
                    if let page { Self.trying { try page.open(address) } }
                }
            }
            let watch = Task {
                while !Interruption.isRequested { try await Task.sleep(for: .milliseconds(100)) }
                inspection.cancel()
            }
            defer { watch.cancel() }
            try await inspection.value
            if Interruption.isRequested { throw ExitCode(130) }
        #else
            throw Failure(
                "notBuiltIn",
                "this yaprak was built without the inspector. Build it with the trait: "
                    + "`swift build -c release --product yaprak --traits Inspector`.", exitCode: 64)
        #endif
    }

    #if Inspector
        private static func redirectPage() -> RedirectPage? { trying { try RedirectPage() } }

        /// Does what opening the address needs; where it fails, the printed one has to do.
        @discardableResult
        private static func trying<Result>(_ body: () throws -> Result) -> Result? {
            do { return try body() } catch {
                let console = Invocation.console
                try? console.err.write("The browser can't be opened (\(error)). Open the address yourself.\n")
                try? console.flush()
                return nil
            }
        }
    #endif
}
