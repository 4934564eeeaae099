"""What the tests of the server share: a server process, requests, and a count of checks."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import urllib.parse

checks = failures = 0


def check(what, good, detail=""):
    """Counts a check and tells of one that failed."""
    global checks, failures
    checks += 1
    if not good:
        failures += 1
        print(f"FAILED {what}: {detail}"[:1500])
    return good


def same(what, got, want):
    return check(what, got == want, f"got {got!r}, want {want!r}")


def summary():
    print(f"{checks} checks, {failures} failed")
    return 1 if failures or checks == 0 else 0


class Server:
    """A server on a free port of loopback; ends with the block. SERVE_OPTIONS in the environment: more of them."""

    def __init__(self, ramus, *options, env=None, launch=()):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [*launch, ramus, "serve", "--listen", "127.0.0.1:0", *options, *os.environ.get("SERVE_OPTIONS", "").split()],
            stdout=subprocess.DEVNULL, stderr=self.errors, env={**os.environ, **(env or {})})
        self.port = self.find_port()

    def find_port(self):
        for _ in range(3000):
            found = re.search(r"listening at https?://\S+:(\d+)", self.said())
            if found:
                return int(found[1])
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        raise RuntimeError(f"the server does not listen: {self.said()}")

    def said(self):
        self.errors.seek(0)
        return self.errors.read().decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            same("SIGTERM ends the server", (self.stop(), self.said()[-300:] if self.process.returncode else ""), (0, ""))
        self.errors.close()

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "it hangs"

    def reload(self):
        before = self.said().count("reloaded")
        self.process.send_signal(signal.SIGHUP)
        for _ in range(3000):
            if self.said().count("reloaded") > before:
                return
            time.sleep(0.01)
        check("SIGHUP reloads", False, self.said())

    def connect(self, timeout=60):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method, path, body=None, headers=None, connection=None):
        """Returns (code, headers, body as bytes)."""
        own = connection or self.connect()
        own.request(method, path, body, headers or {})
        answer = own.getresponse()
        result = answer.status, answer.headers, answer.read()
        if not connection:
            own.close()
        return result

    def json(self, path, value, headers=None, method="POST"):
        """Posts JSON; returns (code, value of the answer)."""
        code, _, body = self.ask(method, path, json.dumps(value).encode(),
                                 {"Content-Type": "application/json", **(headers or {})})
        return code, json.loads(body)

    def form(self, path, fields, headers=None):
        body = urllib.parse.urlencode(fields, doseq=True).encode()
        kind = "application/x-www-form-urlencoded"
        code, _, answer = self.ask("POST", path, body, {"Content-Type": kind, **(headers or {})})
        return code, json.loads(answer)

    def get(self, path, headers=None):
        code, _, body = self.ask("GET", path, None, headers)
        return code, json.loads(body)

    def metric(self, name):
        _, _, body = self.ask("GET", "/metrics")
        found = re.search(rf"^{re.escape(name)} (\S+)$", body.decode(), re.M)
        return float(found[1]) if found else None

    def raw(self, data, timeout=30, finish=True):
        """Sends bytes as they are; returns all that comes back."""
        with socket.create_connection(("127.0.0.1", self.port), timeout) as s:
            try:
                s.sendall(data)
                got = b""
                while True:
                    piece = s.recv(65536)
                    if not piece:
                        break
                    got += piece
                    if not finish and b"\r\n\r\n" in got:
                        break
            except (ConnectionError, socket.timeout):
                pass
            return got

    def memory(self):
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def multipart(fields, border="b0rder"):
    """The body of a form; a field is a text, or (file name, bytes)."""
    out = b""
    for name, value in fields:
        file, data = value if isinstance(value, tuple) else (None, value.encode())
        head = f'--{border}\r\nContent-Disposition: form-data; name="{name}"'
        head += f'; filename="{file}"\r\nContent-Type: application/octet-stream' if file else ""
        out += head.encode() + b"\r\n\r\n" + data + b"\r\n"
    return out + f"--{border}--\r\n".encode(), {"Content-Type": f"multipart/form-data; boundary={border}"}


def translate(ramus, text, *options):
    """What the program says: the truth."""
    return subprocess.run([ramus, "translate", "-q", *options], input=text.encode(), check=True,
                          capture_output=True).stdout.decode()
