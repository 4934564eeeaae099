#!/usr/bin/env python3
"""Many requests of mixed dialects, sizes and faults:  soak.py RAMUS MODELS COUNT [--minutes N] [--seed N] [--flat MB]

Every answer is compared with what `ramus translate` prints. It ends after so many requests or minutes, what comes first. The
server's memory is looked at about a hundred times: after the first tenth its trend may grow by --flat MB over the rest at most."""
import argparse
import http.client
import json
import random
import socket
import sys
import threading
import time
import urllib.parse

from serving import Server, check, same, summary, translate

args = argparse.ArgumentParser(description=__doc__)
args.add_argument("ramus")
args.add_argument("models")
args.add_argument("count", type=int)
args.add_argument("--minutes", type=float, default=1e9)
args.add_argument("--seed", type=int, default=1)
args.add_argument("--flat", type=float, default=3)
args.add_argument("--clients", type=int, default=8)
args.add_argument("--threads", default="2")
args = args.parse_args()
WAIT = 600 # seconds, with sanitizers on a busy machine
MODEL = ["-m", f"{args.models}/en-de.gguf", "--beam", "1"]
SUBJECTS = ["The old man", "A young woman", "My brother", "The teacher", "Nobody", "The committee", "Our neighbour"]
VERBS = ["reads", "sold", "will find", "has seen", "does not like", "bought"]
OBJECTS = ["the book", "a small house", "three apples", "the letter", "a cup of coffee", "the last train to Hamburg"]


def make_texts(draw):
    one = [f"{draw.choice(SUBJECTS)} {draw.choice(VERBS)} {draw.choice(OBJECTS)} {i}." for i in range(150)]
    many = [" ".join(draw.sample(one, draw.randint(2, 8))) for _ in range(40)]
    lines = ["\n".join(draw.sample(one, 3)) for _ in range(20)]
    return sorted(set(one + many + lines))


def truths(texts):
    """By the program, in one document: a blank line ends a paragraph, and what is in it does not depend on others."""
    out = translate(args.ramus, "\n\n".join(texts), *MODEL, "--format", "text").split("\n\n")
    assert len(out) == len(texts)
    return dict(zip(texts, out))


class Client(threading.Thread):
    """Asks one thing after the other, on a connection that is kept."""

    def __init__(self, soak, number):
        super().__init__()
        self.soak, self.draw = soak, random.Random(args.seed * 1000 + number)
        self.connection = None

    def ask(self, method, path, body, kind="application/json", more=None):
        for _ in range(3): # the server ends connections after some faults
            if not self.connection:
                self.connection = self.soak.server.connect(WAIT)
            try:
                self.connection.request(method, path, body, {"Content-Type": kind, **(more or {})})
                answer = self.connection.getresponse()
                return answer.status, answer.read()
            except (http.client.HTTPException, ConnectionError):
                self.connection.close()
                self.connection = None
        raise RuntimeError("no answer in three attempts")

    def texts(self, most=6):
        return [self.draw.choice(self.soak.texts) for _ in range(self.draw.randint(1, most))]

    def post(self, path, value, more=None):
        code, body = self.ask("POST", path, json.dumps(value).encode(), more=more)
        return same(f"code of {path}", code, 200) and json.loads(body)

    def compare(self, what, got, texts):
        same(what, got, [self.soak.want[t] for t in texts])

    def libre(self):
        texts = self.texts()
        got = self.post("/translate", {"q": texts, "source": "en", "target": "de"})
        self.compare("libre", got and got["translatedText"], texts)

    def libre_form(self):
        text = self.draw.choice(self.soak.texts)
        body = urllib.parse.urlencode({"q": text, "source": "en", "target": "de"})
        code, answer = self.ask("POST", "/translate", body, "application/x-www-form-urlencoded")
        self.compare("libre form", code == 200 and [json.loads(answer)["translatedText"]], [text])

    def deepl(self):
        texts = self.texts()
        body = urllib.parse.urlencode({"text": texts, "source_lang": "EN", "target_lang": "DE"}, doseq=True)
        code, answer = self.ask("POST", "/v2/translate", body, "application/x-www-form-urlencoded")
        self.compare("deepl", code == 200 and [t["text"] for t in json.loads(answer)["translations"]], texts)

    def small(self):
        texts = self.texts(2)
        got = self.post("/kiss", {"from": "en", "to": "de", "texts": texts})
        self.compare("kiss", got and [t["text"] for t in got["translations"]], texts)
        got = self.post("/translate/batch", {"from": "en", "to": "de", "texts": texts})
        self.compare("mtran", got and got["results"], texts)

    def google(self):
        texts = self.texts(3)
        got = self.post("/language/translate/v2", {"source": "en", "target": "de", "q": texts})
        self.compare("google", got and [t["translatedText"] for t in got["data"]["translations"]], texts)

    def own(self):
        text = self.draw.choice(self.soak.texts)
        ask = {"text": text, "from": "en", "to": "de", "format": "text", "details": self.draw.random() < 0.3}
        got = self.post("/v1/translate", ask)
        self.compare("own", got and [got["text"]], [text])

    def stream(self):
        text = self.draw.choice(self.soak.texts)
        code, body = self.ask("POST", "/v1/translate", json.dumps({"text": text, "from": "en", "to": "de", "format": "text", "stream": True}))
        self.compare("stream", code == 200 and [json.loads(body.splitlines()[-1])["text"]], [text])

    def raw(self, data, pause=0.0, read=0):
        """Sends by hand, in pieces; reads so many bytes and leaves."""
        with socket.create_connection(("127.0.0.1", self.soak.server.port), 60) as s:
            try:
                for piece in data:
                    s.sendall(piece)
                    time.sleep(pause)
                while read > 0 and (got := s.recv(min(read, 512))):
                    read -= len(got)
                    time.sleep(pause)
            except ConnectionError:
                pass

    def request(self, text):
        body = json.dumps({"q": text, "source": "en", "target": "de"}).encode()
        return b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    def aborted(self):
        self.raw([self.request(" ".join(self.texts()))])

    def half(self):
        data = self.request(self.draw.choice(self.soak.texts))
        self.raw([data[:self.draw.randrange(len(data))]])

    def slow(self):
        data = self.request(self.draw.choice(self.soak.texts))
        cut = sorted(self.draw.sample(range(1, len(data)), 5))
        self.raw([data[a:b] for a, b in zip([0, *cut], [*cut, len(data)])], 0.01, 100) # every answer has more

    def oversized(self):
        code, _ = self.ask("POST", "/translate", b"a" * 1100000)
        same("oversized", code, 413)

    def garbage(self):
        self.raw([bytes(self.draw.randrange(256) for _ in range(300)) + b"\r\n\r\n"], 0, 100)

    def wrong(self):
        code, _ = self.ask("POST", "/translate", b'{"q": "x", "source": "en", "target": "tlh"}')
        same("wrong", code, 400)

    def run(self):
        good = [self.libre, self.libre_form, self.deepl, self.small, self.google, self.own, self.stream]
        faults = [self.aborted, self.half, self.slow, self.garbage, self.wrong]
        while self.soak.take():
            try:
                if self.draw.random() < 0.002:
                    self.oversized()
                else:
                    self.draw.choice(faults if self.draw.random() < 0.15 else good)()
            except Exception as wrong: # one is enough to fail, and others go on
                check("no client is stuck", False, repr(wrong))
        if self.connection:
            self.connection.close()


