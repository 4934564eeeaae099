#!/usr/bin/env python3
"""Malformed and hostile requests:  hostile.py RAMUS MODELS

Each has one stated answer: a code, or the end of the connection without one. Codes of broken HTTP itself are those of
libmicrohttpd. After each the server answers as before."""
import json
import sys

from serving import Server, check, same, summary

ramus, models = sys.argv[1:]
JSON = "Content-Type: application/json\r\n"
FORM = "Content-Type: application/x-www-form-urlencoded\r\n"
PARTS = "Content-Type: multipart/form-data; boundary=b\r\n"
NONE = 0  # the connection ends


def post(path, body, head=JSON):
    data = body if isinstance(body, bytes) else body.encode()
    return f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{head}Content-Length: {len(data)}\r\n\r\n".encode() + data


def get(path, head=""):
    return f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{head}\r\n".encode()


def part(name, value, more=""):
    return f'--b\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n{value}\r\n'


good = {"q": "Yes.", "source": "en", "target": "de"}


def libre(**changed):
    return post("/translate", json.dumps({**good, **changed}))


deep = "[" * 100000
CASES = [
    # JSON that is none, or not what it should be
    ("nothing", post("/translate", ""), 400),
    ("an open brace", post("/translate", "{"), 400),
    ("a list for an object", post("/translate", "[1, 2]"), 400),
    ("a string for an object", post("/translate", '"q"'), 400),
    ("two objects", post("/translate", json.dumps(good) * 2), 400),
    ("a comma too many", post("/translate", '{"q": "a", }'), 400),
    ("single quotes", post("/translate", "{'q': 'a'}"), 400),
    ("no quotes", post("/translate", "{q: 1}"), 400),
    ("a field twice", post("/translate", '{"q": "a", "q": "b", "source": "en", "target": "de"}'), 400),
    ("101 members", post("/translate", json.dumps({f"a{i}": 1 for i in range(101)})), 400),
    ("wrong UTF-8", post("/translate", b'{"q": "\xff\xfe", "source": "en", "target": "de"}'), 400),
    ("an overlong slash", post("/translate", b'{"q": "\xc0\xaf", "source": "en", "target": "de"}'), 400),
    ("half a surrogate", post("/translate", r'{"q": "\ud800", "source": "en", "target": "de"}'), 400),
    ("two high surrogates", post("/translate", r'{"q": "\ud800\ud800", "source": "en", "target": "de"}'), 400),
    ("a wrong escape", post("/translate", r'{"q": "\x41", "source": "en", "target": "de"}'), 400),
    ("a tab in a string", post("/translate", '{"q": "a\tb", "source": "en", "target": "de"}'), 400),
    ("a zero byte in JSON", post("/translate", b'{"q": "a\x00b", "source": "en", "target": "de"}'), 400),
    ("a zero by escape", post("/translate", r'{"q": "No.\u0000Yes.", "source": "en", "target": "de"}'), 200),
    ("a zero in a code", post("/translate", r'{"q": "a", "source": "en\u0000", "target": "de"}'), 200),
    ("deep lists", post("/translate", '{"q": ' + deep), 400),
    ("deep lists in an unknown field", post("/translate", '{"z": ' + deep), 400),
    ("a list of lists", libre(q=[["a"]]), 400),
    ("a number for a text", libre(q=5), 400),
    ("null for a text", libre(q=None), 400),
    ("an object for a text", libre(q={"a": 1}), 400),
    ("a number among texts", libre(q=["a", 1]), 400),
    ("no texts", libre(q=[]), 400),
    ("1,001 texts", libre(q=["a"] * 1001), 400),
    ("100,001 characters", libre(q="a " * 50001), 400),
    ("a code of a thousand letters", libre(target="d" * 1000), 400),
    ("a path for a code", libre(source="../../etc/passwd"), 400),
    ("a path for a target", libre(target="de/../en"), 400),
    ("an unknown language", libre(target="tlh"), 400),
    ("an empty target", libre(target=""), 400),
    ("an unknown format", libre(format="../x"), 400),
    ("10,000 alternatives", libre(alternatives=10000), 400),
    ("minus one alternative", libre(alternatives=-1), 400),
    ("one and a half alternatives", libre(alternatives=1.5), 400),
    ("a great number of alternatives", post("/translate", '{"q":"a","source":"en","target":"de","alternatives":1e999}'), 400),
    ("digits without end", post("/translate", '{"q":"a","source":"en","target":"de","alternatives":' + "9" * 5000 + "}"), 400),
    ("an empty text", libre(q=""), 200),
    ("white space", libre(q=" \n\n \t"), 200),
    ("controls", libre(q="\x01\x02\x1b[31m"), 200),
    ("signs of both directions", libre(q="\u202e\u2066abc"), 200),
    ("one letter, 1,000 times", libre(q="a" * 1000), 200),
    ("combining marks", libre(q="e" + "\u0301" * 500), 200),
    ("private symbols of the vocabulary", libre(q="\ue000\ue001 \ue00f yes"), 200),
    ("HTML without ends", libre(q="<b>" * 3000, format="html"), 200),
    ("HTML of attributes", libre(q="<a " + "x=1 " * 5000, format="html"), 200),
    # forms
    ("20,001 fields", post("/translate", "a=1&" * 20001, FORM), 400),
    ("ampersands", post("/translate", "&" * 100000, FORM), 400),
    ("broken escapes", post("/translate", "q=%zz%&source=en&target=de&%", FORM), 200),
    ("a form of zeros", post("/translate", b"\x00" * 1000, FORM), 400),
    ("wrong UTF-8 in a form", post("/translate", "q=%ff%fe&source=en&target=de", FORM), 200),
    ("an unknown type", post("/translate", "hello", "Content-Type: application/xml\r\n"), 415),
    ("no type", post("/translate", "hello", ""), 415),
    ("parts without a border", post("/translate", "x", "Content-Type: multipart/form-data\r\n"), 400),
    ("a border of 71 letters", post("/translate", "x", f"Content-Type: multipart/form-data; boundary={'b' * 71}\r\n"), 400),
    ("parts without an end", post("/translate", part("q", "a"), PARTS), 400),
    ("a part without a head", post("/translate", "--b\r\n\r\n\r\n--b--\r\n", PARTS), 400),
    ("a part without a name", post("/translate", "--b\r\nContent-Type: x\r\n\r\na\r\n--b--\r\n", PARTS), 400),
    ("only the end", post("/translate", "--b--\r\n", PARTS), 400),
    ("borders alone", post("/translate", "--b\r\n" * 1000, PARTS), 400),
    ("a head of 5,000 bytes", post("/translate", "--b\r\nX: " + "y" * 5000 + "\r\n\r\n\r\n--b--", PARTS), 400),
    ("a file that goes upwards", post("/translate_file", part("file", "Yes.", '; filename="../../../etc/x.txt"') + part("source", "en") +
                                      part("target", "de") + "--b--", PARTS), 200),
    ("a file without a name", post("/translate_file", part("file", "Yes.") + part("source", "en") + part("target", "de") + "--b--", PARTS), 400),
    ("an archive that is none", post("/translate_file", part("file", "PK\x03\x04no", '; filename="a.docx"') + part("source", "en") +
                                     part("target", "de") + "--b--", PARTS), 400),
    # other dialects
    ("deepl without a target", post("/v2/translate", "text=a", FORM), 400),
    ("deepl, an object for texts", post("/v2/translate", '{"text": {}, "target_lang": "DE"}'), 400),
    ("deepl, an unknown document", post("/v2/document/" + "0" * 36, "document_key=" + "0" * 36, FORM), 404),
    ("deepl, a document of one letter", post("/v2/document/x", "document_key=x", FORM), 404),
    ("deepl, a document without a key", post("/v2/document/" + "0" * 36, "", FORM), 404),
    ("deepl, a glossary with a path", get("/v2/glossaries/../../x"), 404),
    ("deepl, a glossary of columns without end", post("/v2/glossaries", "name=a&source_lang=en&target_lang=de&entries_format=tsv&entries=" + "a%09" * 5000, FORM), 400),
    ("immersive, a text for a list", post("/imme", '{"text_list": "Yes.", "target_lang": "de"}'), 200),
    ("own, a beam of a million", post("/v1/translate", '{"text": "a", "to": "de", "beam": 1000000}'), 400),
    ("own, a prefix with a zero", post("/v1/translate", r'{"text": "Yes.", "to": "de", "prefix": "a\u0000b"}'), 200),
    ("own, a prefix without end", post("/v1/translate", json.dumps({"text": "Yes.", "from": "en", "to": "de", "prefix": "a b c " * 5000})), 400),
    ("own, broken XLIFF", post("/v1/translate", json.dumps({"text": "<xliff><", "from": "en", "to": "de", "format": "json"})), 400),
    # addresses
    ("no such address", get("/nothing"), 404),
    ("a path upwards", get("/../../../../etc/passwd"), 404),
    ("an escaped path upwards", get("/..%2f..%2f..%2fetc%2fpasswd"), 404),
    ("an absolute path", get("//etc/passwd"), 404),
    ("a file of the model's folder", get("/README.md"), 404),
    ("a download with a path", get("/download_file/../../etc/passwd"), 404),
    ("a download without an id", get("/download_file/"), 404),
    ("a zero in an address", get("/health%00.html"), 200),
    ("an address of 100,000 letters", get("/" + "a" * 100000), 414),
    ("a query of 10,000 fields", get("/translate_a/single?" + "a=b&" * 5000), 414),
    ("the wrong method", get("/translate"), 405),
    ("a method that is none", b"BREW /translate HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 405),
    ("TRACE", b"TRACE /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 405),
    ("CONNECT", b"CONNECT x:443 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404),
    # HTTP itself
    ("no HTTP", b"\x16\x03\x01\x02\x00\x01\x00" + bytes(range(256)) + b"\r\n\r\n", NONE),
    ("zeros", b"\x00" * 4096 + b"\r\n\r\n", NONE),
    ("no version", b"GET /health\r\n\r\n", 400),
    ("version 9", b"GET /health HTTP/9.9\r\nHost: x\r\n\r\n", 505),
    ("no host", b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n", 400),
    ("a head of 100,000 bytes", get("/health", "X: " + "y" * 100000 + "\r\n"), 431),
    ("10,000 heads", get("/health", "X: y\r\n" * 10000), 431),
    ("a length that is no number", b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n", 400),
    ("a negative length", b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
    ("a length beyond 64 bits", b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413),
    ("a length of a terabyte", b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000000\r\n\r\n", 413),
    ("a body over the limit", post("/translate", "a" * 1000001), 413),
    ("a body far over the limit", post("/translate", "a" * 12000000), 413),
    ("chunks over the limit", b"POST /translate HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n" +
     b"10000\r\n" + b"a" * 65536 + b"\r\n" + (b"10000\r\n" + b"a" * 65536 + b"\r\n") * 20 + b"0\r\n\r\n", 413),
    ("a chunk that is none", b"POST /translate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
    ("a client that waits, over the limit", b"POST /translate HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2000000\r\n\r\n", 413),
    ("two requests at once", get("/health").replace(b"Connection: close\r\n", b"") + get("/version"), 200),
]


def code_of(answer):
    while answer.startswith(b"HTTP/1.1 100"):
        answer = answer.partition(b"\r\n\r\n")[2]
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.") else NONE


with Server(ramus, "--models", models, "--threads", "1", "--keep-alive", "2") as server:
    for name, request, want in CASES:
        same(name, code_of(server.raw(request, 60)), want)
        same(f"after {name}", server.get("/health"), (200, {"status": "ok"}))
    for path, request in (("/translate", good), ("/kiss", {"text": "Yes.", "from": "en", "to": "de"})):
        same(f"{path} works after all that", server.json(path, request)[0], 200)
print(f"{len(CASES)} requests")
check("there are enough", len(CASES) >= 60)
sys.exit(summary())
