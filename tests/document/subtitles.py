#!/usr/bin/env python3
"""Structure of subtitles, judged by a parser of its own: cues, times, settings and tags of a document
are those of its "translation". The source: documents given, and 2,000 cues made at random.

    subtitles.py DOCUMENT_COPY FILE..."""
import random
import re
import subprocess
import sys

TIME = re.compile(r"^\s*((?:\d+:)?\d+:\d+[.,]\d+)\s*-->\s*((?:\d+:)?\d+:\d+[.,]\d+)(.*)$")


def milliseconds(time):
    *parts, fraction = re.split("[:.,]", time)
    total = 0
    for part in parts:
        total = total * 60 + int(part)
    return total * 1000 + int(fraction)


def parse(document):
    """Cues as (name, begin, end, settings, lines of text), and all other lines."""
    cues, rest = [], []
    for block in re.split(r"\r?\n(?:[ \t]*\r?\n)+", document.removeprefix("\ufeff").strip("\r\n")):
        lines = block.splitlines()
        at = next((i for i, line in enumerate(lines[:2]) if TIME.match(line)), None)
        if at is None:
            rest.append(block)
            continue
        begin, end, settings = TIME.match(lines[at]).groups()
        text = lines[at + 1:]
        assert not any("-->" in line for line in text), text
        cues.append((lines[:at], milliseconds(begin), milliseconds(end), settings, text))
    return cues, rest


def tags(lines):
    return sorted(re.findall(r"<[^>]*>|\{\\[^}]*\}", " ".join(lines)))


def copy(program, kind, how, data):
    run = [program, kind, how]
    return subprocess.run(run, input=data, capture_output=True, check=True).stdout


def check(program, kind, data):
    assert copy(program, kind, "as-it-is", data) == data, "other bytes"
    assert copy(program, kind, "as-itself", data) == data, "other bytes when written with itself"
    source, source_rest = parse(data.decode())
    target, target_rest = parse(copy(program, kind, "in-capitals", data).decode())
    assert source and len(source) == len(target), (len(source), len(target))
    assert kind == "srt" or source_rest == target_rest
    changed = 0
    for a, b in zip(source, target):
        assert a[:4] == b[:4], (a, b)
        assert len(a[4]) == len(b[4]) and tags(a[4]) == tags(b[4]), (a, b)
        words = [re.sub(r"<[^>]*>|&\w+;|\{[^}]*\}", "", " ".join(x[4])).encode() for x in (a, b)]
        assert words[0].upper() == words[1], words  # of bytes: ASCII capitals
        changed += a[4] != b[4]
    assert changed * 2 > len(source), "too little was translated"
    return len(source)


def make(kind, seed, line_end):
    """A document of 2,000 cues with tags, speakers, sounds and sentences over several cues."""
    rng = random.Random(seed)
    words = "the sea boat we went home and never again you know why Anna".split()
    out, time = (["WEBVTT", ""] if kind == "vtt" else []), 0

    def stamp(t):
        point = "," if kind == "srt" else "."
        return f"{t // 3600000:02}:{t // 60000 % 60:02}:{t // 1000 % 60:02}{point}{t % 1000:03}"

    for number in range(1, 2001):
        text = [" ".join(rng.choices(words, k=rng.randint(1, 7))) + rng.choice(["", "", ".", ",", "..."])
                for _ in range(rng.randint(1, 3))]
        form = rng.randrange(8)
        if form == 0:
            text = ["- " + line for line in text]
        elif form == 1:
            text = ["<i>" + text[0]] + text[1:]
            text[-1] += "</i>"
        elif form == 2:
            text[0] = "go <b>" + text[0] + "</b> now"
        elif form == 3:
            text = ["[door slams]"] + text
        begin = time + rng.choice([50, 400, 3000])
        time = begin + rng.randint(500, 4000)
        out += [str(number), f"{stamp(begin)} --> {stamp(time)}", *text, ""]
    return line_end.join(out).encode()


def main():
    program, *files = sys.argv[1:]
    for path in files:
        with open(path, "rb") as file:
            print(path, check(program, path.rsplit(".", 1)[-1], file.read()), "cues")
    for kind in "srt", "vtt":
        for seed, line_end in (1, "\n"), (2, "\r\n"):
            print(kind, check(program, kind, make(kind, seed, line_end)), "cues")


if __name__ == "__main__":
    main()
