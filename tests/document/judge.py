#!/usr/bin/python3
"""Judges by other programs' parsers whether a translated document has the structure of its source.

    judge.py SOURCE RESULT...     pairs of files; the name of the source ends with its format
    judge.py --parsers            are all parsers installed?

For each pair a line with what was counted, or what is wrong. Parsers: html5lib and tidy (HTML), ElementTree (XHTML),
markdown-it (Markdown), polib and msgfmt (po), xmllint (XLIFF), those of Python (JSON, tables, archives), and
subtitles.py. Of an Office document SOURCE.text and RESULT.text, where they are, are the text that
LibreOffice finds in it."""
import collections
import csv
import json
import importlib.util
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as tree
import zipfile

import subtitles

TEXTS = {"alt", "title", "placeholder", "aria-label", "label", "value", "content", "summary", "abbr"}
BLOCKS = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "td", "th", "dt", "dd", "title", "caption"}


class Wrong(Exception):
    pass


def same(a, b, what):
    """Two lists in order."""
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            raise Wrong(f"{what} {i}: {x!r} became {y!r}")
    if len(a) != len(b):
        raise Wrong(f"{len(a)} {what} became {len(b)}")
    return len(a)


def same_set(a, b, what):
    """Two lists in any order."""
    a, b = collections.Counter(a), collections.Counter(b)
    if a != b:
        raise Wrong(f"{what}: lost {list((a - b).items())[:3]}, new {list((b - a).items())[:3]}")
    return sum(a.values())


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def elements(text, xml):
    """Of each element of a page: its place below the root, and its attributes but for texts."""
    import html5lib
    found, links, blocks = [], [], []

    def walk(e, path):
        if not isinstance(e.tag, str):  # a comment
            return
        path += "/" + e.tag
        found.append((path, tuple(sorted((k, v if k not in TEXTS else None) for k, v in e.attrib.items()))))
        links.extend(v for k, v in e.attrib.items() if k in ("href", "src"))
        if e.tag.split("}")[-1] in BLOCKS:
            blocks.append((e.tag, "".join(e.itertext()).strip() != ""))
        for child in e:
            walk(child, path)

    try:
        walk(tree.fromstring(text) if xml else html5lib.parse(text, treebuilder="etree", namespaceHTMLElements=False), "")
    except tree.ParseError as why:
        raise Wrong(f"not XML: {why}") from why
    return found, links, blocks


def tidy(text):
    run = subprocess.run(["tidy", "-e", "-q", "-utf8"], input=text, capture_output=True, text=True, check=False)
    kinds = (re.sub(r"^line \d+ column \d+ - ", "", line) for line in run.stderr.splitlines())
    return collections.Counter(line for line in kinds if line.startswith("Error"))


def judge_html(source, result):
    a, b, xml = read(source), read(result), source.endswith(".xhtml")
    (found, links, blocks), (found_b, links_b, blocks_b) = elements(a, xml), elements(b, xml)
    n = same_set(found, found_b, "elements")
    n_links = same_set(links, links_b, "links")
    same(blocks, blocks_b, "blocks")
    if tidy(b) - tidy(a):
        raise Wrong(f"tidy says {list(tidy(b) - tidy(a))[:3]} of the translation alone")
    return f"{n} elements, {n_links} links"


STRESS = re.compile("(em|strong|s)_(open|close)$")  # left out where Markdown cannot say it


