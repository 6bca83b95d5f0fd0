#if Inspector
    /// The style sheet, the modules and the icon: part of the program, no file and nothing from elsewhere.
    enum Assets {
        static func answer(_ path: String) -> Response? {
            switch path {
            case "/assets/inspector.css":
                Response(200, "text/css; charset=utf-8", bytes: PackageResources.inspector_css)
            case "/assets/inspector.js": script(PackageResources.inspector_js)
            case "/assets/page.js": script(PackageResources.page_js)
            case "/assets/scrubber.js": script(PackageResources.scrubber_js)
            case "/assets/brush.js": script(PackageResources.brush_js)
            case "/assets/icon.svg", "/favicon.ico": Response(200, "image/svg+xml", bytes: PackageResources.icon_svg)
            default: nil
            }
        }

        private static func script(_ bytes: [UInt8]) -> Response {
            Response(200, "text/javascript; charset=utf-8", bytes: bytes)
        }
    }
#endif
