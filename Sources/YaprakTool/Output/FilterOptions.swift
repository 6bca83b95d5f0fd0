import ArgumentParser

/// Which changes and which commits are to be shown.
struct FilterOptions: ParsableArguments {
    @Option(help: "Only changes of this collection.", completion: .collection)
    var collection: String?

    @Option(help: "Only changes of records under this key.", completion: .key)
    var key: String?

    var filter: ChangeFilter { ChangeFilter(collection: collection, key: key) }
}
