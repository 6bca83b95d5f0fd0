#if Inspector
    import Yaprak
    import YaprakReplay

    /// A question that can't be answered, and how to say so.
    struct Refusal: Error, Sendable {
        let status: Int
        let code: String
        let message: String

        init(_ status: Int, _ code: String, _ message: String) {
            self.status = status
            self.code = code
            self.message = message
        }

        /// What an error means to a client.
        init(_ error: any Error) {
            switch error {
            case let refusal as Refusal: self = refusal
            case let error as ReplayExpressionError: self.init(400, "invalidExpression", error.description)
            case let error as DatabaseError:
                let status =
                    switch error.code {
                    case .invalidPosition: 400
                    case .notFound, .commitOutOfReach, .viewNotShown: 404
                    default: 503
                    }
                self.init(status, error.code.rawValue, error.message)
            case is CancellationError: self.init(503, "cancelled", "The question was given up.")
            default: self.init(503, "failed", "The database could not be read: \(error)")
            }
        }
    }

    extension Refusal {
        /// The program's own rules, such as a reaction that throws, refuse a state that was asked for.
        init(refusedByProgram error: any Error) {
            let known = error as? DatabaseError
            self.init(
                409, known?.code.rawValue ?? "refused",
                "The rules of the program refuse this state: \(known?.message ?? "\(error)")")
        }
    }

    extension Request {
        /// A required value of the query.
        func required(_ name: String) throws -> String {
            guard let value = self[name] else {
                throw Refusal(400, "missingParameter", "The address needs \(name)=….")
            }
            return value
        }

        /// A required text of the query, which may be empty.
        func requiredText(_ name: String) throws -> String { try text(name) ?? required(name) }

        /// A number of the query, within bounds.
        func number(_ name: String, _ bounds: ClosedRange<Int>, default standard: Int) throws -> Int {
            guard let text = self[name] else { return standard }
            guard let number = Int(text), bounds.contains(number) else {
                throw Refusal(
                    400, "invalidParameter", "\(name) is a number from \(bounds.lowerBound) to \(bounds.upperBound).")
            }
            return number
        }

        /// A word of the query that is one of some.
        func word(_ name: String, of words: [String]) throws -> String? {
            guard let text = self[name] else { return nil }
            guard words.contains(text) else {
                throw Refusal(400, "invalidParameter", "\(name) is one of \(words.joined(separator: ", ")).")
            }
            return text
        }

        /// An expression of the query.
        func expression(
            _ name: String, about subject: ReplayExpression.Subject
        ) throws(ReplayExpressionError) -> ReplayExpression? {
            guard let text = self[name] else { return nil }
            return try ReplayExpression(text, about: subject)
        }

        /// The commit that a position in the query stands for; the newest if there is none.
        func commit(_ name: String, in history: any InspectedHistory) async throws -> CommitNumber {
            guard let text = self[name] else { return try await history.newest() }
            let position: LogPosition
            do { position = try LogPosition(text) } catch {
                throw Refusal(400, "invalidPosition", error.message)
            }
            return try await history.commitNumber(at: position)
        }
    }
#endif
