#!/usr/bin/env python3
"""Archives of documents keep their entries, and are XML with the same texts.

    office.py PROGRAM FILE...      PROGRAM: document_office_copy

Truth: the modules zipfile and xml.etree of Python.
"""
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
import zipfile

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
T = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
BREAKS = {W + "tab", W + "br", T + "tab", T + "line-break", T + "s"}
WORDS = {W + "t"}
PARAGRAPHS = {W + "p", T + "p", T + "h"}


def translated(name):
    return name in ("content.xml", "styles.xml") or name.startswith(
        ("word/document", "word/header", "word/footer", "word/footnotes", "word/comments")
    )


def words(element):
    """The text of a paragraph with those in it, white space as one space."""
    text = []

    def walk(e):
        if e.tag in BREAKS:
            text.append(" ")
        if e.tag in WORDS or not e.tag.startswith(W):
            text.append(e.text or "")
        for child in e:
            walk(child)
            if not e.tag.startswith(W):
                text.append(child.tail or "")

    walk(element)
    return " ".join("".join(text).split())


def paragraphs(data):
    return [words(e) for e in xml.fromstring(data).iter() if e.tag in PARAGRAPHS]


def tags(data):
    """How often each element stands there, runs and pieces of text left out."""
    counts = {}
    for e in xml.fromstring(data).iter():
        if e.tag not in (W + "r", W + "t", W + "rPr", T + "s"):
            counts[e.tag] = counts.get(e.tag, 0) + 1
    return counts


def own_flags(archive, entry):
    """The flags in the head of the entry itself; the list at the end of the archive has them too."""
    archive.fp.seek(entry.header_offset + 6)
    return int.from_bytes(archive.fp.read(2), "little")


def fail(what):
    print(f"FAIL {what}")
    sys.exit(1)


def check(program, path, how, folder):
    copy = f"{folder}/{how}"
    subprocess.run([program, how, path, copy], check=True)
    old, new = zipfile.ZipFile(path), zipfile.ZipFile(copy)
    if new.testzip():
        fail(f"{path}: the archive is broken")
    if [(i.filename, i.compress_type) for i in old.infolist()] != [
        (i.filename, i.compress_type) for i in new.infolist()
    ]:
        fail(f"{path}: other entries, or another order")
    if any(own_flags(new, i) != i.flag_bits for i in new.infolist()):
        fail(f"{path} {how}: an entry has other flags in the list")
    changed = 0
    for name in old.namelist():
        before, after = old.read(name), new.read(name)
        if not translated(name) or how == "as-it-is":
            if before != after:
                fail(f"{path} {how}: {name} has other bytes")
            continue
        want, got = paragraphs(before), paragraphs(after)
        if how == "in-capitals":
            want = ["".join(c.upper() if c < "\x7f" else c for c in p) for p in want]
            changed += before != after
        if want != got:
            fail(f"{path} {how}: {name}: {got}, expected {want}")
        if how == "as-itself" and {k: v for k, v in tags(before).items() if not k.startswith(W)} != {
            k: v for k, v in tags(after).items() if not k.startswith(W)
        }:
            fail(f"{path} {how}: {name}: other elements")
    if how == "in-capitals" and changed == 0:
        fail(f"{path}: {changed} entries were translated")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for path in sys.argv[2:]:
            for how in ("as-it-is", "as-itself", "in-capitals"):
                check(sys.argv[1], path, how, folder)
            print(f"ok   {path}")


if len(sys.argv) < 3:
    print(__doc__)
    sys.exit(2)
main()
