internal import Observation
package import YaprakCore
import YaprakModel

/// The model that a property wrapper of a user interface keeps, and the task that keeps it up to date.
///
/// A user interface makes its views again with each change of a parent; the model stays as long as the database and the
/// identity stay. The task ends when another model takes its place, and when nothing refers to this object any more.
@MainActor @Observable
package final class FollowedModel<Model: AnyObject> {
    /// The model; `nil` before there is a database, and if it could not be made.
    package var model: Model? {
        // A view that shows that there is none is notified when there is one.
        _ = error
        return current
    }
    /// Why there is no model, or why it is not kept up to date any more.
    package private(set) var error: (any Error)?
    @ObservationIgnored private var current: Model?
    @ObservationIgnored private var database: Database?
    @ObservationIgnored private var id: AnyHashable?
    @ObservationIgnored private var task: Task<Void, Never>?

    package init() {}

    deinit { task?.cancel() }

    /// How a model is made, and kept up to date.
    private struct Steps {
        let make: @MainActor (Database) throws -> Model
        let follow: @MainActor (Model) async throws -> Void
    }

    /// Makes the model if the database or the identity is another one than before. What the database does not have yet, or has
    /// no more, is waited for: it may be registered later.
    ///
    /// The task keeps both closures: they must not keep what has this object.
    package func adopt(
        _ database: Database?, id: AnyHashable?, make: @escaping @MainActor (Database) throws -> Model,
        follow: @escaping @MainActor (Model) async throws -> Void
    ) {
        guard database !== self.database || id != self.id else { return }
        self.database = database
        self.id = id
        task?.cancel()
        task = nil
        current = nil
        if error != nil { error = nil }
        guard let database else { return }
        let steps = Steps(make: make, follow: follow)
        do {
            begin(with: try make(database), in: database, steps)
        } catch {
            self.error = error
            wait(in: database, after: error, steps)
        }
    }

    private func begin(with model: Model, in database: Database, _ steps: Steps) {
        current = model
        task = Task { [weak self] in
            do {
                try await steps.follow(model)
            } catch {
                guard let self, self.current === model else { return }
                self.error = error
                wait(in: database, after: error, steps)
            }
        }
    }

    /// Tries with each commit whether a model can be made.
    private func wait(in database: Database, after error: any Error, _ steps: Steps) {
        guard (error as? DatabaseError)?.code == .extensionNotRegistered else { return }
        task = Task { [weak self, snapshots = database.snapshots] in
            for await _ in snapshots {
                guard let self, !Task.isCancelled else { return }
                guard let made = try? steps.make(database) else { continue }
                // A model that was shown goes on from what it shows, with what it was extended by.
                begin(with: current ?? made, in: database, steps)
                self.error = nil
                return
            }
        }
    }
}
