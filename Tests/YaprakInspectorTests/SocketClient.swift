#if Inspector
    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A client that says exactly the bytes it is given, on a connection to 127.0.0.1.
    final class SocketClient {
        private let descriptor: Int32

        /// Connects; `nil` if the server does not take it.
        init?(port: Int) {
            #if canImport(Glibc)
                descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #else
                descriptor = socket(AF_INET, SOCK_STREAM, 0)
            #endif
            guard descriptor >= 0 else { return nil }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard result == 0 else {
                close(descriptor)
                return nil
            }
        }

        deinit { close(descriptor) }

        /// Sends bytes; false if the server has gone.
        @discardableResult
        func send(_ text: String) -> Bool {
            var bytes = Array(text.utf8)[...]
            while !bytes.isEmpty {
                #if canImport(Darwin)
                    let flags: Int32 = 0
                #else
                    let flags = Int32(MSG_NOSIGNAL)
                #endif
                let count = bytes.withUnsafeBytes { write(descriptor, $0, flags) }
                guard count > 0 else { return false }
                bytes = bytes.dropFirst(count)
            }
            return true
        }

        private func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
            #if canImport(Darwin)
                Darwin.send(descriptor, bytes.baseAddress, bytes.count, flags)
            #elseif canImport(Glibc)
                Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
            #else
                Musl.send(descriptor, bytes.baseAddress, bytes.count, flags)
            #endif
        }

        /// What comes until the server closes, until `isEnough`, or for so long. `isClosed` says whether it closed.
        func receive(
            seconds: Int, until isEnough: (String) -> Bool = { _ in false }
        ) -> (text: String, isClosed: Bool) {
            var received: [UInt8] = []
            let end = ContinuousClock.now + .seconds(seconds)
            repeat {
                var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&item, 1, 50) > 0 else { continue }
                var part = [UInt8](repeating: 0, count: 65536)
                let count = recv(descriptor, &part, part.count, 0)
                if count <= 0 { return (String(decoding: received, as: UTF8.self), true) }
                received += part[..<count]
                let text = String(decoding: received, as: UTF8.self)
                if isEnough(text) { return (text, false) }
            } while ContinuousClock.now < end
            return (String(decoding: received, as: UTF8.self), false)
        }
    }
#endif
