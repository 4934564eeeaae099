#!/usr/bin/env python3
"""Memory does not grow with a document:  large.py RAMUS [FORMAT...]

Documents of 5 and of 50 MB, of which little is text, are translated; the greatest memory of the process, without the pages of the
document itself, which is mapped, may grow by 2 MB. Prints a table."""
import subprocess
import sys
import tempfile
import time

ramus, *formats = sys.argv[1:]
TEXT = "Yes, the boat is red."
PART = 40_000  # bytes for each text

# What comes before all, what is copied (%s: a number), a text, what is between parts and at the end.
FORMATS = {
    "text": ("", "%s 12.50 17.25 3.99 ---- 1234 5678 ----\n", TEXT + "\n", "", ""),
    "html": ("<html><body>", "<pre>%s x = y + 1; if (x) return;</pre>\n", f"<p>{TEXT}</p>\n", "", "</body></html>"),
    "markdown": ("", "```\n%s x = y + 1; if (x) return;\n```\n\n", TEXT + "\n\n", "", ""),
    "srt": ("", "%s\n00:00:01,000 --> 00:00:02,000\n...\n\n", f"1\n00:00:01,000 --> 00:00:02,000\n{TEXT}\n\n", "", ""),
    "vtt": ("WEBVTT\n\n", "%s\n00:01.000 --> 00:02.000\n...\n\n", f"00:01.000 --> 00:02.000\n{TEXT}\n\n", "", ""),
    "po": ('msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n', 'msgctxt "%s"\nmsgid "The sea"\nmsgstr "Das Meer"\n\n',
           f'msgid "{TEXT}"\nmsgstr ""\n\n', "", ""),
    "xliff": ('<xliff version="1.2"><file source-language="en" target-language="de"><body>\n',
              '<trans-unit id="%s"><source>The sea</source><target>Das Meer</target></trans-unit>\n',
              f"<trans-unit><source>{TEXT}</source></trans-unit>\n", "", "</body></file></xliff>\n"),
    "csv": ("", "%s,12.50,17.25,3.99,1234,5678\n", f"{TEXT[4:]},1,2,3,4,5\n", "", ""),
    "tsv": ("", "%s\t12.50\t17.25\t3.99\t1234\t5678\n", f"{TEXT}\t1\t2\t3\t4\t5\n", "", ""),
    "json": ("[", "%s, 12.50, 17.25, 3.99, true, null,\n", f'"{TEXT}",\n', "", "0]\n"),
}


def make(path, parts, size):
    begin, copied, text, between, end = parts
    with open(path, "w", encoding="utf-8") as file:
        file.write(begin)
        number = 0
        while file.tell() < size:
            part = []
            for _ in range(PART // len(copied)):
                number += 1
                part.append(copied % number)
            file.write("".join(part) + text + between)
        file.write(end)


def greatest_memory(name, path, out):
    """In KB, of what is the program's own: looked at every 5 ms."""
    run = subprocess.Popen([ramus, "translate", "-q", "--from", "en", "--to", "de", "--beam", "1", "--threads", "1",
                            "--format", name, "-i", path, "-o", out])
    most = 0
    while run.poll() is None:
        with open(f"/proc/{run.pid}/status", encoding="utf-8") as file:
            for line in file:
                if line.startswith("RssAnon:"):
                    most = max(most, int(line.split()[1]))
        time.sleep(0.005)
    if run.returncode:
        sys.exit(f"{name}: exit {run.returncode}")
    return most


def main():
    failed = False
    print("| format | 5 MB | 50 MB |\n|---|---|---|")
    for name in formats or FORMATS:
        most = []
        for megabytes in 5, 50:
            with tempfile.TemporaryDirectory() as folder:
                path, out = f"{folder}/in", f"{folder}/out"
                make(path, FORMATS[name], megabytes * 1_000_000)
                most.append(greatest_memory(name, path, out))
                with open(path, "rb") as a, open(out, "rb") as b:
                    if a.read() == b.read():
                        sys.exit(f"{name}: nothing was translated")
        failed = failed or most[1] > most[0] + 2048
        print(f"| {name} | {most[0] / 1024:.1f} MB | {most[1] / 1024:.1f} MB |", flush=True)
    sys.exit(failed)


main()
