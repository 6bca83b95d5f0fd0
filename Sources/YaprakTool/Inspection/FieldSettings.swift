import YaprakReplay

/// Which commit set each field of a value last.
///
/// As a tree, so that each step of a path is there once, however many fields are below it.
struct FieldSettings {
    private struct Node {
        /// Which commit set the field as a whole last; -1 for none.
        var setter = -1
        var parts: [FieldPath.Step: Int] = [:]
    }

    /// A field: its node, if anything was set there, and which commit set it, or something around it, last.
    private struct Setting {
        var node: Int?
        var setter: Int
    }

    private var nodes = [Node()]
    private var commits: [ReplayCommit] = []
    // Fields of one container come together: its path is followed once.
    private var changed = (container: FieldPath(), node: 0)
    private var asked: (container: FieldPath, setting: Setting)?

    /// Adds the fields that a commit changed, which comes after those before.
    mutating func add(_ changes: FieldChanges, by commit: ReplayCommit) {
        commits.append(commit)
        asked = nil
        for change in changes {
            let node = node(of: change.field)
            nodes[node].setter = commits.count - 1
        }
    }

    /// The last commit that set a field, something around it, or something that was inside of it; `nil` if none did.
    mutating func commit(of field: FieldPath) -> ReplayCommit? {
        let found = setting(of: field)
        var setter = found.setter, rest = found.node.map { [$0] } ?? []
        while let node = rest.popLast() {
            setter = max(setter, nodes[node].setter)
            rest += nodes[node].parts.values
        }
        return setter < 0 ? nil : commits[setter]
    }

    // MARK: Settings

    private mutating func setting(of field: FieldPath) -> Setting {
        let whole = Setting(node: 0, setter: nodes[0].setter)
        guard let (container, step) = field.lastStep else { return whole }
        if let asked, asked.container == container { return part(step, of: asked.setting) }
        let around = container.steps.reduce(whole) { part($1, of: $0) }
        asked = (container, around)
        return part(step, of: around)
    }

    private func part(_ step: FieldPath.Step, of container: Setting) -> Setting {
        guard let node = container.node.flatMap({ nodes[$0].parts[step] }) else {
            return Setting(node: nil, setter: container.setter)
        }
        return Setting(node: node, setter: max(container.setter, nodes[node].setter))
    }

    // MARK: Nodes

    private mutating func node(of field: FieldPath) -> Int {
        guard let (container, step) = field.lastStep else { return 0 }
        if container == changed.container {
            // Those that follow in this commit have the same object, and are not compared step by step.
            changed.container = container
        } else {
            var node = 0
            for step in container.steps { node = part(step, of: node) }
            changed = (container, node)
        }
        return part(step, of: changed.node)
    }

    /// The node of a part, which is made if there is none.
    private mutating func part(_ step: FieldPath.Step, of node: Int) -> Int {
        if let part = nodes[node].parts[step] { return part }
        nodes[node].parts[step] = nodes.count
        nodes.append(Node())
        return nodes.count - 1
    }
}
