// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "yaprak",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Yaprak", targets: ["Yaprak"]),
        .library(name: "YaprakReplay", targets: ["YaprakReplay"]),
        .executable(name: "yaprak", targets: ["YaprakTool"]),
        .executable(name: "DeparturesBoard", targets: ["DeparturesBoard"]),
    ],
    traits: [
        .trait(
            name: "InvariantChecks",
            description: "Every tree checks its whole shape after every change. Slow; for tests of the trees."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // Floor 1: bytes and nodes. Nothing here knows what a record is.
        .systemLibrary(
            name: "CLZ4", pkgConfig: "liblz4",
            providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
        .target(name: "YaprakTrees", swiftSettings: strict),
        .target(name: "YaprakCBOR", swiftSettings: strict),
        .target(
            name: "YaprakStorage",
            dependencies: [
                "CLZ4", "YaprakCBOR",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: strict),

        // Floor 2: records, snapshots, transactions, changes.
        .target(
            name: "YaprakCore",
            dependencies: [
                "YaprakTrees", "YaprakCBOR", "YaprakStorage",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),

        // Roofs: what programs import.
        .target(name: "Yaprak", dependencies: ["YaprakCore"], swiftSettings: strict),
        .target(
            name: "YaprakReplay",
            dependencies: [
                "Yaprak", "YaprakCBOR", "YaprakStorage",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),

        // Tools.
        .executableTarget(
            name: "YaprakTool",
            dependencies: [
                "YaprakReplay",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "DeparturesBoard",
            dependencies: [
                "Yaprak",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),

        // Tests. Models, generators and seeds that several suites share live in TestSupport.
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(name: "YaprakTreesTests", dependencies: ["YaprakTrees", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "YaprakCBORTests", dependencies: ["YaprakCBOR", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "YaprakStorageTests",
            dependencies: ["YaprakStorage", "YaprakCBOR", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "YaprakCoreTests",
            dependencies: ["Yaprak", "YaprakCore", "YaprakStorage", "YaprakCBOR", "YaprakTrees", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system")],
            swiftSettings: strict),
        .testTarget(
            name: "YaprakToolTests",
            dependencies: ["YaprakReplay", "Yaprak", "YaprakTool", "TestSupport"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
