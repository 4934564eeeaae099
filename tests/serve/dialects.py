#!/usr/bin/env python3
"""Dialects of the server:  dialects.py RAMUS MODELS; GOLDEN in the environment

Each answer has the text that `ramus translate` prints, and the shape that clients of the service expect."""
import glob
import json
import os
import subprocess
import sys
import threading
import time

from serving import Server, check, multipart, same, summary, translate

ramus, models = sys.argv[1:]
golden = os.environ["GOLDEN"]
EN_DE, DE_EN = f"{models}/en-de.gguf", f"{models}/de-en.gguf"
ONE, TWO = "Where is the station?", "I would like a cup of coffee, please."
THREE = "The cat sleeps.\nIt is late.\n\nWe go home. Nobody is there."
HTML = 'The <b>old man</b> lives in a <a href="x?a=1&amp;b=2">small house</a>.'


def text_of(text, format="text", model=EN_DE, *more):
    out = translate(ramus, text, "-m", model, "--format", format, *more)
    return out


WANT = {text: text_of(text) for text in (ONE, TWO, THREE)}
WANT_HTML = text_of(HTML, "html")
GERMAN = "Das Kind schläft, weil es den ganzen Tag gespielt hat."
WANT_GERMAN = text_of(GERMAN, "text", DE_EN)


def libre(s):
    ask = {"q": ONE, "source": "en", "target": "de"}
    same("libre JSON", s.json("/translate", ask), (200, {"translatedText": WANT[ONE]}))
    same("libre form", s.form("/translate", ask), (200, {"translatedText": WANT[ONE]}))
    body, head = multipart(ask.items())
    same("libre multipart", json.loads(s.ask("POST", "/translate", body, head)[2]), {"translatedText": WANT[ONE]})
    query = "/translate?q=Where+is%20the+station%3F&source=en&target=de"
    same("libre query", json.loads(s.ask("POST", query)[2]), {"translatedText": WANT[ONE]})
    same("lines are kept", s.json("/translate", {**ask, "q": THREE})[1]["translatedText"], WANT[THREE])
    same("libre batch", s.json("/translate", {**ask, "q": [ONE, TWO]}), (200, {"translatedText": [WANT[ONE], WANT[TWO]]}))
    same("a form with two texts", s.form("/translate", {**ask, "q": [ONE, TWO]}), (200, {"translatedText": [WANT[ONE], WANT[TWO]]}))
    same("a batch of one", s.json("/translate", {**ask, "q": [ONE]}), (200, {"translatedText": [WANT[ONE]]}))
    same("an empty batch", s.json("/translate", {**ask, "q": []})[0], 400)
    same("libre html", s.json("/translate", {**ask, "q": HTML, "format": "html", "alternatives": 2}),
         (200, {"translatedText": WANT_HTML, "alternatives": []}))
    code, got = s.json("/translate", {"q": [GERMAN, "🙂 🙂"], "source": "auto", "target": "en"})
    same("libre auto", (code, got["translatedText"]), (200, [WANT_GERMAN, "🙂 🙂"]))
    same("detected", [d["language"] for d in got["detectedLanguage"]], ["de", "en"])
    check("confidence", got["detectedLanguage"][0]["confidence"] > 90 and got["detectedLanguage"][1]["confidence"] == 0, got)
    got = s.json("/translate", {**ask, "source": "auto"})[1]
    check("one object for one text", isinstance(got["detectedLanguage"], dict), got)
    got = s.json("/translate", {**ask, "alternatives": 3})[1]
    lines = translate(ramus, ONE + "\n", "-m", EN_DE, "--n-best", "4").splitlines()
    same("alternatives", [got["translatedText"], *got["alternatives"]], [line.split(" ||| ")[1] for line in lines])
    same("form alternatives", s.form("/translate", {**ask, "alternatives": "1"})[1]["alternatives"], got["alternatives"][:1])
    same("same language", s.json("/translate", {**ask, "target": "en"})[1]["translatedText"], ONE)
    same("languages", s.get("/languages"), (200, [
        {"code": "de", "name": "German", "targets": ["de", "en"]}, {"code": "en", "name": "English", "targets": ["en", "de"]}]))
    same("detect", s.form("/detect", {"q": GERMAN})[1][0]["language"], "de")
    same("health", s.get("/health"), (200, {"status": "ok"}))
    settings = s.get("/frontend/settings")[1]
    check("settings", settings["keyRequired"] is False and ".srt" in settings["supportedFilesFormat"] and
          settings["language"] == {"source": {"code": "en", "name": "English"}, "target": {"code": "de", "name": "German"}}, settings)
    same("suggest", s.form("/suggest", {"q": "a", "s": "b", "source": "en", "target": "de"})[0], 403)
    check("spec", "/translate" in s.get("/spec")[1]["paths"])


