extension SimulationScript {
    /// A shorter script that fails, too: launches, tasks, steps and mishaps are left out as long as it does.
    package func shrunk(limit: Int = 2000) -> (script: SimulationScript, failure: String) {
        var best = self
        var failure = Simulation(self).run().failure ?? "it does not fail"
        var runs = 0
        var isShorter = true
        while isShorter, runs < limit {
            isShorter = false
            for candidate in best.shorter() {
                runs += 1
                guard runs < limit else { break }
                guard let other = Simulation(candidate).run().failure else { continue }
                best = candidate
                failure = other
                isShorter = true
                break
            }
        }
        return (best, failure)
    }

    /// Every script with one thing less.
    private func shorter() -> [SimulationScript] {
        var all: [SimulationScript] = []
        func add(_ change: (inout SimulationScript) -> Void) {
            var copy = self
            change(&copy)
            all.append(copy)
        }
        for launch in launches.indices.reversed() {
            add { $0.launches.remove(at: launch) }
            for task in launches[launch].tasks.indices { add { $0.launches[launch].tasks.remove(at: task) } }
            for mishap in launches[launch].mishaps.indices { add { $0.launches[launch].mishaps.remove(at: mishap) } }
            if launches[launch].rottenBit != nil { add { $0.launches[launch].rottenBit = nil } }
            for (task, steps) in launches[launch].tasks.enumerated() {
                for step in steps.indices {
                    add { $0.launches[launch].tasks[task].remove(at: step) }
                    if case .write(let edits, let mark, let throwing) = steps[step], edits.count > 1 {
                        for edit in edits.indices {
                            var fewer = edits
                            fewer.remove(at: edit)
                            add {
                                $0.launches[launch].tasks[task][step] = .write(fewer, mark: mark, throwing: throwing)
                            }
                        }
                    }
                }
            }
        }
        if renamesInTwoSteps { add { $0.renamesInTwoSteps = false } }
        return all
    }
}
