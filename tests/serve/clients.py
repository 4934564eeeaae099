#!/usr/bin/env python3
"""Real clients from npm:  clients.py RAMUS MODELS FOLDER

They are installed into FOLDER, which is not part of the source; where npm cannot be had, the test is skipped."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from serving import Server, same, translate

ramus, models, folder = map(os.path.abspath, sys.argv[1:])
# The numbers are those that the shapes of requests were captured with.
PACKAGES = ["deepl-node@1.28.0", "translate@3.1.0", "libretranslate@1.0.1", "libretranslate-ts@0.5.12"]
here = os.path.dirname(os.path.abspath(__file__))

if not shutil.which("node") or not shutil.which("npm"):
    sys.exit(print("skipped: there is no node and npm") or 0)
os.makedirs(folder, exist_ok=True)
if not all(os.path.isdir(f"{folder}/node_modules/{p.rsplit('@', 1)[0]}") for p in PACKAGES):
    if os.environ.get("RAMUS_NO_INSTALL") == "1":
        sys.exit(print("skipped: RAMUS_NO_INSTALL=1 and no clients in the build folder") or 0)
    done = subprocess.run(["npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--silent", *PACKAGES],
                          capture_output=True, timeout=300)
    if done.returncode != 0:
        sys.exit(print("skipped: npm cannot install the clients") or 0)

texts = ["Where is the station?", "I would like a cup of coffee, please."]
german = "Das Kind schläft, weil es den ganzen Tag gespielt hat."
html = "The <b>old man</b> lives in a small house."
document = "The cat sleeps.\nIt is late.\n\nWe go home.\n"
en_de, de_en = ["-m", f"{models}/en-de.gguf"], ["-m", f"{models}/de-en.gguf"]
want = {
    "texts": texts,
    "text": {t: translate(ramus, t + "\n", *en_de).rstrip("\n") for t in texts},
    "german": german,
    "english": translate(ramus, german + "\n", *de_en).rstrip("\n"),
    "html": html,
    "translated_html": translate(ramus, html, *en_de, "--format", "html"),
    "document": document,
    "translated_document": translate(ramus, document, *en_de, "--document"),
}


def as_the_guide_says(address):
    """The lines of docs/guide/serving.md for node, with another port."""
    with open(f"{here}/../../docs/guide/serving.md", encoding="utf-8") as f:
        lines = re.search(r"```js\n(.*?)```", f.read(), re.S)[1].replace("http://127.0.0.1:5000", address)
    lines += f"console.log(await translate({json.dumps(texts[0])}) + '|' + (await deepl.translateText({json.dumps(texts[0])}, null, 'de')).text);"
    with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".mjs") as script:
        script.write(lines)
        script.flush()
        done = subprocess.run(["node", script.name], capture_output=True, text=True, timeout=300)
    return same("the guide's lines", done.stdout + done.stderr, "|".join([want["text"][texts[0]]] * 2) + "\n")


with tempfile.NamedTemporaryFile("w", suffix=".json") as file, Server(ramus, "--models", models, "--threads", "1") as server:
    json.dump(want, file)
    file.flush()
    address = f"http://127.0.0.1:{server.port}"
    good = as_the_guide_says(address)
    code = subprocess.run(["node", f"{here}/clients.mjs", folder, address, file.name], timeout=300).returncode
    sys.exit(code or not good)
