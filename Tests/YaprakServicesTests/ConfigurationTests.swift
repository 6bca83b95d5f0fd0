#if Configuration
    import Configuration
    import TestSupport
    import Testing
    import Yaprak
    import YaprakServices

    /// Options as people write them.
    @Suite(.bounded) struct ConfigurationTests {
        private func options(_ values: [String: String]) throws -> DatabaseOptions {
            let variables = Dictionary(
                uniqueKeysWithValues: values.map {
                    ("YAPRAK_" + $0.key.uppercased().replacing(".", with: "_"), $0.value)
                })
            let config = ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: variables))
            return try DatabaseOptions(configuration: config.scoped(to: "yaprak"))
        }

        @Test func `Nothing configured is the defaults`() throws {
            let (found, defaults) = (try options([:]), DatabaseOptions())
            #expect(found.durability == defaults.durability && found.retention == defaults.retention)
            #expect(found.checkpoints == defaults.checkpoints && found.limits == defaults.limits)
            #expect(found.lagLimit == defaults.lagLimit && found.lagBytesLimit == defaults.lagBytesLimit)
        }

        @Test func `A number in a file is read, and what is neither text nor a number is an error`() throws {
            func options(_ key: AbsoluteConfigKey, _ value: ConfigContent) throws -> DatabaseOptions {
                let provider = InMemoryProvider(values: [key: ConfigValue(value, isSecret: false)])
                return try DatabaseOptions(configuration: ConfigReader(provider: provider))
            }
            #expect(try options(["lag", "limit"], .int(12)).lagLimit == 12)
            #expect(try options(["limits", "key"], .int(1024)).limits.keyBytesMax == 1024)
            #expect(throws: ConfigurationError.self) { try options(["checkpoints"], .bool(true)) }
            #expect(throws: ConfigurationError.self) { try options(["lag", "limit"], .double(1.5)) }
            #expect(throws: ConfigurationError.self) { try options(["durability"], .stringArray(["always"])) }
            #expect(throws: ConfigurationError.self) { try options(["lag", "limit"], .doubleArray([1.5])) }
            #expect(throws: ConfigurationError.self) { try options(["checkpoints"], .boolArray([true])) }
        }

        @Test func `Each key is read, in every way it may be written`() throws {
            #expect(try options(["durability": "relaxed"]).durability == .relaxed)
            #expect(try options(["durability": "100ms"]).durability == .interval(.milliseconds(100)))
            #expect(try options(["retention": "all"]).retention == .all)
            #expect(try options(["retention": "4 checkpoints"]).retention == .checkpoints(4))
            #expect(try options(["retention": "1000 commits"]).retention == .commits(1000))
            #expect(try options(["retention": "7d"]).retention == .age(.seconds(7 * 86_400)))
            #expect(try options(["checkpoints": "manual"]).checkpoints == .manual)
            #expect(try options(["checkpoints": "64 MiB"]).checkpoints == .every(bytes: 64 << 20))
            #expect(try options(["lag.limit": "12"]).lagLimit == 12)
            #expect(try options(["lag.bytes": "2GiB"]).lagBytesLimit == 2 << 30)
            let limits = try options([
                "limits.key": "1KiB", "limits.value": "5", "limits.operations": "6", "limits.collections": "7",
            ]).limits
            #expect(limits.keyBytesMax == 1024 && limits.valueBytesMax == 5)
            #expect(limits.operationsMax == 6 && limits.collectionsMax == 7)
        }

        @Test(arguments: [
            ("durability", "sometimes"), ("durability", "0s"), ("durability", "-5s"), ("retention", "many"),
            ("retention", "0 commits"), ("retention", "4 commitments"), ("retention", "2 checkpointless"),
            ("retention", "9223372036854775807d"), ("checkpoints", "64 parsecs"),
            ("checkpoints", "9223372036854775807GiB"), ("lag.limit", "0"), ("lag.limit", "1e3"), ("lag.bytes", ""),
            ("limits.key", "٣KiB"), ("limits.collections", "99999999999999999999"),
        ])
        func `A value that says nothing sensible is an error with the key and the remedy`(
            key: String, value: String
        ) throws {
            let error = try #require(throws: ConfigurationError.self) { try options([key: value]) }
            #expect(error.key == key && error.value == value && !error.expected.isEmpty)
            #expect("\(error)".contains(key))
        }
    }
#endif
