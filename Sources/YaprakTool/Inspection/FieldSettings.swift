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

    /// What is known of the containers around a field. Fields of one container come together, and share what leads to it: each
    /// container is looked up once.
    private struct Surroundings<Known> {
        /// From the value as a whole inwards: at each place the container with so many steps.
        private var levels: [(container: FieldPath, known: Known)]

        init(_ whole: Known) { levels = [(FieldPath(), whole)] }

        /// What is known of the innermost container.
        var known: Known { levels[levels.count - 1].known }

        /// Leaves the containers that are not around a field of another one.
        /// - Returns: those that are to be entered to get there, from the inside out, each with its last step.
        mutating func leave(for container: FieldPath) -> [(container: FieldPath, step: FieldPath.Step)] {
            var missing: [(container: FieldPath, step: FieldPath.Step)] = []
            var path = container
            // Equal ones are not looked for: a key may be long.
            while path.stepCount >= levels.count || !levels[path.stepCount].container.sharesAllSteps(with: path),
                let (outer, step) = path.lastStep
            {
                missing.append((path, step))
                path = outer
            }
            levels.removeLast(levels.count - 1 - path.stepCount)
            return missing
        }

        mutating func enter(_ container: FieldPath, _ known: Known) { levels.append((container, known)) }
    }

    private var nodes = [Node()]
    private var commits: [ReplayCommit] = []
    private var changed = Surroundings(0)
    private var asked: Surroundings<Setting>?

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
        // Taken, so that it is not copied.
        var around = asked.take() ?? Surroundings(whole)
        for (container, step) in around.leave(for: container).reversed() {
            let setting = part(step, of: around.known)
            around.enter(container, setting)
        }
        asked = around
        return part(step, of: around.known)
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
        for (container, step) in changed.leave(for: container).reversed() {
            let node = part(step, of: changed.known)
            changed.enter(container, node)
        }
        return part(step, of: changed.known)
    }

    /// The node of a part, which is made if there is none.
    private mutating func part(_ step: FieldPath.Step, of node: Int) -> Int {
        if let part = nodes[node].parts[step] { return part }
        nodes[node].parts[step] = nodes.count
        nodes.append(Node())
        return nodes.count - 1
    }
}
