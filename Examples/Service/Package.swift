// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Service",
    platforms: [.macOS(.v15)],
    dependencies: [
        // In a program of your own: .package(url: "https://github.com/OWNER/yaprak", branch: "main", traits: ["Services"])
        .package(name: "yaprak", path: "../..", traits: ["Services"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .target(
            name: "Inventory",
            dependencies: [
                .product(name: "Yaprak", package: "yaprak"),
                .product(name: "YaprakServices", package: "yaprak"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .executableTarget(
            name: "inventory-server",
            dependencies: [
                "Inventory",
                .product(name: "Yaprak", package: "yaprak"),
                .product(name: "YaprakServices", package: "yaprak"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "InventoryTests",
            dependencies: [
                "Inventory",
                .product(name: "Yaprak", package: "yaprak"),
                .product(name: "YaprakTesting", package: "yaprak"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
