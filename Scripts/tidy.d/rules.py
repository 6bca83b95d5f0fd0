"""The orders, words and exceptions that Scripts/tidy checks. An exception has a reason, and goes when it is not needed."""

import re

# MARK: Layers
# The folders of a target from the ground up: a file names what lies in its own folder or below. "" is the target's own
# folder. Targets without folders need no entry; the order of the targets is that of Package.swift.
LAYERS = {
    "YaprakStorage": ["FileSystem", "Format", "Reading", "Writing", "Store", "Maintenance"],
    "YaprakCore": [
        "Records", "Snapshots", "Changes", "Extensions", "Encoding", "Transactions", "Replay", "Publication", "Database",
    ],
    "YaprakLists": ["Vocabulary", "Difference", "Layout", "Changes", "Mappings", "Updates", "Adapters"],
    "YaprakExtensions": [
        "Views", "Difference", "Encoding", "ManualView", "AutoView", "FilteredView", "StoredView", "Explaining",
        "AggregateView", "RecordIndex", "Relationships", "JoinedView",
    ],
    "YaprakSearch": ["Text", "Query", "Scanning", "Postings", "FullText", "Spatial", "Lists", "Results"],
    "YaprakQueries": ["Predicates", "Sorting", "Planning", "Rows", "Queries", "Live", "Sections", "Models"],
    "YaprakReplay": [
        "Positions", "Records", "Reading", "Expressions", "History", "Commits", "Bisecting", "Dumps", "Fixtures", "Views",
        "Sharing", "Reverting", "Inspection", "Maintenance",
    ],
    "YaprakSimulator": ["Disk", "Execution"],
    "YaprakTesting": ["Text", "Fixtures", "Scopes", "Comparing", "Laws", "Faults", "Execution"],
    "Proof": ["Histories", "Simulation", "Crashes", "Damage", "Load"],
    "YaprakInspector": ["Markup", "Server", "History", "Pages", "API", ""],
    "YaprakImport": ["Values", "Reports", "SQLite", "Importing"],
    "YaprakTool": ["Invocation", "Output", "Inspection", "Views", "Transfer", "Maintenance", ""],
}

# (path, name): why that arrow upwards is right.
LAYERS_ALLOWED = {
    ("Sources/YaprakStorage/Format/DiskError+DatabaseError.swift", "Place"): "it is DatabaseError.Place, of YaprakModel",
    ("Sources/YaprakTool/Invocation/CompletionKind+Database.swift", "bash"): "it is CompletionShell's, of ArgumentParser",
    ("Sources/YaprakTool/Invocation/CompletionKind+Database.swift", "zsh"): "it is CompletionShell's, of ArgumentParser",
    ("Sources/YaprakTesting/Faults/SimulatedDisk.swift", "sleep"): "it is Thread.sleep, of Foundation",
    ("Sources/YaprakReplay/Views/ViewSurvey.swift", "Checkpoint"): "it is StoreReader.Checkpoint, of YaprakStorage",
}

# Members and types that the standard library or another package has as well, and traits: such a name says nothing.
COMMON_NAMES = {"Inspector", "Element", "indices", "max", "min"}

# MARK: Dependencies
# What comes with Swift or the system.
SYSTEM_MODULES = {
    "Swift", "Synchronization", "Foundation", "FoundationEssentials", "Dispatch", "Observation", "Testing", "XCTest",
    "Glibc", "Musl", "Darwin", "Compression", "UIKit", "AppKit", "SwiftUI", "Combine", "PackageDescription", "RegexBuilder", "os",
}

# (target, module): why a target lists what it does not import.
DEPENDENCIES_ALLOWED = {
    ("YaprakCoreTests", "CrashWriter"): "they start it as a process",
    ("YaprakReplayTests", "CrashWriter"): "they start it as a process",
    ("YaprakToolTests", "CrashWriter"): "they start it as a process",
    ("ProofTests", "ProofRunner"): "they start it as a process",
}

# (path, module): why a file imports a module of which it names nothing.
IMPORTS_ALLOWED = {}

# MARK: Dead names
# What the standard library, the compiler or a package calls by its name.
WITNESSES = {
    "callAsFunction", "databaseTableName", "enqueue", "hash", "IntegerLiteralType", "unownedExecutor",
    "addingReportingOverflow", "subtractingReportingOverflow", "multipliedReportingOverflow",
    "appendInterpolation", "appendLiteral", "channelActive", "channelInactive", "channelRead", "errorCaught", "userInboundEventTriggered",
    "InboundIn", "OutboundOut",
    "dividedReportingOverflow", "remainderReportingOverflow", "multipliedFullWidth", "dividingFullWidth",
}

# Attributes by which something else than a name finds the declaration.
CALLED_ATTRIBUTES = {"Test", "Suite", "main", "Option", "Argument", "Flag", "OptionGroup", "objc"}

# A case of such an enum is named by what a user types or a file holds.
NAMED_BY_TEXT = {"CaseIterable", "ExpressibleByArgument", "EnumerableFlag", "String", "CodingKey"}

