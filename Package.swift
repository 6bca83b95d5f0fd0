// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Apple's systems have LZ4 in Compression, which an app can link; the tools read LZ4 frames as well, on macOS by liblz4.
let withoutCompression: [Platform] = [.linux, .android, .openbsd, .wasi, .windows]

// Off by default, whatever depends on this. Scripts/examples --together sets the variable: only as defaults do traits reach the
// compiler in the order of `--traits`, and what the tests were built with need not be compiled again.
let defaults: Set<Trait> =
    Context.environment["YAPRAK_DEFAULT_TRAITS"].map { traits in
        [.default(enabledTraits: Set(traits.split(separator: ",").map(String.init)))]
    } ?? []

let package = Package(
    name: "yaprak",
    // No watchOS: most watches have pointers of 32 bits, and the layouts of trees and records are made for 64.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "Yaprak", targets: ["Yaprak"]),
        .library(name: "YaprakReplay", targets: ["YaprakReplay"]),
        .library(name: "YaprakCBOR", targets: ["YaprakCBOR"]),
        .library(name: "YaprakTesting", targets: ["YaprakTesting"]),
        .library(name: "YaprakInspector", targets: ["YaprakInspector"]),
        .library(name: "YaprakServices", targets: ["YaprakServices"]),
        .library(name: "YaprakImport", targets: ["YaprakImport"]),
        .executable(name: "yaprak", targets: ["YaprakTool"]),
        .executable(name: "DeparturesBoard", targets: ["DeparturesBoard"]),
        .executable(name: "CitySearch", targets: ["CitySearch"]),
    ],
    traits: defaults.union([
        .trait(name: "Configuration", description: "Options from swift-configuration, in YaprakServices."),
        .trait(
            name: "Inspector",
            description:
                "The inspector: a server for a browser. Off, YaprakInspector is empty and SwiftNIO is not fetched."),
        .trait(
            name: "InvariantChecks",
            description: "Every tree checks its whole shape after every change. Slow; for tests of the trees."),
        .trait(
            name: "LineEditing",
            description:
                "Editing, history and completion in the shell of the tool, by libedit, which has to be installed."),
        .trait(
            name: "Lifecycle", description: "A database as a service of swift-service-lifecycle, in YaprakServices."),
        .trait(name: "Metrics", description: "Figures for swift-metrics, in YaprakServices."),
        .trait(
            name: "Services", description: "All of YaprakServices: Configuration, Lifecycle, Metrics and Tracing.",
            enabledTraits: ["Configuration", "Lifecycle", "Metrics", "Tracing"]),
        .trait(
            name: "SQLite",
            description: "Imports from YapDatabase, by libsqlite3, which has to be installed. In YaprakImport."),
        .trait(name: "Snowball", description: "Stems of words in searches, by libstemmer, which has to be installed."),
        .trait(name: "Tracing", description: "Spans for swift-distributed-tracing, in YaprakServices."),
    ]),
    dependencies: [
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // Only with the trait Inspector.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        // Only with the traits of YaprakServices: Configuration, Lifecycle, Metrics, Tracing.
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        // Only for tests, with the trait Lifecycle: swift-service-lifecycle needs it, too.
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
    ],
    targets: [
        // A target lists what it imports and imports what it lists. Tests also list the executables that they start.

        // Layer 1: the words that all layers share, bytes, and nodes. Nothing here knows what a record is.
        .systemLibrary(
            name: "CLZ4", pkgConfig: "liblz4",
            providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
        // Apple's systems have it.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CEdit", pkgConfig: "libedit",
            providers: [.apt(["libedit-dev"]), .brew(["libedit"])]),
        // No library: a builtin of the compiler that Swift has no word for.
        .systemLibrary(name: "CPrefetch"),
        // Nor here: a call of Linux that the modules of its C libraries do not have.
        .systemLibrary(name: "CLinkCount"),
        .systemLibrary(name: "CSnowball", providers: [.apt(["libstemmer-dev"]), .brew(["snowball"])]),
        .target(name: "YaprakModel", swiftSettings: strict),
        .target(name: "YaprakLocks", swiftSettings: strict),
        .target(name: "YaprakTrees", dependencies: ["CPrefetch", "YaprakLocks"], swiftSettings: strict),
        .target(name: "YaprakCBOR", dependencies: ["YaprakLocks"], swiftSettings: strict),
        .target(
            name: "YaprakStorage",
            dependencies: [
                .target(name: "CLZ4", condition: .when(platforms: withoutCompression)),
                "CLinkCount", "YaprakModel", "YaprakCBOR", "YaprakLocks",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: strict),

        // Layer 2: records, snapshots, transactions, changes.
        .target(
            name: "YaprakCore",
            dependencies: [
                "YaprakModel", "YaprakTrees", "YaprakCBOR", "YaprakStorage", "YaprakLocks",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HashTreeCollections", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),

        // Layer 3: views and other extensions. Layer 4: what a list shows, and how it changes.
        .target(
            name: "YaprakExtensions",
            dependencies: [
                "YaprakCore", "YaprakModel", "YaprakTrees", "YaprakCBOR",
                .product(name: "HashTreeCollections", package: "swift-collections"),
            ],
            swiftSettings: strict),
        .target(
            name: "YaprakLists",
            dependencies: [
                "YaprakCore", "YaprakExtensions", "YaprakModel",
                .product(name: "HashTreeCollections", package: "swift-collections"),
            ],
            swiftSettings: strict),

        // Finding by words and by place.
        .target(
            name: "YaprakSearch",
            dependencies: [
                "YaprakCore", "YaprakExtensions", "YaprakLists", "YaprakModel", "YaprakTrees", "YaprakCBOR",
                "YaprakLocks", "CPrefetch",
                .target(name: "CSnowball", condition: .when(traits: ["Snowball"])),
            ],
            swiftSettings: strict),

        // Layer 5: questions to the records of a snapshot, and how their answers change.
        .target(
            name: "YaprakQueries",
            dependencies: [
                "YaprakCore", "YaprakExtensions", "YaprakLists", "YaprakModel", "YaprakTrees", "YaprakCBOR",
                "YaprakLocks",
            ],
            swiftSettings: strict),

        // Roofs: what programs import.
        .target(
            name: "Yaprak",
            dependencies: [
                "YaprakCore", "YaprakExtensions", "YaprakLists", "YaprakModel", "YaprakQueries", "YaprakSearch",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .target(
            name: "YaprakReplay",
            dependencies: [
                "YaprakCore", "YaprakExtensions", "YaprakLists", "YaprakModel", "YaprakStorage", "YaprakCBOR",
                "YaprakTrees", "YaprakLocks",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),

        // For tests, of this package and of programs: nothing above depends on it. A disk in memory whose calls can fail and
        // whose power can go; what runs a database in an order that follows from a seed.
        .target(
            name: "YaprakSimulator",
            dependencies: [
                "YaprakStorage", "YaprakLocks", "ToolSupport", .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .target(
            name: "YaprakTesting",
            dependencies: [
                "YaprakSimulator", "YaprakStorage", "Yaprak", "YaprakReplay", "YaprakCore", "YaprakExtensions",
                "YaprakModel",
                "YaprakCBOR", "YaprakLocks", "ToolSupport", .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),

        // The inspector: pages for a browser. Empty without the trait.
        .target(
            name: "YaprakInspector",
            dependencies: [
                "YaprakReplay", "Yaprak", "YaprakCBOR", "YaprakLocks",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Inspector"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Inspector"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Inspector"])),
            ],
            resources: [.embedInCode("Assets")],
            swiftSettings: strict),

        // What connects a database with the libraries that services use. Each file is empty without its trait.
        .target(
            name: "YaprakServices",
            dependencies: [
                "Yaprak", "YaprakStorage",
                .product(
                    name: "Configuration", package: "swift-configuration",
                    condition: .when(traits: ["Configuration"])),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["Lifecycle"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
            ],
            swiftSettings: strict),

        // From other databases. Reading a file of SQLite needs the trait, reading the values in it does not.
        .target(
            name: "YaprakImport",
            dependencies: [
                "Yaprak", "YaprakCore", "YaprakModel", "YaprakCBOR", "YaprakLocks",
                .target(name: "CSQLite", condition: .when(traits: ["SQLite"])),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),

        // Tools. ToolSupport is what they share: terminals, tables, lines of input.
        .target(
            name: "ToolSupport",
            dependencies: [
                .target(name: "CLZ4", condition: .when(platforms: withoutCompression + [.macOS])),
                "YaprakCBOR", "YaprakLocks", "YaprakModel", .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "YaprakTool",
            dependencies: [
                "YaprakReplay", "Yaprak", "YaprakSearch", "YaprakCBOR", "YaprakLocks", "YaprakInspector",
                "YaprakImport",
                "ToolSupport",
                .target(name: "CEdit", condition: .when(traits: ["LineEditing"])),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "DeparturesBoard",
            dependencies: [
                "Yaprak", "YaprakReplay", "YaprakStorage", "YaprakLocks", "ToolSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),

        .executableTarget(
            name: "CitySearch",
            dependencies: [
                "Yaprak", "YaprakLocks", "ToolSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),

        // Tests. Models, generators and seeds that several suites share live in TestSupport.
        .target(
            name: "TestSupport",
            dependencies: [
                "ToolSupport", "YaprakCBOR", "YaprakLocks",
                .target(name: "CSQLite", condition: .when(traits: ["SQLite"])),
            ],
            path: "Tests/TestSupport", swiftSettings: strict),
        // Writes until it is killed; the tests kill it. Or makes and drops things, thousands of times.
        .executableTarget(
            name: "CrashWriter",
            dependencies: [
                "Yaprak", "YaprakCore", "YaprakInspector", "YaprakReplay", "YaprakTrees",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/CrashWriter", swiftSettings: strict),
        // Counts what calls cost in allocations, syncs, bytes and calls of closures, for Scripts/check-costs.
        .target(name: "CCounters", path: "Tests/CCounters"),
        .executableTarget(
            name: "CostGates",
            dependencies: ["CCounters", "Yaprak", .product(name: "SystemPackage", package: "swift-system")],
            path: "Tests/CostGates", swiftSettings: strict),
        // What shows that nothing is lost: histories and their checker, a simulation of the whole engine, enumerations.
        .target(
            name: "Proof",
            dependencies: [
                "Yaprak", "YaprakCore", "YaprakStorage", "YaprakCBOR", "YaprakModel", "YaprakLocks", "YaprakSimulator",
                "ToolSupport", .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/Proof", swiftSettings: strict),
        // The entry points of libFuzzer, which Scripts/fuzz links.
        .target(
            name: "Fuzzing", dependencies: ["Proof", "Yaprak", "YaprakReplay", "YaprakCBOR"], path: "Tests/Fuzzing",
            swiftSettings: strict),
        // Runs parts of it for as long as one likes.
        .executableTarget(
            name: "ProofRunner", dependencies: ["Proof", "Yaprak"],
            path: "Tests/ProofRunner", swiftSettings: strict),
        .testTarget(
            name: "ProofTests", dependencies: ["ProofRunner", "Proof", "Yaprak", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "YaprakTreesTests", dependencies: ["YaprakTrees", "YaprakLocks", "TestSupport"],
            swiftSettings: strict),
        .testTarget(name: "YaprakCBORTests", dependencies: ["YaprakCBOR", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "ToolSupportTests",
            dependencies: ["ToolSupport", "TestSupport", .product(name: "SystemPackage", package: "swift-system")],
            swiftSettings: strict),
        .testTarget(
            name: "YaprakStorageTests",
            dependencies: [
                "YaprakStorage", "YaprakModel", "YaprakLocks", "YaprakSimulator", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "YaprakCoreTests",
            dependencies: [
                "CrashWriter", "Yaprak", "YaprakReplay", "YaprakCore", "YaprakModel", "YaprakStorage", "YaprakCBOR",
                "YaprakTrees", "YaprakLocks", "YaprakSimulator", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "HashTreeCollections", package: "swift-collections"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "YaprakExtensionsTests",
            dependencies: [
                "Yaprak", "YaprakExtensions", "YaprakCore", "YaprakTrees", "YaprakStorage", "YaprakLocks",
                "YaprakSimulator", "TestSupport", "ToolSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "YaprakListsTests",
            dependencies: [
                "Yaprak", "YaprakLists", "YaprakExtensions", "YaprakCore", "YaprakTrees", "YaprakLocks", "TestSupport",
                .product(name: "HashTreeCollections", package: "swift-collections"),
            ],
            resources: [.copy("Resources")],
            swiftSettings: strict),
        .testTarget(
            name: "YaprakQueriesTests",
            dependencies: [
                "Yaprak", "YaprakReplay", "YaprakQueries", "YaprakExtensions", "YaprakCore", "YaprakTrees",
                "YaprakLocks", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "YaprakSearchTests",
            dependencies: [
                "Yaprak", "YaprakSearch", "YaprakExtensions", "YaprakCore", "YaprakCBOR", "YaprakTrees",
                "YaprakStorage",
                "YaprakSimulator", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "YaprakReplayTests",
            dependencies: [
                "CrashWriter", "DeparturesBoard", "YaprakReplay", "Yaprak", "YaprakCore", "YaprakExtensions",
                "YaprakModel", "YaprakStorage", "YaprakCBOR", "YaprakTrees", "YaprakLocks", "YaprakSimulator",
                "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "YaprakInspectorTests",
            dependencies: [
                "YaprakInspector", "YaprakReplay", "Yaprak", "YaprakCBOR", "YaprakLocks", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Inspector"])),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "YaprakServicesTests",
            dependencies: [
                "YaprakServices", "Yaprak", "YaprakLocks", "TestSupport",
                .product(
                    name: "AsyncAlgorithms", package: "swift-async-algorithms", condition: .when(traits: ["Lifecycle"])),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "Configuration", package: "swift-configuration",
                    condition: .when(traits: ["Configuration"])),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["Lifecycle"])),
                .product(
                    name: "UnixSignals", package: "swift-service-lifecycle",
                    condition: .when(traits: ["Lifecycle"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
                .product(name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
                .product(
                    name: "InMemoryTracing", package: "swift-distributed-tracing",
                    condition: .when(traits: ["Tracing"])),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "YaprakImportTests",
            dependencies: [
                "YaprakImport", "Yaprak", "YaprakReplay", "YaprakCBOR", "YaprakLocks", "TestSupport",
                .target(name: "CSQLite", condition: .when(traits: ["SQLite"])),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "YaprakToolTests",
            dependencies: [
                "CrashWriter", "YaprakReplay", "Yaprak", "YaprakCBOR", "YaprakStorage", "YaprakTool", "DeparturesBoard",
                "CitySearch", "ToolSupport", "TestSupport", "YaprakLocks",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "YaprakTestingTests",
            dependencies: [
                "YaprakTesting", "Yaprak", "YaprakExtensions", "YaprakLists", "YaprakReplay", "YaprakLocks",
                "TestSupport",
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