def libre_files(s):
    body, head = multipart([("file", ("dir/a note.txt", THREE.encode())), ("source", "en"), ("target", "de")])
    code, _, answer = s.ask("POST", "/translate_file", body, head)
    url = json.loads(answer)["translatedFileUrl"]
    same("file", code, 200)
    check("absolute address", url.startswith(f"http://127.0.0.1:{s.port}/download_file/"), url)
    proxied = s.ask("POST", "/translate_file", body, {**head, "Host": "example.org:8443", "X-Forwarded-Proto": "https"})[2]
    check("as the proxy has it", json.loads(proxied)["translatedFileUrl"].startswith("https://example.org:8443/download_file/"), proxied)
    code, head, data = s.ask("GET", url[url.index("/download_file"):])
    same("download", (code, data.decode()), (200, WANT[THREE]))
    check("as an attachment", 'attachment; filename="a_note.txt"' == head["Content-Disposition"], head)
    with open(f"{golden}/documents/film.srt", "rb") as f:
        film = f.read()
    body, head = multipart([("file", ("film.srt", film)), ("source", "en"), ("target", "de")])
    url = json.loads(s.ask("POST", "/translate_file", body, head)[2])["translatedFileUrl"]
    same("subtitles", s.ask("GET", url[url.index("/download_file"):])[2].decode(), text_of(film.decode(), "srt"))
    body, head = multipart([("file", ("a.exe", b"MZ")), ("source", "en"), ("target", "de")])
    same("a format that is none", s.ask("POST", "/translate_file", body, head)[0], 400)


def deepl(s):
    ask = {"text": [ONE, TWO], "target_lang": "de", "source_lang": "en"}
    want = [{"detected_source_language": "EN", "text": WANT[t]} for t in (ONE, TWO)]
    same("deepl form", s.form("/v2/translate", ask), (200, {"translations": want}))
    same("deepl JSON", s.json("/v2/translate", {"text": [ONE, TWO], "target_lang": "DE"}), (200, {"translations": want}))
    got = s.form("/v2/translate", {**ask, "show_billed_characters": "1", "text": "Ä€😀"})[1]["translations"][0]
    same("characters, not bytes", got["billed_characters"], 3)
    same("region", s.form("/v2/translate", {"text": GERMAN, "target_lang": "en-US"})[1]["translations"][0],
         {"detected_source_language": "DE", "text": WANT_GERMAN})
    same("tags", s.form("/v2/translate", {**ask, "text": HTML, "tag_handling": "html"})[1]["translations"][0]["text"], WANT_HTML)
    whole = translate(ramus, "It is late. We go home.\n", "-m", EN_DE, "--whole-lines").rstrip("\n")
    same("no splitting", s.form("/v2/translate", {**ask, "text": "It is late. We go home.", "split_sentences": "0"})
         [1]["translations"][0]["text"], whole)
    for wrong in ({"formality": "more"}, {"tag_handling": "rtf"}, {"target_lang": "xx"}, {"target_lang": ""}, {"glossary_id": "nope"}):
        code, got = s.form("/v2/translate", {**ask, **wrong})
        check(f"deepl refuses {wrong}", code == 400 and "message" in got, (code, got))
    same("prefer", s.form("/v2/translate", {**ask, "formality": "prefer_more"})[0], 200)
    same("no target", s.form("/v2/translate", {"text": ONE})[0], 400)
    same("sources", {x["language"] for x in s.get("/v2/languages")[1]}, {"EN", "DE"})
    same("targets", {x["language"] for x in s.get("/v2/languages?type=target")[1]}, {"EN-GB", "EN-US", "DE"})
    check("usage", s.get("/v2/usage")[1]["character_count"] > 100)
    same("/deepl", s.json("/deepl", {"text": ONE, "target_lang": "DE"})[1]["translations"][0]["text"], WANT[ONE])


