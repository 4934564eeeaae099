#!/usr/bin/env python3
"""Limits, keys, signals, and clients that leave:  limits.py RAMUS MODELS [FACT...]"""
import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from serving import Server, check, multipart, same, summary, translate

ramus, models, *wanted = sys.argv[1:]
ONE = "Where is the station?"
ASK = {"q": ONE, "source": "en", "target": "de"}
LONG = " ".join(f"There are {i} old books about the sea on the table of the teacher." for i in range(600))
scratch = tempfile.mkdtemp()


def path(name, text):
    with open(f"{scratch}/{name}", "w", encoding="utf-8") as f:
        f.write(text)
    return f"{scratch}/{name}"


def limits():
    with Server(ramus, "--models", models, "--max-body", "2", "--max-texts", "3", "--max-characters", "100", "--max-alternatives", "1",
                "--beam", "1", "--per-minute", "60", "--address-connections", "3", "--threads", "1", "--max-upload", "0.01") as s:
        same("body", s.json("/translate", {**ASK, "q": "a" * 3000})[0], 413)
        same("texts, libre", s.json("/translate", {**ASK, "q": ["a"] * 4})[0], 400)
        same("texts, deepl", s.json("/v2/translate", {"text": ["a"] * 4, "target_lang": "de"})[0], 413)
        same("characters", s.json("/translate", {**ASK, "q": "a" * 101})[1], {"error": "101 characters, expected at most 100"})
        same("100 characters", s.json("/translate", {**ASK, "q": "ä" * 100})[0], 200)
        same("alternatives", s.json("/translate", {**ASK, "alternatives": 2})[0], 400)
        same("one alternative", s.json("/translate", {**ASK, "alternatives": 1})[0], 200)
        body, head = multipart([("file", ("a.txt", b"a" * 11000)), ("source", "en"), ("target", "de")])
        same("upload", s.ask("POST", "/translate_file", body, head)[0], 413)
        check("refusals are counted", s.metric("ramus_refused_total") >= 2)
        codes = [s.ask("POST", "/v2/translate", "text=Yes.&target_lang=de", {"Content-Type": "application/x-www-form-urlencoded"})
                 for _ in range(70)]
        check("requests per minute", 429 in [c[0] for c in codes], [c[0] for c in codes])
        check("when to come again", all(int(c[1]["Retry-After"]) >= 1 for c in codes if c[0] == 429))
        same("health has no rate", s.get("/health")[0], 200)
        crowd = [socket.create_connection(("127.0.0.1", s.port)) for _ in range(4)]
        time.sleep(0.2)
        same("connections of an address", s.get("/health")[0], 429)
        for c in crowd:
            c.close()
        time.sleep(0.2)
        same("when they are gone", s.get("/health")[0], 200)


def keys():
    file = path("keys", "# who\nsecret-1 alice\n\nsecret-2\n")
    with Server(ramus, "--models", models, "--keys", file, "--threads", "1") as s:
        same("no key, libre", s.json("/translate", ASK)[0], 403)
        same("wrong key", s.json("/translate", {**ASK, "api_key": "secret-"})[0], 403)
        same("a comment is no key", s.json("/translate", {**ASK, "api_key": "#"})[0], 403)
        same("libre's field", s.json("/translate", {**ASK, "api_key": "secret-1"})[0], 200)
        same("a form's", s.form("/translate", {**ASK, "api_key": "secret-2"})[0], 200)
        deepl = {"text": "Yes.", "target_lang": "DE"}
        same("deepl", s.form("/v2/translate", deepl)[0], 403)
        same("deepl's head", s.form("/v2/translate", deepl, {"Authorization": "DeepL-Auth-Key secret-1"})[0], 200)
        same("bearer", s.form("/v2/translate", deepl, {"Authorization": "Bearer secret-2"})[0], 200)
        same("bare", s.json("/kiss", {"text": "Yes.", "to": "de"}, {"Authorization": "secret-2"})[0], 200)
        same("in the address", s.json("/kiss?token=secret-1", {"text": "Yes.", "to": "de"})[0], 200)
        same("mtran", s.json("/translate/batch", {"texts": ["Yes."], "to": "de"})[0], 401)
        for at in ("/health", "/languages", "/metrics", "/ready", "/v1/info"):
            same(f"{at} is open", s.ask("GET", at)[0], 200)
        path("keys", "secret-3\n")
        s.reload()
        same("an old key after SIGHUP", s.json("/translate", {**ASK, "api_key": "secret-1"})[0], 403)
        same("a new one", s.json("/translate", {**ASK, "api_key": "secret-3"})[0], 200)
        os.remove(file)
        s.reload()
        same("without the file", s.json("/translate", {**ASK, "api_key": "secret-3"})[0], 200)
        check("it is said", "the keys stay" in s.said(), s.said())


