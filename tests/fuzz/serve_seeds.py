#!/usr/bin/env python3
"""Good requests of every dialect, for the fuzz target to begin with:  serve_seeds.py FOLDER"""
import os
import re
import sys
import urllib.parse

folder = sys.argv[1]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "serve_fuzz.c"), encoding="ascii") as f:
    paths = re.findall(r'"(/[^"]*)"', f.read().split("paths[] = {", 1)[1].split("};", 1)[0])
FIELDS = {
    "/translate": 'q=Yes. No.&source=auto&target=de&format=html&alternatives=2',
    "/v2/translate": 'text=Yes.&target_lang=DE&tag_handling=html&split_sentences=0&show_billed_characters=1',
    "/v2/glossaries": 'name=x&source_lang=en&target_lang=de&entries_format=csv&entries="a, b",c',
    "/v1/translate": 'text=Yes.&from=en&to=de&beam=2&n_best=2&details=1&prefix=Ja&format=markdown',
    "/imme": 'text_list=Yes.&target_lang=de', "/kiss": 'texts=Yes.&to=de', "/deeplx": 'text=Yes.&source_lang=EN&target_lang=DE',
    "/language/translate/v2": 'q=Yes.&target=de&format=text', "/translate_a/single": 'q=Yes.&sl=auto&tl=de',
    "/translate/batch": 'texts=Yes.&from=en&to=de&html=true', "/detect": 'q=Ja.', "/v1/detect": 'text=Ja.', "/deepl": 'text=a&target_lang=de',
}
FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nYes.\r\n'
for i, path in enumerate(paths):
    pairs = urllib.parse.parse_qsl(FIELDS.get(path, "source=en&target=de&source_lang=en&target_lang=de"))
    json = "{" + ", ".join(f'"{k}": ' + (f'["{v}"]' if k in ("q", "text", "texts", "text_list") else v if v.isdigit() else '"' + v.replace('"', '\\"') + '"')
                           for k, v in pairs) + "}"
    parts = "".join(f'--b\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n' for k, v in pairs)
    for kind, body in enumerate((json, urllib.parse.urlencode(pairs), FILE + parts + "--b--\r\n")):
        with open(os.path.join(folder, f"{i}-{kind}"), "wb") as f:
            f.write(bytes([i, kind | (8 if path == "/v1/translate" and kind == 0 else 0)]) + body.encode())