def deepl_glossary(s):
    terms = "station\tHaltestelle\nold bridge\tAlte Brücke\n"
    ask = {"name": "mine", "source_lang": "en", "target_lang": "de", "entries_format": "tsv", "entries": terms}
    code, made = s.form("/v2/glossaries", ask)
    same("glossary", (code, made["ready"], made["entry_count"]), (201, True, 2))
    at = f"/v2/glossaries/{made['glossary_id']}"
    same("listed", s.get("/v2/glossaries")[1]["glossaries"], [made])
    same("by id", s.get(at), (200, made))
    same("entries", s.ask("GET", f"{at}/entries")[2].decode(), terms)
    got = s.form("/v2/translate", {"text": ONE, "source_lang": "en", "target_lang": "de", "glossary_id": made["glossary_id"]})[1]
    check("used", "Haltestelle" in got["translations"][0]["text"], got)
    other = s.form("/v2/translate", {"text": GERMAN, "source_lang": "de", "target_lang": "en-GB", "glossary_id": made["glossary_id"]})
    same("other direction", other[0], 400)
    csv = s.form("/v2/glossaries", {**ask, "entries_format": "csv", "entries": '"a, b",c\n"say ""x""",d,en,de\n'})[1]
    same("csv", s.ask("GET", f"/v2/glossaries/{csv['glossary_id']}/entries")[2], b'a, b\tc\nsay "x"\td\n')
    for wrong in ({"entries": ""}, {"entries_format": "xml"}, {"source_lang": "fr"}, {"entries": "a\tb\na\tc\n"}):
        same(f"refused {wrong}", s.form("/v2/glossaries", {**ask, **wrong})[0], 400)
    same("delete", s.ask("DELETE", at)[0], 204)
    same("gone", s.get(at)[0], 404)
    same("pairs", len(s.get("/v2/glossary-language-pairs")[1]["supported_languages"]), 2)


def deepl_documents(s):
    for name, data, format in (("a.txt", THREE * 40, "text"), ("b.html", f"<p>{HTML}</p>\n" * 30, "html")):
        body, head = multipart([("file", (name, data.encode())), ("target_lang", "de"), ("source_lang", "en")])
        code, _, answer = s.ask("POST", "/v2/document", body, head)
        made = json.loads(answer)
        same("document", code, 200)
        at, key = f"/v2/document/{made['document_id']}", {"document_key": made["document_key"]}
        same("wrong key", s.form(at, {"document_key": "x" * 36})[0], 404)
        for _ in range(2000):
            status = s.form(at, key)[1]
            if status["status"] not in ("queued", "translating"):
                break
            time.sleep(0.01)
        same("status", status["status"], "done")
        same("billed", status["billed_characters"], len(data))
        result = s.ask("POST", f"{at}/result", f"document_key={key['document_key']}",
                       {"Content-Type": "application/x-www-form-urlencoded"})
        same("result", (result[0], result[2].decode()), (200, text_of(data, format)))
        same("once", s.form(f"{at}/result", key)[0], 404)


def office(s):
    for path in sorted(glob.glob(f"{golden}/office/*.docx") + glob.glob(f"{golden}/office/*.odt"))[:2]:
        with open(path, "rb") as f:
            data = f.read()
        kind = path.rsplit(".", 1)[1]
        body, head = multipart([("file", (f"x.{kind}", data)), ("source", "en"), ("target", "de")])
        code, _, answer = s.ask("POST", "/translate_file", body, head)
        if b"without libzip" in answer:
            print("skipped: archives, the program has no libzip")
            return
        same(f"office {kind}", code, 200)
        url = json.loads(answer)["translatedFileUrl"]
        want = subprocess.run([ramus, "translate", "-q", "-m", EN_DE, "-i", path], check=True, capture_output=True).stdout
        got = s.ask("GET", url[url.index("/download_file"):])[2]
        check(f"the same {kind} as the program's", got == want, f"{len(got)} and {len(want)} bytes")


