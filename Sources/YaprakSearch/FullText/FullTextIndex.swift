public import YaprakCore
package import YaprakTrees

/// Finds records by the words in them, ranked by how well they fit.
///
///     let text = FullTextIndex("messages.text", of: .messages, \.title, \.body)
///     try await database.register(text)
///
///     let reader = database.snapshot[text]
///     for hit in reader.top(10, for: .typing("dun me")) { print(hit.record.object.title, hit.score) }
///     for hit in reader.top(10, for: try text.query("title: dune NOT messiah")) { … }
///
/// An index of the words of one or several texts of each record, with their places, in the same snapshot as the records: a
/// search never finds what is not there, and never misses what is. It follows each commit, is stored with checkpoints
/// (``SearchPersistence``), and is restored at launch.
///
/// The index is made again when the version tag, the collection, the columns' names, or the tokenizer differ. Raise the version
/// tag when the texts of columns are computed in another way.
///
/// - Complexity: a changed record costs O(terms that differ or are moved · log *n*), each about a page of 512 bytes; up to 16
///   KiB, or what one text has, where texts have a word very often. Making it takes 2 to 5 µs of a core for each 100 bytes of
///   text, on all cores. Some 5 to 25 bytes of memory for each different term of each record, and about a hundred for each
///   record.
public struct FullTextIndex<Object: Codable & Sendable, Metadata: Codable & Sendable>: DatabaseExtension {
    /// What is read through.
    public typealias Reader = FullTextReader<Object, Metadata>
    /// What one commit changed; not reported.
    public typealias Changes = Never

    /// The name under which it is registered.
    public let name: String
    /// Says what made the index: the program's tag, the names of the columns, the tokenizer with its locale and its version
    /// of Unicode.
    public let versionTag: String
    /// What splits texts and queries into terms.
    public let tokenizer: any SearchTokenizer
    /// What of the index is stored in files.
    public let persistence: SearchPersistence

    let collection: RecordCollection<Object, Metadata>
    let columns: [SearchColumn<Object, Metadata>]
    let tools: SearchTools
    private let editors: IdlePool<FullTextEditor>
    /// The text of each column, without the types of the records: code that knows them only at run time is slow.
    private let texts: [ColumnText]
    private var types: CollectionTypes { tools.types }

    /// An index of some texts of each record of a collection.
    ///
    ///     FullTextIndex("messages.text", of: .messages, columns: [
    ///         SearchColumn("title", \.title, weight: 4), SearchColumn("body", \.body),
    ///     ])
    ///
    /// - Parameters:
    ///   - name: the name under which it is registered.
    ///   - versionTag: says which code computes the texts.
    ///   - collection: the collection whose records are found.
    ///   - columns: the texts, 1 to 64, each with a name of its own.
    ///   - tokenizer: splits texts and queries into terms.
    ///   - persistence: what of the index is stored in files.
    public init(
        _ name: String, versionTag: String = "", of collection: RecordCollection<Object, Metadata>,
        columns: [SearchColumn<Object, Metadata>], tokenizer: any SearchTokenizer = WordTokenizer(),
        persistence: SearchPersistence = .automatic
    ) {
        precondition(
            (1...CompiledQuery.columnsMax).contains(columns.count),
            "an index has 1 to \(CompiledQuery.columnsMax) columns, not \(columns.count)")
        // Closures, where key paths of a generic type would be made at run time.
        let names = columns.map { $0.name }
        texts = ColumnText.all(of: columns)
        precondition(
            Set(names).count == columns.count, "each column of \"\(name)\" needs a name of its own")
        self.name = name
        self.versionTag = Self.tag(versionTag, names, tokenizer)
        self.collection = collection
        self.columns = columns
        self.tokenizer = tokenizer
        self.persistence = persistence
        tools = SearchTools(
            columnNames: names, weights: columns.allSatisfy { $0.weight == 1 } ? nil : columns.map { $0.weight },
            types: CollectionTypes(collection), tokenizer: tokenizer)
        // A database has one writer at a time.
        editors = IdlePool(2, keepIf: { $0.isSmall }) { [texts] in FullTextEditor(texts, tokenizer) }
    }

    /// An index of some properties of each object, each a column named for its property.
    ///
    ///     FullTextIndex("messages.text", of: .messages, \.title, \.body)
    ///
    /// Computed properties have no names here, and none has one in a program that is built without reflection metadata: such
    /// columns are named `1`, `2` and so on.
    public init(
        _ name: String, versionTag: String = "", of collection: RecordCollection<Object, Metadata>,
        _ properties: any KeyPath<Object, String> & Sendable..., tokenizer: any SearchTokenizer = WordTokenizer(),
        persistence: SearchPersistence = .automatic
    ) {
        self.init(
            name, versionTag: versionTag, of: collection,
            columns: properties.enumerated().map { SearchColumn(Self.propertyName($1) ?? "\($0 + 1)", $1) },
            tokenizer: tokenizer, persistence: persistence)
    }

    private static func propertyName(_ property: AnyKeyPath) -> String? {
        let path = String(describing: property), root = "\\\(type(of: property).rootType)."
        guard path.hasPrefix("\\"), let dot = path.firstIndex(of: ".") else { return nil }
        // The name of a generic type may have dots of its own.
        let name = path.hasPrefix(root) ? path.dropFirst(root.count) : path[path.index(after: dot)...]
        return name.isEmpty || name.contains("<") ? nil : String(name)
    }

