#if Inspector
    import TestSupport
    import Testing
    import Yaprak
    import YaprakCBOR
    import YaprakReplay

    @testable import YaprakInspector

    /// Names that are empty, of which there are many, or that a terminal would not copy.
    extension PagesTests {
        @Test func `A record whose key is empty has a page, an answer, and links that lead to them`() async throws {
            let inspected = try await InspectedDatabase(commits: 1)
            try await inspected.database.write { $0[.items][""] = Item(name: "nameless one") }
            let service = try inspected.service()
            let list = await service.ask("/collection?name=items").text
            #expect(list.contains(#"href="/record?collection=items&amp;key=">(empty)</a>"#), "\(list)")
            let page = await service.ask("/record?collection=items&key=")
            #expect(page.status == 200 && page.text.contains("nameless one"), "\(page.text)")
            #expect(page.text.contains("<h1>(empty)</h1>"))
            // The bar leads back to it, and the command asks for it.
            #expect(page.text.contains(#"name="key" value="""#))
            #expect(page.text.contains("items &#39;&#39; --at 2"))
            #expect(await service.ask("/api/record?collection=items&key=").text.contains("nameless one"))
            let history = try CBORValue(json: await service.ask("/api/history?collection=items&key=").text)
            #expect(history["revisions"]?.array?.compactMap { $0["commit"] } == [2])
            for target in ["/record?collection=items", "/api/record?collection=items"] {
                #expect(await service.ask(target).status == 400, "\(target)")
            }
            try await inspected.database.close()
        }

        @Test func `A group whose name is empty has its pages, and a row in it is explained`() async throws {
            let database = Database.inMemory()
            try await database.register(shelves)
            try await database.write { transaction in
                for number in 0..<60 { transaction[.items]["k\(number)"] = Item(name: "n", shelf: "", rank: number) }
                transaction[.items][""] = Item(name: "nameless one", shelf: "", rank: 100)
                transaction[.items]["other"] = Item(name: "other", shelf: "b")
            }
            let service = try TestService(LiveHistory(database))
            let all = await service.ask("/view?name=shelves").text
            #expect(all.contains(#"href="/view?name=shelves&amp;group=">21 more</a>"#), "\(all)")
            #expect(all.contains("<h2>(empty) <span"))
            let second = await service.ask("/view?name=shelves&group=&page=1").text
            #expect(second.contains("41 to 61 of 61") && second.contains("k59") && !second.contains(">other<"))
            #expect(second.contains("explain=&amp;of=items"))
            let explained = await service.ask("/view?name=shelves&explain=&of=items").text
            #expect(explained.contains("items (empty) is in"))
            let group = try CBORValue(json: await service.ask("/api/view?name=shelves&group=&limit=100").text)
            #expect(group["count"] == 61 && group["groups"]?.array?.count == 1)
            let whole = try CBORValue(json: await service.ask("/api/view?name=shelves&limit=100").text)
            #expect(whole["count"] == 62 && whole["groups"]?.array?.count == 2)
        }

        @Test func `More collections than a page lists are counted, and are on the next page`() async throws {
            let database = Database.inMemory()
            try await database.write { transaction in
                for number in 1000...2000 {
                    transaction[RecordCollection<Item, Int>("c\(number)")]["a"] = Item(name: "a")
                }
            }
            let service = try TestService(LiveHistory(database))
            let first = await service.ask("/collections").text
            #expect(first.contains("1 to 1,000 of 1,001") && first.contains("c1999") && !first.contains("c2000"))
            let second = await service.ask("/collections?page=1").text
            #expect(second.contains("1,001 to 1,001 of 1,001") && second.contains("c2000"))
            let timeline = await service.ask("/").text
            #expect(timeline.contains(#"<a href="/collections">and 961 more</a>"#), "\(timeline)")
        }

        /// What a page shows in the place of such a character is no part of the key.
        @Test(
            arguments: [
                0x00, 0x0a, 0x1b, 0x7f, 0x85, 0x61c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069,
                0xfeff,
            ] as [UInt32])
        func `A command has a character that a page would not show as a shell reads it`(value: UInt32) throws {
            let word = Pieces.shellWord("abc\(try #require(Unicode.Scalar(value)))")
            let shown: Markup = "\(word)"
            #expect(word.hasPrefix(#"$'abc\x"#) && !shown.text.contains("u{"), "\(shown.text)")
            #expect(word.utf8.allSatisfy { (0x20...0x7e).contains($0) })
        }

        @Test func `A key that ends with a mark of direction is asked for with its bytes`() {
            #expect(Pieces.shellWord("abc\u{200f}") == #"$'abc\xe2\x80\x8f'"#)
            #expect(Pieces.shellWord("abcé") == "'abcé'")
        }
    }
#endif