def judge_md(source, result):
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin
    parser = MarkdownIt("commonmark").enable("table").enable("strikethrough").use(footnote_plugin).use(front_matter_plugin)
    blocks, inlines, stress = [], [], []
    for path in source, result:
        tokens = parser.parse(read(path))
        kept = {"fence", "code_block"}
        blocks.append([(t.type, t.tag, t.level, t.info, t.content if t.type in kept else "") for t in tokens])
        children = [[c for c in t.children if c.type not in ("text", "softbreak", "html_inline")]
                    for t in tokens if t.type == "inline"]
        kept = lambda c: (c.type, c.attrGet("href"), c.attrGet("src"), c.content if c.type == "code_inline" else "")
        inlines.append([collections.Counter(kept(c) for c in x if not STRESS.match(c.type)) for x in children])
        stress.append([collections.Counter(c.type for c in x if STRESS.match(c.type)) for x in children])
    n = same(*blocks, "blocks")
    same(*inlines, "inline")
    for a, b in zip(*stress):
        if b - a:
            raise Wrong(f"new emphasis: {b - a}")
    n_lost, n_stress = (sum(sum(x.values()) for x in some) // 2
                        for some in ([a - b for a, b in zip(*stress)], stress[0]))
    return f"{n} tokens, {sum(sum(x.values()) for x in inlines[0])} inline, {n_stress - n_lost} of {n_stress} emphasized"


def paragraphs(text):
    """Of each paragraph, what stands before its first letter."""
    return [re.match(r"[^\w]*", p).group().replace("\n", "") for p in re.split(r"\n(?:[ \t]*\n)+", text)]


def judge_txt(source, result):
    a, b = paragraphs(read(source)), paragraphs(read(result))
    if len(a) != len(b):
        raise Wrong(f"{len(a)} paragraphs became {len(b)}")
    indents = [[re.match(r"[ \t>]*", p).group() for p in x] for x in (a, b)]
    same(*indents, "indentation of paragraphs")
    return f"{len(a)} paragraphs"


judge_rst = judge_txt


def cues(path):
    return subtitles.parse(read(path))


def judge_srt(source, result):
    (a, rest), (b, rest_b) = cues(source), cues(result)
    same([c[:4] for c in a], [c[:4] for c in b], "cues")
    same([(len(c[4]), subtitles.tags(c[4])) for c in a], [(len(c[4]), subtitles.tags(c[4])) for c in b], "texts of cues")
    same(rest, rest_b, "notes")
    return f"{len(a)} cues"


judge_vtt = judge_srt


def judge_po(source, result):
    import polib
    a, b = polib.pofile(source), polib.pofile(result)
    frame = lambda e: (e.msgid, e.msgid_plural, e.msgctxt, e.occurrences, e.comment, e.tcomment, e.obsolete, e.flags)
    n = same([frame(e) for e in a], [frame(e) for e in b], "entries")
    made = 0
    for old, new in zip(a, b):
        texts = [*([new.msgstr] if not new.msgid_plural else new.msgstr_plural.values())]
        if old.translated() and (old.msgstr, old.msgstr_plural) != (new.msgstr, new.msgstr_plural):
            raise Wrong(f"{old.msgid!r} had a translation, which changed")
        if not old.obsolete and re.search(r"\w", old.msgid) and not all(texts):
            raise Wrong(f"{old.msgid!r} has no translation")
        made += not old.translated()
    check = subprocess.run(["msgfmt", "-c", "-o", "/dev/null", result], capture_output=True, text=True, check=False)
    if check.returncode:
        raise Wrong(f"msgfmt: {check.stderr.strip()}")
    return f"{n} entries, {made} new"


def name(element):
    return element.tag.split("}")[-1]


def child(unit, what):
    return next((e for e in unit if name(e) == what), None)


def judge_xlf(source, result):
    subprocess.run(["xmllint", "--noout", result], check=True)
    a, b = tree.parse(source).getroot(), tree.parse(result).getroot()
    made = n = 0
    units = [[e for e in root.iter() if name(e) in ("trans-unit", "segment")] for root in (a, b)]
    same([u.attrib for u in units[0]], [u.attrib for u in units[1]], "units")
    for old, new in zip(*units):
        n += 1
        was, now = child(old, "target"), child(new, "target")
        if now is None:
            continue
        state = old.get("state") or (was.get("state") if was is not None else None)
        if was is None or state in ("new", "initial", "needs-translation") or not "".join(was.itertext()).strip():
            made += 1
            tags = [sorted((name(e), sorted(e.attrib.items())) for e in x.iter() if e is not x)
                    for x in (child(new, "source"), now)]
            same(*tags, "tags")
            new.remove(now)
            if was is not None:
                old.remove(was)
    same([(e.tag, e.attrib, (e.text or "").strip()) for e in a.iter()],
         [(e.tag, e.attrib, (e.text or "").strip()) for e in b.iter()], "elements")
    return f"{n} units, {made} new"