# (path, name): why nothing names it.
DEAD_NAMES_ALLOWED = {
    ("Tests/YaprakTestingTests/DatabaseTestCaseTests.swift", "ShelfTestCase"): "XCTest finds it",
    ("Tests/YaprakTestingTests/DatabaseTestCaseTests.swift", "MainActorTestCase"): "XCTest finds it",
    ("Tests/YaprakTestingTests/DatabaseTestCaseTests.swift", "testASynchronousTestHasAFork"): "XCTest finds it",
    ("Tests/YaprakTestingTests/DatabaseTestCaseTests.swift", "testTheMainActorHasBuiltTheFixture"): "XCTest finds it",
    ("Tests/YaprakTestingTests/DatabaseTestCaseTests.swift", "testAnAsynchronousTestHasAFork"): "XCTest finds it",
    ("Tests/YaprakTestingTests/DatabaseTestCaseTests.swift", "testNoTestSeesTheWritesOfAnother"): "XCTest finds it",
    ("Tests/AppleStubs/AppKit/Uses.swift", "AppKitList"): "it is compiled and never run",
    ("Tests/AppleStubs/AppKit/Uses.swift", "show"): "it is compiled and never run",
    ("Tests/AppleStubs/UIKit/Uses.swift", "UIKitList"): "it is compiled and never run",
    ("Tests/AppleStubs/UIKit/Uses.swift", "show"): "it is compiled and never run",
    ("Tests/AppleStubs/SwiftUI/ListUses.swift", "Inbox"): "it is compiled and never run",
    ("Tests/AppleStubs/SwiftUI/ListUses.swift", "earlier"): "it is compiled and never run",
    ("Tests/AppleStubs/SwiftUI/ListUses.swift", "ForkedFixture"): "it is compiled and never run",
    ("Tests/AppleStubs/SwiftUI/QueryUses.swift", "Books"): "it is compiled and never run",
    ("Tests/AppleStubs/SwiftUI/QueryUses.swift", "changes"): "it is compiled and never run",
}

# MARK: File names
# path: why the file is not named for what it declares.
FILE_NAMES_ALLOWED = {
    "Sources/Yaprak/Yaprak.swift": "it re-exports the modules of the product and declares nothing",
    "Tests/Fuzzing/FuzzerEntry.swift": "the functions that libFuzzer calls by their C names",
    "Tests/TestSupport/Reexports.swift": "it declares nothing: it re-exports",
    "Tests/AppleStubs/AppKit/AppKit.swift": "the stub of a framework, named for it",
    "Tests/AppleStubs/AppKit/Uses.swift": "what a program writes with the adapters",
    "Tests/AppleStubs/Compression/Compression.swift": "the stub of a framework, named for it",
    "Tests/AppleStubs/Darwin/Darwin.swift": "the stub of a module of the system, named for it",
    "Tests/AppleStubs/SwiftUI/SwiftUI.swift": "the stub of a framework, named for it",
    "Tests/AppleStubs/SwiftUI/ListUses.swift": "what a program writes with the property wrapper of lists",
    "Tests/AppleStubs/SwiftUI/QueryUses.swift": "what a program writes with the property wrapper of queries",
    "Tests/AppleStubs/UIKit/UIKit.swift": "the stub of a framework, named for it",
    "Tests/AppleStubs/UIKit/Uses.swift": "what a program writes with the adapters",
    "Tests/YaprakCoreTests/ExampleExtensions.swift": "several small extensions that many suites register",
    "Tests/YaprakCoreTests/Shop.swift": "the records of one small domain",
    "Tests/YaprakReplayTests/Shop.swift": "the records of one small domain",
    "Tests/YaprakExtensionsTests/Library.swift": "the records of one small domain",
    "Tests/YaprakExtensionsTests/Family.swift": "the records of one small domain",
    "Tests/YaprakToolTests/Support.swift": "what the suites of the tool share",
    "Benchmarks/Sources/YaprakBench/Harness.swift": "what all measures share",
    "Benchmarks/Sources/YaprakBench/Rows.swift": "the records of all measures",
}

# MARK: Words
_PREDICATE = (
    r"\b(?:is|are|was|were|be|been|being|has|have|had|hold|holds|held|mean|means|meant|does|do|did|go|goes|went|looks?|"
    r"chooses?|came|comes?|becomes?|became)\s+otherwise\b(?=\s*(?:[.,;:)]|$|(?:and|or|than|in|after|what|with|for)\b))")

# The words of the style guide: pattern, what to write, text with the word, text that is right as it is.
WORDS = [(re.compile(pattern, re.I | re.M), *rest) for pattern, *rest in [
    (r"\banew\b", "\"again\", \"rebuilt\" or \"recomputed\"", "is computed anew", "has a new number"),
    (r"\bwho(?:so)?ever\b", "who it is: \"a caller that\", \"the thread that\"", "whoever finds none", "the thread whose turn it is"),
    (r"\bon\s+the\s+quiet\b", "\"silently\"", "changes on the quiet", "on a quiet machine"),
    (r"\bdoors?\b", "what it is: \"on input\", \"API\", \"entry point\"", "checked at the door", "outdoors"),
    (r"\bpassed\s+over\b", "\"skipped\"", "the frame is passed over", "one pass over the log"),
    (r"\b(?:taken|took)\s+over\b", "\"adopted\" or \"restored\"", "the root is taken over", "it takes over 40 ms"),
    (r"\bby\s+hand\b", "\"explicitly\", \"primary\" or \"manually\"", "rows placed by hand", "the page at hand"),
    (_PREDICATE, "\"different\" or \"differs\"", "records that are otherwise.", "is otherwise unchanged; otherwise it throws"),
    (r"\b(?:told|tells)\b", "\"reports\", \"notifies\", \"says\" or \"shows\"", "a list is told of it", "hard to tell apart"),
    # A fork has ancestors; the library that this one comes from has a name.
    (r"\bthe\s+ancestor(?!s)\b", "\"YapDatabase\"", "as the ancestor did", "the ancestors of a fork, each ancestor"),
    (r"\b(?:thither|hither|whither|whence|thereof|whereof|whereupon|hereby|heretofore|henceforth|forthwith|nought|naught|"
     r"albeit|whilst|amongst|betwixt)\b", "a word of today", "whence it came", "where it came from"),
]]

# (path, phrase, reason): where the word says a fact that no other says.
WORDS_ALLOWED = []

# MARK: Lines
SWIFT_LINE = 130
PAGE_LINE = 130
