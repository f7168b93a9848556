# SPDX-License-Identifier: MIT
"""A page in headless Chromium, driven over its debugging pipe."""
import json
import os
import select
import shutil
import subprocess
import time

PATIENCE = 60  # seconds; only a browser that hangs needs them

KEYS = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
        "Home": 36, "End": 35, "PageDown": 34, "Tab": 9, "/": 191}


def missing():
    """Why there is no browser here, or None."""
    return None if shutil.which("chromium") else "chromium is missing"


class Browser:
    def __init__(self, directory):
        to_read, self.to = os.pipe()
        self.out, from_write = os.pipe()
        command = ("exec chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --disable-extensions"
                   " --no-first-run --user-data-dir='%s/chromium' --remote-debugging-pipe 3<&%d 4>&%d"
                   % (directory, to_read, from_write))
        self.process = subprocess.Popen(["sh", "-c", command], pass_fds=(to_read, from_write),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=open(directory + "/chromium.log", "w"),
                                        env=dict(os.environ, HOME=directory))
        os.close(to_read)
        os.close(from_write)
        self.bytes = b""
        self.last = 0
        self.session = None
        self.errors = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log":
            self.call(domain + ".enable")

    def message(self):
        end = time.monotonic() + PATIENCE
        while b"\0" not in self.bytes:
            ready, _, _ = select.select([self.out], [], [], max(0, end - time.monotonic()))
            part = os.read(self.out, 1 << 20) if ready else b""
            if not part:
                raise RuntimeError("the browser does not answer")
            self.bytes += part
        line, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(line)

    def note(self, message):
        method, what = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(what["exceptionDetails"])[:600])
        elif method == "Runtime.consoleAPICalled":
            self.errors.append("console: " + json.dumps(what["args"])[:600])
        elif method == "Log.entryAdded":
            self.errors.append("log: " + what["entry"]["text"])

    def call(self, method, **parameters):
        self.last += 1
        request = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.last:
                if "error" in message:
                    raise RuntimeError("%s: %s" % (method, message["error"]))
                return message["result"]
            self.note(message)

    def wait(self, condition):
        """Until the expression is true; half of a second of frames at a time."""
        end = time.monotonic() + PATIENCE
        while not self.run(condition):
            if time.monotonic() > end:
                raise RuntimeError("never came true: " + condition)
            time.sleep(0.02)

    def open(self, path):
        self.call("Page.navigate", url="file://" + path)
        self.wait("document.readyState === 'complete' && document.documentElement.dataset.ready === 'yes'")

    def run(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError("%s: %s" % (expression, json.dumps(result["exceptionDetails"])[:600]))
        return result["result"].get("value")

    def press(self, key):
        about = {"key": key, "windowsVirtualKeyCode": KEYS.get(key, 0)}
        if key == "Enter":
            about["text"] = "\r"
        self.call("Input.dispatchKeyEvent", type="keyDown", **about)
        self.call("Input.dispatchKeyEvent", type="keyUp", **about)
        self.frame()

    def write(self, text):
        self.call("Input.insertText", text=text)
        self.frame()

    def frame(self):
        self.run("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))")

    def soon(self, condition):
        """Whether it holds within 120 frames: the page is fitted to a new size in one of the next."""
        return self.run("new Promise(r => { let n = 0; (function look() {"
                        " if (%s) r(true); else if (++n > 120) r(false); else requestAnimationFrame(look); })(); })" % condition)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.frame()

    def dark(self, dark):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.frame()

    def screenshot(self, path):
        import base64
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        with open(path, "wb") as out:
            out.write(base64.b64decode(data))

    def close(self):
        self.session = None
        try:
            self.call("Browser.close")
        except (RuntimeError, OSError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