class Soak:
    def __init__(self, server, want):
        self.server, self.want, self.texts = server, want, list(want)
        self.done, self.looked, self.lock, self.memory = 0, 0.0, threading.Lock(), []
        self.begun = time.time()

    def share(self):
        """How much of the requests or of the time is over, from 0 to 1."""
        return max(self.done / args.count, (time.time() - self.begun) / 60 / args.minutes)

    def take(self):
        with self.lock:
            share = self.share()
            if share >= self.looked:
                self.memory.append(self.server.memory() / 1e6)
                self.looked += 0.01
            self.done += share < 1
            return share < 1


def trend(values):
    """How much a straight line through the values rises from the first to the last."""
    n = len(values)
    mean, middle = sum(values) / n, (n - 1) / 2
    slope = sum((i - middle) * (v - mean) for i, v in enumerate(values)) / sum((i - middle) ** 2 for i in range(n))
    return slope * (n - 1)


draw = random.Random(args.seed)
want = truths(make_texts(draw))
with Server(args.ramus, "--models", args.models, "--beam", "1", "--threads", args.threads, "--cache", "0.02", "--timeout", str(WAIT)) as server:
    soak = Soak(server, want)
    clients = [Client(soak, i) for i in range(args.clients)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    seconds = time.time() - soak.begun
    deadline = time.time() + 30
    while (server.metric("ramus_works") or server.metric("ramus_queue_sentences")) and time.time() < deadline:
        time.sleep(0.05)
    same("nothing is left", (server.metric("ramus_works"), server.metric("ramus_queue_sentences")), (0, 0))
    rest = soak.memory[len(soak.memory) // 10:]
    rise = trend(rest)
    print(f"{soak.done} requests in {seconds:.0f} s (seed {args.seed}), memory {soak.memory[0]:.1f} .. {max(soak.memory):.1f} MB, "
          f"trend {rise:+.2f} MB after the first tenth, cancelled {server.metric('ramus_cancelled_total'):.0f}")
    print("MB at each tenth:", " ".join(f"{m:.1f}" for m in soak.memory[::10]))
    check("memory is flat", rise <= args.flat, f"{rise:.2f} MB, at most {args.flat}: {soak.memory}")
sys.exit(summary())
