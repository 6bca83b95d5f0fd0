import SystemPackage
import ToolSupport

/// A page in a folder that only this user can read, which leads a browser to an address with a secret.
///
///     let page = try RedirectPage()
///     try page.open("http://127.0.0.1:49152/?token=…")
///
/// Other users of a machine can read the command lines of all programs. So the system's opener and the browser are given the
/// path of the page, not the address. It goes with its last reference.
struct RedirectPage: Sendable {
    private let folder: PrivateFolder

    /// Where it is.
    var path: FilePath { folder.path.appending("open.html") }

    /// Makes the folder.
    /// - Throws: `Errno`.
    init() throws(Errno) { folder = try PrivateFolder("yaprak-inspect") }

    /// Writes the page and has the system open it. Where there is no browser, nothing happens.
    ///
    /// - Parameter address: of letters, digits and signs that mean themselves in HTML.
    /// - Throws: `Errno` if the page can't be written, or the shell not be started.
    func open(_ address: String, environment: [String: String] = [:]) throws {
        let text = """
            <!doctype html>
            <html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer">
            <meta http-equiv="refresh" content="0; url=\(address)"><title>Inspector</title>
            <p><a href="\(address)">Go on to the inspector</a></html>

            """
        let file = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
            permissions: [.ownerRead, .ownerWrite])
        _ = try file.closeAfter { try file.writeAll(text.utf8) }
        #if os(macOS)
            let opener = "open"
        #else
            let opener = "xdg-open"
        #endif
        _ = try ChildProcess.run(
            "\(opener) \"$YAPRAK_PAGE\" >/dev/null 2>&1 &",
            environment: environment.mapValues { Array($0.utf8CString) }.merging(["YAPRAK_PAGE": path.cString]) { $1 })
    }
}
