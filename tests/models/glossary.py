#!/usr/bin/env python3
"""Terms of a glossary stand in the translations of models that ship:  glossary.py RAMUS FROM TO

200 sentences (glossary.FROM.txt) with words that have a translation which the model would rarely choose. Each term that a plain
search finds in a sentence must stand in its translation, as often. Prints how many do, with the glossary and without it."""
import os
import re
import subprocess
import sys

ramus, source, target = sys.argv[1:]
folder = os.path.dirname(os.path.abspath(__file__))
file = f"{folder}/glossary.{source}-{target}.tsv"
text = f"{folder}/glossary.{source}.txt"
with open(file, encoding="utf-8") as f:
    rows = [line.rstrip("\n").split("\t") for line in f if line.strip() and not line.startswith("#")]
terms = {row[0].lower(): row for row in rows}
anywhere = re.compile(r"(?<!\w)(" + "|".join(sorted(map(re.escape, terms), key=len, reverse=True)) + r")(?!\w)", re.I)


def translate(*options):
    run = subprocess.run([ramus, "translate", "-q", "--from", source, "--to", target, "-i", text, *options],
                         capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def count(lines, translations):
    """Terms in the lines, and those of them that the translations have."""
    n = found = 0
    for line, translation in zip(lines, translations, strict=True):
        words = [(m, terms[m.lower()]) for m in anywhere.findall(line)]
        wanted = [(row[1] or row[0]).lower() for m, row in words if row[2:] != ["exact"] or row[0] == m]
        for term in set(wanted):
            n += wanted.count(term)
            found += min(wanted.count(term), translation.lower().count(term))
    return n, found


with open(text, encoding="utf-8") as f:
    sentences = f.read().splitlines()
free, forced = translate(), translate("--glossary", file)
n, without = count(sentences, free)
n, found = count(sentences, forced)
print(f"{len(sentences)} sentences, {n} terms: {found} in the translations, {without} without the glossary")
sys.exit(not (len(sentences) >= 200 and n >= 200 and found == n and without < n // 2))