def cors_and_log():
    log = f"{scratch}/log"
    with Server(ramus, "--models", models, "--cors", "*", "--log", log, "--threads", "1") as s:
        code, head, _ = s.ask("OPTIONS", "/translate")
        same("preflight", (code, head["Access-Control-Allow-Origin"]), (204, "*"))
        same("on answers", s.ask("GET", "/health")[1]["Access-Control-Allow-Origin"], "*")
        s.json("/translate", ASK)
        s.json("/translate?q=secret", {})
        time.sleep(0.1)
    with open(log, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    same("a line for each request", [line["code"] for line in lines], [204, 200, 200, 400])
    same("its fields", (lines[2]["texts"], lines[2]["characters"], lines[2]["dialect"]), (1, len(ONE), "libretranslate"))
    check("no text", not any(ONE in json.dumps(line) or "secret" in json.dumps(line) for line in lines))
    with Server(ramus, "--models", models, "--log", log, "--log-texts", "--threads", "1") as s:
        s.json("/translate", ASK)
        same("no origin unless asked", s.ask("GET", "/health")[1]["Access-Control-Allow-Origin"], None)
    with open(log, encoding="utf-8") as f:
        check("the text, if wanted", any(json.loads(line).get("text") == ONE for line in f))


def full_and_late():
    with Server(ramus, "--models", models, "--queue", "5", "--timeout", "0.3", "--threads", "1", "--cache", "0") as s:
        started = time.time()
        code, head, body = s.ask("POST", "/translate", json.dumps({**ASK, "q": LONG}), {"Content-Type": "application/json"})
        same("late", (code, head["Retry-After"]), (503, "1"))
        check("at its time", time.time() - started < 5, time.time() - started)
        same("late in JSON", list(json.loads(body)), ["error"])
        same("counted", s.metric("ramus_late_total"), 1)
        pieces = s.ask("POST", "/v1/translate", json.dumps({"text": LONG, "from": "en", "to": "de"}),
                       {"Content-Type": "application/json", "Accept": "text/event-stream"})[2].decode().split("\n\n")
        check("a late stream says so", pieces[-2].startswith("event: error\ndata: {\"error\""), pieces[-2:])
        got = []
        threads = [threading.Thread(target=lambda i=i: got.append(s.json("/translate", {**ASK, "q": f"{LONG} {i}"})[0])) for i in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        same("full or late", set(got), {503})
        time.sleep(0.3)
        same("nothing is left", (s.metric("ramus_queue_sentences"), s.metric("ramus_works")), (0, 0))
        same("the next one", s.json("/translate", ASK)[0], 200)


def leaving():
    """A client that goes away frees the worker; short requests overtake long ones."""
    with Server(ramus, "--models", models, "--threads", "1", "--cache", "0") as s:
        s.json("/translate", ASK)
        body = json.dumps({**ASK, "q": LONG}).encode()
        request = b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        c = socket.create_connection(("127.0.0.1", s.port))
        c.sendall(request)
        while s.metric("ramus_works") != 1:
            time.sleep(0.005)
        started = time.time()
        want = translate(ramus, ONE + "\n", "-m", f"{models}/en-de.gguf").strip()
        same("a short one meanwhile", s.json("/translate", ASK), (200, {"translatedText": want}))
        same("the long one goes on", s.metric("ramus_works"), 1)
        c.close()
        left = time.time()
        while s.metric("ramus_cancelled_total") != 1 and time.time() - left < 30:
            time.sleep(0.002)
        same("cancelled", (s.metric("ramus_cancelled_total"), s.metric("ramus_works"), s.metric("ramus_queue_sentences")), (1, 0, 0))
        print(f"overtaken in {(left - started) * 1e3:.0f} ms, cancelled in {(time.time() - left) * 1e3:.1f} ms, on a shared machine")
        stream = http.client.HTTPConnection("127.0.0.1", s.port)
        stream.request("POST", "/v1/translate", json.dumps({"text": LONG, "to": "de", "stream": True}), {"Content-Type": "application/json"})
        first = stream.getresponse().readline()
        same("a stream begins", json.loads(first)["sentence"], 0)
        stream.close()
        left = time.time()
        while s.metric("ramus_works") and time.time() - left < 30:
            time.sleep(0.005)
        same("and is cancelled", s.metric("ramus_works"), 0)


def draining():
    with Server(ramus, "--models", models, "--threads", "1") as s:
        s.json("/translate", ASK)
        got = []
        text = " ".join([ONE] * 200)
        t = threading.Thread(target=lambda: got.append(s.json("/translate", {**ASK, "q": text})))
        t.start()
        while not s.metric("ramus_works"):
            time.sleep(0.005)
        same("SIGTERM", s.stop(), 0)
        t.join()
        check("the request was answered", got[0][0] == 200 and got[0][1]["translatedText"].count("Bahnhof") == 200, got)
    with Server(ramus, "--models", models, "--threads", "1", "--drain", "0") as s:
        got = []

        def ask():
            got.append(s.json("/translate", {**ASK, "q": LONG})[0])

        t = threading.Thread(target=ask)
        t.start()
        while not s.metric("ramus_works"):
            time.sleep(0.005)
        same("no time to drain", s.stop(), 0)
        t.join()
        same("it was told", got, [503])


def kills():
    """Clients that try again get through kill -9 and a new start."""
    port, done = [0], []
    servers = [Server(ramus, "--models", models, "--threads", "1")]
    port[0] = servers[0].port

    def client(k):
        for i in range(30):
            for _ in range(600):
                try:
                    c = http.client.HTTPConnection("127.0.0.1", port[0], timeout=20)
                    c.request("POST", "/kiss", json.dumps({"text": f"There are {k * 30 + i} books.", "from": "en", "to": "de"}),
                              {"Content-Type": "application/json"})
                    answer = json.loads(c.getresponse().read())
                    done.append(answer["text"])
                    break
                except (OSError, http.client.HTTPException, ValueError):
                    time.sleep(0.05)

    threads = [threading.Thread(target=client, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for _ in range(3):
        time.sleep(0.4)
        servers[-1].process.kill()
        servers[-1].process.wait()
        servers.append(Server(ramus, "--models", models, "--threads", "1"))
        port[0] = servers[-1].port
    for t in threads:
        t.join()
    lines = "".join(f"There are {i} books.\n" for i in range(120))
    want = translate(ramus, lines, "-m", f"{models}/en-de.gguf").splitlines()
    same("all requests came through three kills", sorted(done), sorted(want))
    servers[-1].stop()


def tls():
    if not shutil.which("openssl"):
        print("skipped: TLS, there is no openssl")
        return
    cert, key = f"{scratch}/cert.pem", f"{scratch}/key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-keyout", key, "-out", cert], check=True, capture_output=True)
    with Server(ramus, "--models", models, "--cert", cert, "--key", key, "--threads", "1") as s:
        context = ssl.create_default_context(cafile=cert)
        context.check_hostname = False
        c = http.client.HTTPSConnection("127.0.0.1", s.port, context=context, timeout=60)
        c.request("POST", "/translate", json.dumps(ASK), {"Content-Type": "application/json"})
        check("TLS", "Bahnhof" in c.getresponse().read().decode())
        same("no HTTP there", s.raw(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n", 10)[:4] == b"HTTP", False)
    bad = subprocess.run([ramus, "serve", "--models", models, "--listen", "127.0.0.1:0", "--cert", cert, "--key", cert], capture_output=True)
    check("a wrong key file", bad.returncode == 1 and b"certificate" in bad.stderr, bad)


def services():
    """Socket activation and notification, without systemd."""
    listening = socket.create_server(("127.0.0.1", 0))
    notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notices.bind(f"{scratch}/notify")
    notices.settimeout(30)
    launch = ["sh", "-c", 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@" 3<&%d' % listening.fileno(), "sh"]
    os.set_inheritable(listening.fileno(), True)
    process = subprocess.Popen([*launch, ramus, "serve", "--models", models, "--threads", "1"], close_fds=False,
                               stderr=subprocess.DEVNULL, env={**os.environ, "NOTIFY_SOCKET": f"{scratch}/notify"})
    same("ready", notices.recv(100), b"READY=1")
    c = http.client.HTTPConnection("127.0.0.1", listening.getsockname()[1], timeout=30)
    c.request("GET", "/health")
    same("at the given socket", c.getresponse().status, 200)
    process.send_signal(signal.SIGHUP)
    said = [notices.recv(100) for _ in range(3)]
    check("reload", b"RELOADING=1" in said, said)
    process.send_signal(signal.SIGTERM)
    said = b""
    while said != b"STOPPING=1":
        said = notices.recv(100)
    same("ends", process.wait(30), 0)
    listening.close()


def pivots():
    """German to German-by-English is none; but a third language goes through English."""
    folder = f"{scratch}/models"
    os.mkdir(folder)
    shutil.copy(f"{models}/de-en.gguf", folder)
    with open(f"{models}/en-de.gguf", "rb") as f:
        data = f.read()
    key = b"general.languages" if b"target_language" not in data else b"target_language"
    at = data.index(key)
    value = data.index(b"de", at + len(key))
    with open(f"{folder}/en-xx.gguf", "wb") as f: # the same model, which says that it writes "xx"
        f.write(data[:value] + b"xx" + data[value + 2:])
    german = "Das Kind schläft, weil es den ganzen Tag gespielt hat."
    english = translate(ramus, german + "\n", "-m", f"{folder}/de-en.gguf")
    want = translate(ramus, english, "-m", f"{folder}/en-xx.gguf").rstrip("\n")
    with Server(ramus, "--models", folder, "--threads", "1", "--idle", "1") as s:
        code, head, body = s.ask("POST", "/translate", json.dumps({"q": german, "source": "de", "target": "xx"}), {"Content-Type": "application/json"})
        same("through English", (code, json.loads(body)["translatedText"], head["X-Pivot"]), (200, want, "en"))
        got = s.json("/v1/translate", {"text": german, "from": "de", "to": "xx"})[1]
        same("it is said", (got["text"], got["pivot"], got["model"], got["second_model"]), (want, "en", "de-en.gguf", "en-xx.gguf"))
        same("models are open", s.metric("ramus_models_open"), 2)
        left = time.time()
        while s.metric("ramus_models_open") and time.time() - left < 30:
            time.sleep(0.1)
        same("idle models are closed", s.metric("ramus_models_open"), 0)
        same("and opened again", s.json("/translate", {**ASK, "target": "xx"})[0], 200)
        os.remove(f"{folder}/en-xx.gguf")
        s.reload()
        same("a model that is gone", s.json("/translate", {**ASK, "target": "xx"})[0], 400)


def memory():
    """Above the limit a model gives way to the next."""
    german = {"q": "Guten Tag.", "source": "de", "target": "en"}
    with Server(ramus, "--models", models, "--threads", "1", "--memory", "1", "--cache", "0") as s:
        for _ in range(3):
            same("one way", s.json("/translate", ASK)[0], 200)
            same("the other way", s.json("/translate", german)[0], 200)
            same("one model at a time", s.metric("ramus_models_open"), 1)


def sandbox():
    """The server has all that it needs when the first request comes: its files can go."""
    folder, log = f"{scratch}/sandboxed", f"{scratch}/sandbox-log"
    shutil.copytree(models, folder, ignore=lambda _, names: [n for n in names if not n.endswith("-de.gguf")])
    notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notices.bind(f"{scratch}/notify-sandbox")
    notices.settimeout(30)
    want = translate(ramus, ONE + "\n", "-m", f"{folder}/en-de.gguf").strip()
    with Server(ramus, "--models", folder, "--sandbox", "--threads", "2", "--idle", "1", "--log", log, "--memory", "1000",
                "--keys", path("sandbox-keys", "k\n"), env={"NOTIFY_SOCKET": f"{scratch}/notify-sandbox", "ASAN_OPTIONS": "detect_leaks=0:use_sigaltstack=0"}) as s:
        same("it tells that it is ready", notices.recv(100), b"READY=1")
        with open(f"{folder}/en-de.gguf", "rb") as f:
            model = f.read()
        shutil.rmtree(folder)
        threads = os.listdir(f"/proc/{s.process.pid}/task")
        for thread in threads:
            with open(f"/proc/{s.process.pid}/task/{thread}/status", encoding="ascii") as f:
                status = f.read()
            check("each thread has the filter", "Seccomp:\t2" in status and "NoNewPrivs:\t1" in status, status)
        check("there are threads", len(threads) >= 4, threads)
        time.sleep(2.5)  # longer than --idle
        same("it translates", s.json("/translate", {**ASK, "api_key": "k"}), (200, {"translatedText": want}))
        check("the model for the browser", s.ask("GET", "/en-de.gguf?token=k")[2] == model)
        check("its memory is known", s.metric("process_resident_memory_bytes") > 1e6)
        s.process.send_signal(signal.SIGHUP)
        while notices.recv(100) != b"RELOADING=1":  # signs of life came before
            pass
        while notices.recv(100) != b"READY=1":
            pass
        check("SIGHUP says that nothing is read", "nothing is read again" in s.said(), s.said())
        same("all is as before", s.json("/translate", {**ASK, "api_key": "k"}), (200, {"translatedText": want}))
    with open(log, encoding="utf-8") as f:
        check("the log is written", [json.loads(line)["code"] for line in f].count(200) >= 4)
    notices.close()


def usage():
    for wrong in (["x"], ["--cert", "a"], ["--listen", "nowhere:x"], ["--listen", "1.2.3.4.5:1"], ["--models", "/none"], ["-m", "none.gguf"],
                  ["--beam", "0"], ["--keys", "/none"]):
        done = subprocess.run([ramus, "serve", *wrong], capture_output=True, timeout=60)
        check(f"wrong: {wrong}", done.returncode in (1, 2) and done.stderr.count(b"\n") == 1, done)
    check("help", b"--listen" in subprocess.run([ramus, "serve", "--help"], capture_output=True, check=True).stdout)


try:
    for fact in (usage, limits, keys, cors_and_log, full_and_late, leaving, draining, kills, tls, services, pivots, memory, sandbox):
        if not wanted or fact.__name__ in wanted:
            fact()
finally:
    shutil.rmtree(scratch)
sys.exit(summary())
