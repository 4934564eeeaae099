#!/usr/bin/env python3
"""Judges by other programs' parsers what the formats html and xliff write:  structure.py COPY FILE...

Each document is "translated" into capitals. A page must then have the same tags, attributes,
comments and texts, but for capitals and white space; tidy, where it is installed, must say the same
of both. In XLIFF, each target that was made must have the tags of its source, and nothing else may
have changed."""
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as tree
from html.parser import HTMLParser

TEXTS = {"alt", "title", "placeholder", "aria-label", "label", "value", "content"}  # attributes


class Events(HTMLParser):
    """All of a page in order; what may be translated in capitals."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.events = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.events.append(("start", tag, [(k, v.upper() if k in TEXTS and v else v) for k, v in attributes]))

    def handle_endtag(self, tag):
        self.events.append(("end", tag))

    def handle_comment(self, data):
        self.events.append(("comment", data))

    def handle_decl(self, data):
        self.events.append(("declaration", data))

    def handle_pi(self, data):
        self.events.append(("instruction", data))

    def unknown_decl(self, data):
        self.events.append(("declaration", data))

    def handle_data(self, data):
        words = "".join(re.sub(r"[ \t\n\f\r]+", " ", data)).upper().strip()
        if words:
            self.events.append(("text", words))


def tidy(text):
    """What tidy says of a page, without places."""
    run = subprocess.run(["tidy", "-e", "-q", "-utf8"], input=text, capture_output=True, text=True, check=False)
    return sorted(re.sub(r"^line \d+ column \d+ - ", "", line) for line in run.stderr.splitlines())


def check_page(source, copy):
    a, b = Events(source).events, Events(copy).events
    for x, y in zip(a, b):
        if x != y:
            return f"{x} became {y}"
    if len(a) != len(b):
        return f"{len(a)} events became {len(b)}"
    if shutil.which("tidy") and tidy(source) != tidy(copy):
        return f"tidy says {tidy(source)} of the source, {tidy(copy)} of the copy"
    return "" if sum(e[0] == "text" for e in a) > 5 and source != copy else "nothing was translated"


def name(element):
    return element.tag.split("}")[-1]


def tags(element):
    """The tags in an element, without those that only mark segments."""
    return [(name(e), sorted(e.attrib.items())) for e in element.iter() if e is not element]


def check_units(source, copy):
    a, b = tree.fromstring(source.encode()), tree.fromstring(copy.encode())
    old = {id(u): u for u in a.iter() if name(u) in ("trans-unit", "segment")}
    new = [u for u in b.iter() if name(u) in ("trans-unit", "segment")]
    made = 0
    for was, now in zip(old.values(), new):
        find = lambda unit, what: next((e for e in unit if name(e) == what), None)
        target, before = find(now, "target"), find(was, "target")
        if target is None or (before is not None and tree.tostring(before).strip() == tree.tostring(target).strip()):
            continue
        made += 1
        if tags(target) != tags(find(now, "source")):
            return f"{tags(find(now, 'source'))} became {tags(target)}"
        kept = {"mrk", "ph", "bpt", "ept"}  # their content is no text of the unit
        text = lambda e: (e.text or "" if name(e) not in kept else "") + "".join(text(x) + (x.tail or "") for x in e)
        if text(target) != text(find(now, "source")).upper():
            return f"\"{text(find(now, 'source'))}\" became \"{text(target)}\""
        now.remove(target)
        if before is not None:
            was.remove(before)
    shape = lambda root: [(name(e), e.attrib, (e.text or "").strip(), (e.tail or "").strip()) for e in root.iter()]
    if shape(a) != shape(b):
        return "something but targets has changed"
    return "" if made else "nothing was translated"


def main():
    copier, *files = sys.argv[1:]
    for path in files:
        with open(path, encoding="utf-8", newline="") as f:
            source = f.read()
        units = path.endswith(".xlf")
        copy = subprocess.run([copier, "xliff" if units else "html", "in-capitals"], input=source.encode(),
                              capture_output=True, check=True).stdout.decode()
        wrong = (check_units if units else check_page)(source, copy)
        if wrong:
            sys.exit(f"{path}: {wrong}")
        print(f"ok   {path}")
    if not files:
        sys.exit("no files")


main()
