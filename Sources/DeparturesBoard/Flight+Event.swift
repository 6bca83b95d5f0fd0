extension Flight {
    /// The flight after an event of its life.
    mutating func apply(_ event: DepartureEvent) {
        switch event.op {
        case .schedule: break
        case .delay:
            status = .delayed
            delay = event.minutes
        case .depart:
            status = .departed
            departed = event.at
        case .arrive:
            status = .arrived
            arrived = event.at
            arrivalDelay = event.delay
        case .cancel:
            status = .cancelled
        }
    }
}
