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
}
