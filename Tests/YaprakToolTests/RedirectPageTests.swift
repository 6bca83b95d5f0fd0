import Foundation
import SystemPackage
import TestSupport
import Testing
import ToolSupport

@testable import YaprakTool

/// What `yaprak inspect --open` gives to the system's opener.
@Suite(.bounded) struct RedirectPageTests {
    private static func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `The opener is given a page that only this user can read, and no token`() async throws {
        let scratch = try PrivateFolder("yaprak-tool")
        let seen = scratch.path.string
        // An opener that notes its arguments, and what it can read there.
        for name in ["open", "xdg-open"] {
            let script = """
                #!/bin/sh
                cat "$1" >'\(seen)/page'
                printf '%s\\n' "$@" >'\(seen)/noting'
                mv '\(seen)/noting' '\(seen)/arguments'

                """
            try script.write(toFile: seen + "/" + name, atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: seen + "/" + name)
        }
        let search = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let address = "http://127.0.0.1:8080/?token=0123456789abcdef"
        var page: RedirectPage? = try RedirectPage()
        let path = try #require(page?.path)
        try page?.open(address, environment: ["PATH": "\(seen):\(search)"])
        while !FileManager.default.fileExists(atPath: seen + "/arguments") {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try String(contentsOfFile: seen + "/arguments", encoding: .utf8) == path.string + "\n")
        #expect(try String(contentsOfFile: seen + "/page", encoding: .utf8).contains("content=\"0; url=\(address)\""))
        #expect(try Self.mode(of: path.string) == 0o600)
        #expect(try Self.mode(of: path.removingLastComponent().string) == 0o700)
        page = nil
        #expect(!FileManager.default.fileExists(atPath: path.removingLastComponent().string))
    }

    @Test func `Without a browser nothing happens`() throws {
        let nothing = try PrivateFolder("yaprak-tool")
        let page = try RedirectPage()
        try page.open("http://127.0.0.1:8080/?token=0123456789abcdef", environment: ["PATH": nothing.path.string])
    }
}
