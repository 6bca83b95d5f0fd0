internal import Observation
package import YaprakCore

/// The model that a property wrapper of a user interface keeps, and the task that keeps it up to date.
///
/// A user interface makes its views again with each change of a parent; the model stays as long as the database and the
/// identity stay. The task ends when another model takes its place, and when nothing refers to this object any more.
@MainActor @Observable
package final class FollowedModel<Model: AnyObject> {
    /// The model; `nil` before there is a database, and if it could not be made.
    @ObservationIgnored package private(set) var model: Model?
    /// Why there is no model, or why it is not kept up to date any more.
    package private(set) var error: (any Error)?
    @ObservationIgnored private var database: Database?
    @ObservationIgnored private var id: AnyHashable?
    @ObservationIgnored private var task: Task<Void, Never>?

    package init() {}

    deinit { task?.cancel() }

    /// Makes the model if the database or the identity is another one than before.
    package func adopt(
        _ database: Database?, id: AnyHashable?, make: (Database) throws -> Model,
        follow: @escaping @MainActor (Model) async throws -> Void
    ) {
        guard database !== self.database || id != self.id else { return }
        self.database = database
        self.id = id
        task?.cancel()
        task = nil
        model = nil
        if error != nil { error = nil }
        guard let database else { return }
        do {
            let model = try make(database)
            self.model = model
            task = Task { [weak self] in
                do { try await follow(model) } catch { self?.fail(error, of: model) }
            }
        } catch {
            self.error = error
        }
    }

    private func fail(_ error: any Error, of model: Model) {
        if self.model === model { self.error = error }
    }
}
