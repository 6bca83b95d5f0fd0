import Foundation
import TestSupport
import Testing
import ToolSupport

@testable import YaprakTool

/// Several screens of one process: each gives back what it took.
@Suite(.bounded) struct ScreenTests {
    private static let farewell = "\u{1b}[?1049l"

    private func console() -> Console { Console(out: TextSink(), err: TextSink()) }

    // One flag for the whole process said whether a screen was taken: the second of two screens was never given back, and a
    // second call of the first one's `leave` took the flag from the next screen.
    @Test func `Each of two screens gives its terminal back once`() throws {
        let (one, two, three) = (console(), console(), console())
        let first = try Screen(one), second = try Screen(two)
        try first.show(["first"])
        first.leave()
        try second.show(["second"])
        second.leave()
        let third = try Screen(three)
        first.leave()
        third.leave()
        for console in [one, two, three] {
            #expect(console.out.text.components(separatedBy: Self.farewell).count == 2)
            #expect(console.out.text.hasSuffix(Self.farewell))
        }
    }

    @Test func `A screen that is dropped gives its terminal back`() throws {
        let console = console()
        try Screen(console).show(["text"])
        #expect(console.out.text.hasSuffix(Self.farewell))
    }
}
