// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Chat",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "Chat", targets: ["Chat"])],
    dependencies: [
        // In a program of your own: .package(url: "https://github.com/OWNER/yaprak", branch: "main")
        .package(name: "yaprak", path: "../..")
    ],
    targets: [
        .target(name: "Chat", dependencies: [.product(name: "Yaprak", package: "yaprak")]),
        .executableTarget(
            name: "chat-demo", dependencies: ["Chat", .product(name: "Yaprak", package: "yaprak")]),
        .testTarget(
            name: "ChatTests",
            dependencies: [
                "Chat", .product(name: "Yaprak", package: "yaprak"),
                .product(name: "YaprakTesting", package: "yaprak"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