def others(s):
    same("immersive", s.json("/imme", {"source_lang": "auto", "target_lang": "de", "text_list": [ONE, "Guten Tag, mein lieber Freund."]}),
         (200, {"translations": [{"detected_source_lang": "en", "text": WANT[ONE]},
                                 {"detected_source_lang": "de", "text": "Guten Tag, mein lieber Freund."}]}))
    same("immersive leaves what it cannot", s.json("/imme", {"target_lang": "de", "text_list": ["你好，世界。今天天气很好。"]})[1]["translations"][0]["text"],
         "你好，世界。今天天气很好。")
    same("kiss", s.json("/kiss", {"from": "auto", "to": "de", "text": ONE}), (200, {"text": WANT[ONE], "src": "en"}))
    same("kiss batch", s.json("/kiss", {"from": "en", "to": "de", "texts": [ONE, TWO]}),
         (200, {"translations": [{"src": "en", "text": WANT[ONE]}, {"src": "en", "text": WANT[TWO]}]}))
    code, got = s.json("/deeplx", {"text": ONE, "source_lang": "EN", "target_lang": "DE"})
    same("deeplx", (code, got["code"], got["data"], got["source_lang"], got["target_lang"]), (200, 200, WANT[ONE], "EN", "DE"))
    same("deeplx error", s.json("/deeplx", {"text": ONE, "target_lang": "xx"})[1]["code"], 400)
    google = "/google/language/translate/v2"
    same("google", s.json(google, {"q": [ONE], "target": "de"}), (200, {"data": {"translations": [
        {"translatedText": WANT[ONE], "detectedSourceLanguage": "en"}]}}))
    same("google html", s.json(google, {"q": HTML, "source": "en", "target": "de", "format": "html"})[1]["data"]["translations"],
         [{"translatedText": WANT_HTML}])
    same("google error", s.json(google, {"q": ONE, "target": "xx"})[1]["error"]["code"], 400)
    same("the old page", s.get("/translate_a/single?client=gtx&sl=auto&tl=de&dt=t&q=Where+is+the+station%3F")[1],
         [[[WANT[ONE], ONE, None, None, 1]], None, "en", None, None, None, None, []])
    same("mtran", s.json("/translate", {"from": "en", "to": "de", "text": ONE}), (200, {"result": WANT[ONE]}))
    same("mtran batch", s.json("/translate/batch", {"from": "en", "to": "de", "texts": [ONE, TWO]}), (200, {"results": [WANT[ONE], WANT[TWO]]}))
    same("mtran html", s.json("/translate", {"from": "en", "to": "de", "text": HTML, "html": True}), (200, {"result": WANT_HTML}))
    check("version", s.get("/version")[1]["version"].count(".") == 2)


