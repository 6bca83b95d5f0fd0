import TestSupport
import Testing
import ToolSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Ctrl-C while something goes on in spite of it.
@Suite(.bounded) struct InterruptionTests {
    // The first Ctrl-C did nothing that could be seen.
    @Test func `The first Ctrl-C says what goes on, and the second ends the program`() async {
        let result = await #expect(processExitsWith: .exitCode(130), observing: [\.standardErrorContent]) {
            Interruption.listen()
            Interruption.explain("this goes on\n")
            raiseInterrupt()
            // What comes after it is silent, as before.
            Interruption.explain(nil)
            Interruption.forget()
            raiseInterrupt()
            guard Interruption.isRequested else { exit(1) }
            raiseInterrupt()
            exit(2)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.ranges(of: "this goes on\n").count == 1, "\(text)")
    }

    // No Ctrl-C ended the tool, where the user had quit the pager and what the tool did took long.
    @Test func `Where another program has the terminal, the second Ctrl-C ends the program once the other is gone`()
        async
    {
        await #expect(processExitsWith: .exitCode(130)) {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { exit(1) }
            Interruption.listenPatiently(writingTo: ends[1])
            for _ in 0..<3 { raiseInterrupt() }
            guard Interruption.isRequested else { exit(2) }
            // Nobody asks a pipe that is about to be closed.
            close(ends[0])
            Interruption.listenPatiently()
            raiseInterrupt()
            Interruption.listenPatiently(writingTo: ends[1])
            Interruption.forget()
            raiseInterrupt()
            guard Interruption.isRequested else { exit(3) }
            raiseInterrupt()
            exit(4)
        }
    }
}
