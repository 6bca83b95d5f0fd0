#if Inspector && os(Linux)
    import Foundation
    import SystemPackage
    import TestSupport
    import Testing

    @testable import YaprakInspector

    @Suite(.bounded) struct FileIdentityTests {
        @Test func `A directory whose name is not UTF-8 is known by itself, and by no name that looks like it`() throws
        {
            let directory = TemporaryDirectory(), folder = FilePath(directory.path)
            let odd = folder.appending(
                try #require(FilePath.Component(platformString: [CChar(bitPattern: 0xff), 0])))
            try #require(odd.withPlatformString { mkdir($0, 0o700) } == 0)
            defer { _ = odd.withPlatformString { rmdir($0) } }
            let found = try #require(FileIdentity(of: odd))
            #expect(FileIdentity(of: odd) == found && FileIdentity(of: folder) != found)
            #expect(FileIdentity(of: FilePath(odd.string)) == nil)
            withExtendedLifetime(directory) {}
        }
    }
#endif