def own(s):
    line = "It is late. " + TWO
    want = json.loads(translate(ramus, line + "\n", "-m", EN_DE, "--json", "--n-best", "2"))
    code, got = s.json("/v1/translate", {"text": line, "from": "en", "to": "de", "details": True, "n_best": 2})
    same("own", (code, {k: v for k, v in got.items() if k in want}), (200, want))
    same("models", (got["from"], got["to"], got["model"]), ("en", "de", "en-de.gguf"))
    same("gates", ([len(g) for g in got["gates"]].count(len(got["gates"][0])), len(got["source_gates"])), (len(got["tokens"]), len(got["source_tokens"])))
    source, target = line.encode(), got["text"].encode()
    for key, tokens, text in (("source_places", "source_tokens", source), ("places", "tokens", target)):
        same(key, [text[a:b].decode() for a, b in got[key]], [t.replace("▁", " ").strip() for t in got[tokens]])
    same("pairs", [source[slice(*p["source"])].decode() for p in got["pairs"]], ["It is late.", TWO])
    same("pairs join", b" ".join(target[slice(*p["target"])] for p in got["pairs"]), target)
    got = s.json("/v1/translate", {"text": [line, ONE], "to": "de"})[1]
    same("list", [t["text"] for t in got["translations"]], [want["text"], WANT[ONE]])
    same("score without details", got["translations"][0]["score"], want["score"])
    same("greedy", s.json("/v1/translate", {"text": line, "from": "en", "to": "de", "beam": 1})[1]["text"],
         translate(ramus, line + "\n", "-m", EN_DE, "--beam", "1").rstrip("\n"))
    same("prefix", s.json("/v1/translate", {"text": ONE, "from": "en", "to": "de", "prefix": "Wo liegt"})[1]["text"],
         translate(ramus, ONE + "\n", "-m", EN_DE, "--prefix", "Wo liegt").rstrip("\n"))
    same("format", s.json("/v1/translate", {"text": HTML, "from": "en", "to": "de", "format": "html"})[1]["text"], WANT_HTML)
    for wrong in ({"beam": 0}, {"beam": 65}, {"n_best": 5}, {"n_best": 3, "beam": 2}, {"n_best": "2"}, {"format": "pdf"}, {"to": 5}):
        same(f"refused {wrong}", s.json("/v1/translate", {"text": ONE, "from": "en", "to": "de", **wrong})[0], 400)
    got = s.json("/v1/translate", {"text": "", "from": "en", "to": "de", "details": True})[1]
    same("details of nothing", (got["text"], got["tokens"], got["pairs"]), ("", [], []))
    info = s.get("/v1/info")[1]
    same("info", [(m["from"], m["to"]) for m in info["models"]], [("de", "en"), ("en", "de")])
    same("und", s.json("/v1/detect", {"text": "..."})[1], {"language": "und", "certainty": 0})


def page(s):
    code, head, body = s.ask("GET", "/")
    check("a page", code == 200 and head["Content-Type"].startswith("text/html") and b"<title>" in body, (code, body[:200]))
    same("its models", [m["file"] for m in s.get("/models.json")[1]], ["de-en.gguf", "en-de.gguf"])
    with open(EN_DE, "rb") as f:
        check("a model for the browser", s.ask("GET", "/en-de.gguf")[2] == f.read())


def streams(s):
    text = " ".join([ONE, TWO, "It is late.", "We go home.", "Nobody is there."] * 4)
    ask = json.dumps({"text": text, "from": "en", "to": "de"}).encode()
    want = translate(ramus, text + "\n", "-m", EN_DE).rstrip("\n")
    for accept in ("text/event-stream", "application/x-ndjson"):
        code, head, body = s.ask("POST", "/v1/translate", ask, {"Content-Type": "application/json", "Accept": accept})
        same(accept, (code, head["Content-Type"].split(";")[0]), (200, accept))
        lines = [line for line in body.decode().split("\n") if line]
        if accept == "text/event-stream":
            same("events", {line for line in lines if line.startswith("event: ")}, {"event: sentence", "event: done"})
            lines = [line[6:] for line in lines if line.startswith("data: ")]
        pieces = [json.loads(line) for line in lines]
        same("order", [p["sentence"] for p in pieces[:-1]], list(range(20)))
        same("sentences join", " ".join(p["target"] for p in pieces[:-1]), want)
        same("the whole", pieces[-1]["text"], want)
    same("no list", s.json("/v1/translate", {"text": [ONE], "to": "de", "stream": True})[0], 400)


def together(s):
    """Requests that share batches get what they get alone."""
    texts = [f"There are {i} books about the sea on the table." for i in range(2, 42)]
    want = translate(ramus, "".join(t + "\n" for t in texts), "-m", EN_DE).splitlines()
    got = [None] * len(texts)

    def ask(i):
        got[i] = s.json("/translate", {"q": texts[i], "source": "en", "target": "de"})[1].get("translatedText")

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(texts))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    same("shared batches", got, want)
    before = s.metric("ramus_cached_texts_total")
    again = [s.json("/translate", {"q": t, "source": "en", "target": "de"})[1]["translatedText"] for t in texts[:5]]
    same("from the cache", (again, s.metric("ramus_cached_texts_total") - before), (want[:5], 5))


with Server(ramus, "--models", models, "--threads", "2") as server:
    for part in (libre, libre_files, deepl, deepl_glossary, deepl_documents, office, others, own, page, streams, together):
        part(server)
sys.exit(summary())