def shape(value):
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        return [(k, shape(v)) for k, v in value]
    if isinstance(value, list):
        return [shape(v) for v in value]
    return bool(re.search(r"\w", value)) if isinstance(value, str) else value


def flat(value, path=""):
    if isinstance(value, list):
        for i, v in enumerate(value):
            yield from flat(v[1] if isinstance(v, tuple) else v, f"{path}/{v[0] if isinstance(v, tuple) else i}")
    else:
        yield path, shape(value)


def judge_json(source, result):
    a, b = (json.loads(read(path), object_pairs_hook=list) for path in (source, result))
    n = same(list(flat(a)), list(flat(b)), "values")
    if shape(a) != shape(b):
        raise Wrong("another structure")
    return f"{n} values"


def judge_table(source, result, delimiter):
    a, b = ([[bool(cell.strip()) for cell in row] for row in csv.reader(read(p).splitlines(True), delimiter=delimiter,
             quoting=csv.QUOTE_MINIMAL if delimiter == "," else csv.QUOTE_NONE)] for p in (source, result))
    n = same(a, b, "rows")
    return f"{n} rows, {sum(map(len, a))} cells"


def judge_csv(source, result):
    return judge_table(source, result, ",")


def judge_tsv(source, result):
    return judge_table(source, result, "\t")


def office_links(archive):
    """Of all documents in it, which are XML."""
    for entry in archive.namelist():
        if entry.endswith((".xml", ".rels")) and archive.getinfo(entry).file_size:
            for e in tree.fromstring(archive.read(entry)).iter():
                yield from (v for k, v in e.attrib.items() if k.endswith("}href") or k == "Target")


def judge_office(source, result):
    a, b = zipfile.ZipFile(source), zipfile.ZipFile(result)
    if b.testzip():
        raise Wrong("the archive is broken")
    same(a.namelist(), b.namelist(), "entries")
    n_links = same_set(office_links(a), office_links(b), "links")
    n = 0
    try:
        texts = [[bool(p.strip()) for p in read(path + ".text").split("\n")] for path in (source, result)]
        n = same(*texts, "paragraphs as LibreOffice finds them")
    except FileNotFoundError:
        return f"{n_links} links"
    return f"{n} paragraphs, {n_links} links"


judge_docx = judge_odt = judge_office


def missing_parsers():
    return [m for m in ("html5lib", "markdown_it", "mdit_py_plugins", "polib") if not importlib.util.find_spec(m)] + [
        p for p in ("tidy", "msgfmt", "xmllint") if not shutil.which(p)]


def main():
    if sys.argv[1:] == ["--parsers"]:
        missing = missing_parsers()
        sys.exit("skipped: not installed: " + " ".join(missing) if missing else 0)
    paths = sys.argv[1:]
    if not paths or len(paths) % 2:
        sys.exit(__doc__)
    failed = 0
    for source, result in zip(paths[::2], paths[1::2]):
        kind = source.rsplit(".", 1)[-1]
        kind = {"htm": "html", "xhtml": "html"}.get(kind, kind)
        try:
            if open(source, "rb").read() == open(result, "rb").read():
                raise Wrong("nothing was translated")
            verdict = globals()["judge_" + kind](source, result)
        except (Wrong, ValueError, AssertionError, subprocess.CalledProcessError) as wrong:
            verdict, failed = f"FAILED: {wrong}", failed + 1
        print(f"{source.rsplit('/', 1)[-1]:28} {verdict}", flush=True)
    sys.exit(failed > 0)


main()