    private static func tag(_ own: String, _ columns: [String], _ tokenizer: any SearchTokenizer) -> String {
        "\(own)|\(columns.map(\.debugDescription).joined(separator: ","))|\(tokenizer.identifier)"
    }

    /// The names of the columns.
    public var columnNames: [String] { tools.columnNames }

    /// The collection whose records are found.
    public var collectionNames: [String]? { [collection.name] }

    /// Parses a query in which only columns of this index stand before a colon.
    /// - Throws: ``SearchQueryError`` with the place.
    public func query(_ text: String) throws(SearchQueryError) -> SearchQuery {
        try SearchQuery(parsing: text, columns: columnNames)
    }

    // MARK: Keeping it up to date

    /// The root over an empty database.
    public func makeRoot() -> FullTextRoot { FullTextRoot() }

    /// Follows the texts of changed records.
    public func update(_ root: inout FullTextRoot, for changes: NetChanges, in context: ExtensionContext) -> Never? {
        _ = follow(&root, changes, in: context)
        return nil
    }

    /// The text of each column.
    func columnTexts(of box: RecordBox) -> [String] {
        guard !(box is RawRecord) else { return columns.map { _ in "" } }
        let record = Record<Object, Metadata>(box: box)
        return columns.map { $0.text(record) ?? "" }
    }

    /// What is read through. O(1).
    public func reader(of root: FullTextRoot, in snapshot: Snapshot) -> FullTextReader<Object, Metadata> {
        FullTextReader(index: self, root: root, snapshot: snapshot)
    }
}

extension FullTextIndex: InPlaceExtension {
    package func follow(
        _ root: inout FullTextRoot, _ changes: NetChanges, in context: ExtensionContext
    ) -> (any Sendable)? {
        guard let boxes = changes.boxes(in: types) else { return nil }
        let draft = context.draft
        if boxes.isCleared {
            for var tree in root.trees { draft.clear(&tree) }
            root = FullTextRoot()
        }
        editors.withItem { editor in
            boxes.entries.forEach { entry in
                // A touch changes no text; nor does metadata that no column reads, which costs a look at the same texts.
                if entry.kinds.isSubset(of: [.objectTouched, .metadataTouched]), entry.before != nil, entry.after != nil
                {
                    return
                }
                editor.follow(
                    entry.key, before: Self.read(entry.before), after: Self.read(entry.after), in: &root, draft)
            }
            editor.finish(&root, draft)
        }
        return nil
    }

    /// A record without types has no text.
    private static func read(_ box: RecordBox?) -> RecordBox? { box is RawRecord ? nil : box }
}

/// The text of a column of an index, without the types of its records.
struct ColumnText: Sendable {
    let text: @Sendable (RecordBox) -> String?

    static func all<Object, Metadata>(of columns: [SearchColumn<Object, Metadata>]) -> [ColumnText] {
        columns.map { column in
            let text = column.text
            return ColumnText { text(Record<Object, Metadata>(box: $0)) }
        }
    }

    /// Hands over the texts of a record that are not empty.
    static func forEach(of columns: [ColumnText], in box: RecordBox, _ body: (Int, String) -> Void) {
        for number in columns.indices {
            if let text = columns[number].text(box), !text.isEmpty { body(number, text) }
        }
    }
}

extension FullTextIndex: TreeBackedExtension {
    package func makeSeed() -> FullTextSeed { FullTextSeed(makeLane) }

    func makeLane() -> SeedLane {
        // Closures of its own: threads that count references to the same wait for each other.
        let texts = ColumnText.all(of: columns)
        return SeedLane(DocumentTerms(TextSplitter(tokenizer), columnCount: columns.count)) {
            ColumnText.forEach(of: texts, in: $0, $1)
        }
    }

    package func gather(_ changes: NetChanges, into seed: inout FullTextSeed) {
        guard let boxes = changes.boxes(in: types) else { return }
        let records = boxes.entries.compactMap { $0.after is RawRecord ? nil : $0.after }
        seed.add(records)
    }

    package func build(_ seed: FullTextSeed, in context: ExtensionContext) -> FullTextRoot {
        seed.makeRoot(draft: context.draft)
    }

    package func trees(of root: FullTextRoot) -> [TreeRoot] { root.trees }
    package func versionTag(of root: FullTextRoot) -> String { versionTag }

    /// Not called: the root is made where there is a draft.
    public func decode(_ bytes: [UInt8]) throws -> FullTextRoot { throw StoredFullText.SchemaMismatch() }

    package func decode(_ bytes: [UInt8], in context: ExtensionContext) throws -> FullTextRoot {
        let stored = try StoredFullText(decoding: bytes)
        var keys: [String] = []
        context.before.tree(of: types).forEach { row in if !(row is RawRecord) { keys.append(row.keyString) } }
        return try stored.root(
            ofCollectionNamed: collection.name, keys: keys, columnCount: columns.count, draft: context.draft)
    }
}

extension FullTextIndex: SnapshotEncoding {
    package func encode(_ root: FullTextRoot, in snapshot: Snapshot) throws -> [UInt8]? {
        switch persistence {
        case .rebuilt: return nil
        case .automatic where snapshot.hasOwnCoder(inCollectionNamed: collection.name): return nil
        case .automatic, .checkpoints:
            return try StoredFullText(root, ofCollectionNamed: collection.name).encoded()
        }
    }
}
