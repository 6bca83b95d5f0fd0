import Foundation
import HTTPTypes
public import Hummingbird
public import Logging
import ServiceLifecycle
public import Yaprak
import YaprakServices

/// The HTTP service: the inventory behind routes, the database closed when it shuts down.
///
/// | | |
/// | --- | --- |
/// | `GET /items?max=50&after=…` | a page of items, by name |
/// | `GET`, `PUT`, `DELETE /items/ID` | one item; 400 for one with a negative count |
/// | `POST /items/ID/reserve?count=2` | takes some out of the stock; 409 if there are not enough |
/// | `GET /changes` | server-sent events: each commit after `Last-Event-ID`, or `reset` where items are to be read again |
/// | `GET /health` | counts of the database |
public func makeApplication(
    _ inventory: Inventory, configuration: ApplicationConfiguration = ApplicationConfiguration(),
    services: [any Service] = [], logger: Logger
) -> some ApplicationProtocol {
    let router = Router()
    router.add(middleware: Refusals())
    router.get("items") { request, _ in
        let count = min(max(request.uri.queryParameters.get("max", as: Int.self) ?? 50, 1), 500)
        return try json(inventory.page(of: count, after: request.uri.queryParameters.get("after")))
    }
    router.get("items/:id") { _, context in
        guard let item = inventory[try context.parameters.require("id")] else { throw HTTPError(.notFound) }
        return try json(item)
    }
    router.put("items/:id") { request, context in
        let item = try await request.decode(as: Item.self, context: context)
        try await inventory.put(item, id: context.parameters.require("id"))
        return HTTPResponse.Status.noContent
    }
    router.delete("items/:id") { _, context in
        try await inventory.remove(context.parameters.require("id"))
            ? HTTPResponse.Status.noContent : HTTPResponse.Status.notFound
    }
    router.post("items/:id/reserve") { request, context in
        let count = try request.uri.queryParameters.require("count", as: Int.self)
        guard count > 0 else { throw HTTPError(.badRequest, message: "count is a number above 0") }
        return try json(["left": await inventory.reserve(count, of: context.parameters.require("id"))])
    }
    let feeds = ChangeFeeds(inventory.database)
    router.get("changes") { request, _ in
        let last = request.headers[HTTPField.Name("Last-Event-ID")!].flatMap { UInt64($0) }.map { CommitNumber($0) }
        return feeds.response(after: last)
    }
    router.get("health") { _, _ in
        let statistics = inventory.database.statistics
        return try json([
            "commit": Int(statistics.commitNumber.rawValue), "pendingWrites": statistics.pendingWriteCount,
            "heldStates": statistics.heldStateCount, "changeFeeds": statistics.changesetStreamCount,
        ])
    }
    return Application(
        router: router, configuration: configuration,
        // Services are shut down in reverse order, the server first: the database is closed when nobody asks any more.
        services: [DatabaseService(inventory.database)] + services, logger: logger)
}

private func json(_ value: some Encodable) throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return Response(
        status: .ok, headers: [.contentType: "application/json"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: try encoder.encode(value))))
}

/// What the program refuses, in the words of HTTP.
struct Refusals<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch Inventory.Refusal.unknownItem(let id) {
            throw HTTPError(.notFound, message: "there is no item \(id)")
        } catch Inventory.Refusal.notEnough(let id, let left) {
            throw HTTPError(.conflict, message: "\(left) of \(id) are left")
        } catch Inventory.Refusal.negativeCount(let count) {
            throw HTTPError(.badRequest, message: "count is a number of things in stock, and \(count) is below 0")
        } catch let error as DatabaseError {
            switch error.code {
            case .invalidName, .keyTooLong, .valueTooLarge, .invalidQuery:
                throw HTTPError(.badRequest, message: error.message)
            case .diskFull: throw HTTPError(HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"))
            // `abandoned`: what the write had read could not be stored. The client may try again.
            case .closed, .readOnly, .abandoned: throw HTTPError(.serviceUnavailable)
            default: throw error
            }
        }
    }
}
