// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "yaprak-benchmarks",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "yaprak-bench", targets: ["YaprakBench"])],
    dependencies: [
        .package(name: "yaprak", path: ".."),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(name: "CLZ4Frame", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
        .target(name: "CHelpers"),
        .executableTarget(
            name: "YaprakBench",
            dependencies: [
                "CLMDB", "CLZ4Frame", "CHelpers",
                .product(name: "Yaprak", package: "yaprak"),
                .product(name: "YaprakReplay", package: "yaprak"),
                .product(name: "HashTreeCollections", package: "swift-collections"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
