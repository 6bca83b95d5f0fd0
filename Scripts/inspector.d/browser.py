"""Drives headless Chromium over --remote-debugging-pipe: messages on file descriptors 3 and 4, ended by NUL. Needs no package."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def executable():
    """The browser there is; None if there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Browser:
    """A browser with a profile of its own, which goes with it."""

    def __init__(self):
        toBrowser, self.output = os.pipe()
        self.input, fromBrowser = os.pipe()
        self.profile = tempfile.mkdtemp(prefix="yaprak-browser-")

        def child():
            # Both are moved out of the way first, so that neither overwrites the other.
            read = fcntl.fcntl(toBrowser, fcntl.F_DUPFD, 20)
            write = fcntl.fcntl(fromBrowser, fcntl.F_DUPFD, 20)
            os.dup2(read, 3)
            os.dup2(write, 4)

        arguments = [
            executable(), "--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
            "--user-data-dir=" + self.profile, "--remote-debugging-pipe", "about:blank"]
        if os.getuid() == 0:
            arguments.insert(1, "--no-sandbox")
        self.process = subprocess.Popen(
            arguments, preexec_fn=child, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(toBrowser)
        os.close(fromBrowser)
        self.count, self.buffer, self.events = 0, b"", []

    def read(self, timeout):
        end = time.time() + timeout
        while b"\0" not in self.buffer:
            left = end - time.time()
            if left <= 0 or not select.select([self.input], [], [], left)[0]:
                return None
            part = os.read(self.input, 1 << 16)
            if not part:
                raise EOFError("the browser went away")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, timeout=30, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read(timeout)
            if answer is None:
                raise TimeoutError(method)
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def close(self):
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except Exception:
            self.process.kill()
        shutil.rmtree(self.profile, ignore_errors=True)


class Page:
    """A page, with everything it complains about."""

    def __init__(self, browser, width=1280, height=900, dark=False):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Audits", "Accessibility", "DOM"):
            self.call(domain + ".enable")
        self.shape(width, height, dark)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def shape(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, address):
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && !!document.getElementById('main')")

    def do(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:800])
        return result["result"].get("value")

    def wait(self, expression, timeout=60):
        end = time.time() + timeout
        while time.time() < end:
            try:
                if self.do(expression):
                    return
            except RuntimeError:
                pass  # The page is just being replaced.
            time.sleep(0.02)
        where = self.do("[location.href, document.readyState, document.body?.innerText.slice(0, 200)]")
        raise TimeoutError(f"never true: {expression}, at {where}")

    def key(self, key, code=None, number=0):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, windowsVirtualKeyCode=number)

    def drag(self, x0, y0, x1, y1):
        mouse = lambda kind, x, y: self.call(
            "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)
        mouse("mousePressed", x0, y0)
        for step in range(1, 9):
            mouse("mouseMoved", x0 + (x1 - x0) * step / 8, y0 + (y1 - y0) * step / 8)
        mouse("mouseReleased", x1, y1)

    def picture(self, path, whole=False):
        parameters = {"format": "png", "captureBeyondViewport": whole}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            parameters["clip"] = {
                "x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 2400), "scale": 1}
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", **parameters)["data"]))

    def complaints(self):
        """Errors in the console, exceptions, refusals by the security policy, issues found by audits."""
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            kind, parameters = event["method"], event["params"]
            if kind == "Runtime.exceptionThrown":
                found.append("exception: " + json.dumps(parameters["exceptionDetails"])[:400])
            elif kind == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                found.append("log: " + parameters["entry"]["text"] + " " + parameters["entry"].get("url", ""))
            elif kind == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert"):
                found.append("console: " + json.dumps(parameters["args"])[:400])
            elif kind == "Audits.issueAdded" and parameters["issue"]["code"] == "ContentSecurityPolicyIssue":
                found.append("policy: " + json.dumps(parameters["issue"]["details"])[:400])
        return found

    def accessibility(self):
        """What assistive technology sees: role and name of each node that is not hidden from it."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [
            (node["role"]["value"], node.get("name", {}).get("value", ""), node.get("backendDOMNodeId"))
            for node in nodes if not node.get("ignored") and "role" in node]
