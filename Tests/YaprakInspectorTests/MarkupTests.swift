#if Inspector
    import TestSupport
    import Testing

    @testable import YaprakInspector

    /// No stored text becomes markup.
    @Suite(.bounded) struct MarkupTests {
        @Test func `Commands in a sentence are set as such, and what stands in them stays text`() {
            #expect(Pieces.sentence("Run `yaprak verify <x>`.").text == "Run <code>yaprak verify &lt;x&gt;</code>.")
            #expect(Pieces.sentence("A ` alone, <b>").text == "A ` alone, &lt;b&gt;")
            #expect(Pieces.sentence("").text == "")
        }

        @Test(arguments: [1, 2, 3, 5, 8] as [UInt64])
        func `Whatever text is put into a page, it is text there`(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            let pieces = [
                "<", ">", "&", "\"", "'", "</script>", "<!--", "]]>", "\u{0}", "\u{1b}[31m", "\u{202e}", "\u{85}", "é",
                "🙂", "a",
                "\n", "&amp;", "javascript:",
            ]
            for round in 0..<300 {
                let text = (0..<random.below(12)).map { _ in pieces[random.below(pieces.count)] }.joined()
                let page: Markup = "<p title=\"\(text)\">\(text)</p>"
                let inside = page.text.dropFirst("<p title=\"".count).dropLast("</p>".count)
                #expect(!inside.contains("<"), "seed \(seed), round \(round)")
                #expect(inside.filter { $0 == ">" }.count == 1, "seed \(seed), round \(round)")
                #expect(inside.filter { $0 == "\"" }.count == 1, "seed \(seed), round \(round)")
                #expect(!inside.contains("'"), "seed \(seed), round \(round)")
                let isControl = page.text.unicodeScalars.contains {
                    $0.value < 32 && $0 != "\n" || (0x7f...0x9f).contains($0.value)
                        || (0x202a...0x202e).contains($0.value)
                }
                #expect(!isControl, "seed \(seed), round \(round)")
            }
        }

        @Test func `Markup in markup stays markup, once`() {
            let inner: Markup = "<b>\("<i>")</b>"
            let outer: Markup = "<p>\(inner)\([inner, inner])</p>"
            #expect(outer.text == "<p><b>&lt;i&gt;</b><b>&lt;i&gt;</b><b>&lt;i&gt;</b></p>")
        }

        @Test(arguments: ["", "a b", "ç+ü&=?/%", "a\u{1}", "100%", "a+b", "a\0b", "a\r\nb"])
        func `What is encoded for an address comes back`(text: String) {
            #expect(PercentCoding.decoded(PercentCoding.encoded(text).utf8, plusIsSpace: true) == text)
            #expect(PercentCoding.decoded(PercentCoding.encoded(text).utf8, plusIsSpace: false) == text)
        }

        @Test(arguments: ["%", "%1", "%zz", "%ff", "%c3"])
        func `A broken escape is no text`(text: String) {
            #expect(PercentCoding.decoded(text.utf8, plusIsSpace: true) == nil)
        }
    }
#endif
