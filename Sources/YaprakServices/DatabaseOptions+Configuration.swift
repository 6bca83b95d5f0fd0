#if Configuration
    public import Configuration
    public import Yaprak

    extension DatabaseOptions {
        /// Options from environment variables, files or flags, by swift-configuration.
        ///
        ///     let config = ConfigReader(provider: EnvironmentVariablesProvider())      // YAPRAK_DURABILITY=100ms …
        ///     let options = try DatabaseOptions(configuration: config.scoped(to: "yaprak"))
        ///
        /// | key | values | default |
        /// | --- | --- | --- |
        /// | `durability` | `always`, `relaxed`, or a duration: the log is synced once in it | `always` |
        /// | `retention` | `all`, `4 checkpoints`, `1000 commits`, or a duration: `7d` | `2 checkpoints` |
        /// | `checkpoints` | `automatic`, `manual`, or after so much log: `64MiB` | `automatic` |
        /// | `lag.limit` | commits that a stream may fall behind | 100,000 |
        /// | `lag.bytes` | a size: what a stream may keep | `256MiB` |
        /// | `limits.key` | a size: of a key | `64KiB` |
        /// | `limits.value` | a size: of an encoded object | `64MiB` |
        /// | `limits.operations` | operations of a transaction | 1,000,000 |
        /// | `limits.collections` | collections of a database | 1,048,576 |
        ///
        /// A duration is a whole number with `ms`, `s`, `m`, `h` or `d`. A size is a number of bytes, or of `KiB`, `MiB`
        /// or `GiB`. What is not there has its default; a value that says nothing sensible is always an error.
        ///
        /// - Throws: ``ConfigurationError`` with the key, the value and what it may be.
        public init(configuration: ConfigReader) throws {
            self.init()
            let reader = OptionReader(configuration)
            let (size, count) = ("a size, such as 64MiB", "a number above 0")
            durability = try reader.value("durability", "always, relaxed, or a duration such as 100ms", durability) {
                switch $0 {
                case "always": .always
                case "relaxed": .relaxed
                default: Quantity.duration($0).map { .interval($0) }
                }
            }
            retention = try reader.value(
                "retention", "all, 4 checkpoints, 1000 commits, or a duration such as 7d", retention, Retention.init)
            checkpoints = try reader.value("checkpoints", "automatic, manual, or " + size, checkpoints) {
                switch $0 {
                case "automatic": .automatic
                case "manual": .manual
                default: Quantity.bytes($0).map { .every(bytes: $0) }
                }
            }
            lagLimit = try reader.value("lag.limit", count, lagLimit) { Quantity.count($0) }
            lagBytesLimit = try reader.value("lag.bytes", size, lagBytesLimit, Quantity.bytes)
            limits.keyBytesMax = try reader.value("limits.key", size, limits.keyBytesMax, Quantity.bytes)
            limits.valueBytesMax = try reader.value("limits.value", size, limits.valueBytesMax, Quantity.bytes)
            limits.operationsMax = try reader.value("limits.operations", count, limits.operationsMax) {
                Quantity.count($0)
            }
            limits.collectionsMax = try reader.value("limits.collections", count, limits.collectionsMax) {
                Quantity.count($0)
            }
        }
    }

    private struct OptionReader {
        let configuration: ConfigReader

        init(_ configuration: ConfigReader) { self.configuration = configuration }

        func value<Value>(
            _ key: String, _ expected: String, _ standard: Value, _ parse: (String) -> Value?
        ) throws -> Value {
            guard let text = text(forKey: ConfigKey(key)) else { return standard }
            guard let value = parse(text) else { throw ConfigurationError(key: key, value: text, expected: expected) }
            return value
        }

        /// What stands there as text, also where a file has a number or something else: a reader says of both that there is no
        /// text.
        private func text(forKey key: ConfigKey) -> String? {
            if let text = configuration.string(forKey: key) { return text }
            if let number = configuration.int(forKey: key) { return String(number) }
            if let number = configuration.double(forKey: key) { return String(number) }
            if let flag = configuration.bool(forKey: key) { return String(flag) }
            if let list = configuration.stringArray(forKey: key) { return list.description }
            if let list = configuration.intArray(forKey: key) { return list.description }
            if let list = configuration.doubleArray(forKey: key) { return list.description }
            return configuration.boolArray(forKey: key)?.description
        }
    }

    extension Retention {
        fileprivate init?(_ text: String) {
            let words = text.split(separator: " ")
            if text == "all" {
                self = .all
            } else if words.count == 2, let count = Quantity.count(words[0]),
                ["checkpoint", "checkpoints"].contains(words[1])
            {
                self = .checkpoints(count)
            } else if words.count == 2, let count = Quantity.count(words[0]), ["commit", "commits"].contains(words[1]) {
                self = .commits(count)
            } else if let duration = Quantity.duration(text) {
                self = .age(duration)
            } else {
                return nil
            }
        }
    }

    /// A value of the configuration that says nothing sensible.
    public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The key, below the scope that was given.
        public let key: String
        /// What stands there.
        public let value: String
        /// What may stand there.
        public let expected: String

        /// A sentence with the remedy.
        public var description: String { "\"\(key)\" can't be \"\(value)\". It may be \(expected)." }
    }

    /// Amounts as people write them.
    enum Quantity {
        static func count(_ text: some StringProtocol) -> Int? { Int(text).flatMap { $0 > 0 ? $0 : nil } }

        static func duration(_ text: String) -> Duration? {
            split(text).flatMap { number, unit in
                switch unit {
                case "ms": .milliseconds(number)
                case "s": .seconds(number)
                case "m": seconds(number, 60)
                case "h": seconds(number, 3600)
                case "d": seconds(number, 86_400)
                default: nil
                }
            }
        }

        static func bytes(_ text: String) -> Int? {
            split(text).flatMap { number, unit in
                let factor: Int? =
                    switch unit {
                    case "", "B": 1
                    case "KiB": 1 << 10
                    case "MiB": 1 << 20
                    case "GiB": 1 << 30
                    default: nil
                    }
                guard let factor else { return nil }
                let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
                return overflow ? nil : bytes
            }
        }

        private static func seconds(_ number: Int, _ factor: Int) -> Duration? {
            let (seconds, overflow) = number.multipliedReportingOverflow(by: factor)
            return overflow ? nil : .seconds(seconds)
        }

        /// A number above 0 and its unit, with or without spaces between them.
        private static func split(_ text: String) -> (Int, Substring)? {
            let digits = text.prefix { $0.isASCII && $0.isNumber }
            guard let number = count(digits) else { return nil }
            return (number, text[digits.endIndex...].drop { $0 == " " })
        }
    }
#endif
