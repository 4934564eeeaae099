#!/usr/bin/env python3
"""Runs the examples of guides:  guides.py RAMUS SOURCE BUILD PAGE... [--update] [--short]

Each command of a block `console` must succeed, in a folder with the files that the pages name; what the
page shows below it is what it prints. "..." at the end of a line stands for the rest of it. Each block `c` compiles;
whole programs are run. A block `cmake` is CMakeLists.txt. Blocks `python` are run one after the other, as one
program. The models are those that ship. With --update the pages show what is printed, for instance after a new
model; what a line had behind "..." stays away.

With --short the corpora and the training are small: models of width 32, 30 updates. What a page shows is then found
among what is printed, numbers aside, and commands with "..." among their words are left out."""
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

update, short = "--update" in sys.argv, "--short" in sys.argv
ramus, source, build, *pages = [a for a in sys.argv[1:] if a not in ("--update", "--short")]
TEXT = "Dear Tom,\n\nThe heat pump of the Old Bridge Inn is new. See the invoice AB-12.\n\nBest regards,\nMary\n"
# Some commands of the pages would not end, or install what others use.
PRELUDE = f"""
PATH={os.path.dirname(ramus)}:$PATH
HOME=$PWD
tail() {{ cat "$2"; }}
make() {{ cmake --install {build} --prefix "${{2#PREFIX=}}"; }}
ramus() {{ # the corpora here are small; what pages show is of a vocabulary of 8,000 pieces
    [ "$1" = vocab ] || {{ command ramus "$@"; return; }}
    command ramus "$@" --size 400 && cp {source}/tests/golden/text/unigram-8k.model joint.model
}}
"""
SHORT = f"""
sudo() {{ "$@"; }}
make() {{ # into this folder
    case "$*" in
    *PREFIX=*) cmake --install {build} --prefix "${{2#PREFIX=}}" ;;
    install) cmake --install {build} --prefix "$HOME/local" && PATH=$HOME/local/bin:$PATH ;;
    esac
}}
ramus() {{
    case " $* " in
    ' train'*' --init '*) command ramus "$@" --updates 2 --batch-tokens 300 ;;
    ' train'*) command ramus "$@" --updates 30 --valid-every 15 --vocab-size 400 --width 32 --filter 64 --heads 2 \\
        --encoder-layers 1 --decoder-layers 1 ;;
    *) command ramus "$@" ;;
    esac
}}
"""
# Servers have tests of their own; the others need hours of training before, or what they produce.
LEFT_OUT = ("ramus serve", "curl ", "ramus train ...", "--decay-updates", "--quantize", "ramus average small", "mkdir longer")
C_PRELUDE = """
#include <ramus/ramus.h>
#include <stdbool.h>
#include <stdio.h>
bool user_gave_up(void *arg);
void show(void *arg, int done, int all);
void f(ramus_session *session, const char *text, size_t size);
"""
failures = 0


def fail(page, command, what):
    global failures
    failures += 1
    print(f"{page}: {command}\n{what}")


def blocks(text, kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.S | re.M)


def put(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


def make_files():
    """All that the pages name."""
    golden = f"{source}/tests/golden"
    with open(f"{golden}/text/sample.en-de.txt", encoding="utf-8") as file:
        lines = file.read().splitlines()
    english, german = lines[:480:2], lines[1:480:2]
    put("corpus.tsv", "".join(f"{a}\t{b}\n" for a, b in zip(english[:200], german)))
    put("corpus.txt", "\n".join(english[:20]) + "\n")
    subprocess.run(["xz", "-k", "corpus.tsv", "corpus.txt"], check=True)
    for name in "letter.en", "tickets.en", "test.en", "log.en":
        put(name, TEXT)
    for name, file in (("page.html", "documents/page.html"), ("README.md", "documents/guide.md"),
                       ("film.en.srt", "documents/film.srt"), ("brief.docx", "office/letter.docx")):
        shutil.copy(f"{golden}/{file}", name)
    shutil.copy(f"{source}/models/en-de.gguf", "en-de.gguf")
    shutil.copy(f"{source}/examples/translate.c", "translate.c")
    os.symlink(f"{source}/bindings/python/build_wheel.py", "build_wheel.py")
    for part in "recipes", "models", "examples":
        os.symlink(f"{source}/{part}", part)
    os.symlink(os.path.dirname(ramus), "build")
    put("letter.txt", TEXT)
    for name, lines in (("train", slice(0, 200)), ("dev", slice(200, 240)), ("small", slice(0, 20))):
        put(f"{name}.en", "\n".join(english[lines]) + "\n")
        put(f"{name}.de", "\n".join(german[lines]) + "\n")
    put("mine.tsv", "".join(f"{a}\t{b}\n" for a, b in zip(english[:20], german)))
    with tarfile.open(f"{source}/recipes/paper/results/dense-1.tar.xz") as run:  # stands for the reference, which is no file of ours
        for year in "2016", "2017":
            put(f"test{year}.de", run.extractfile(f"dense-1/test{year}.4").read().decode())
    for name in "test.de", "dense.out", "dmb.out":
        put(name, "\n".join(german[:20]) + "\n")


def shorten(line, shown):
    """The line as a page shows it: cut where the line that it takes the place of was."""
    return line[:len(shown) - 3] + "..." if shown.endswith("...") else line


def put_printed(page, before, after):
    """Puts lines in the place of those that the page shows."""
    path = f"{source}/{page}"
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text.count(before) != 1:
        sys.exit(f"{page}: stands {text.count(before)} times, update it by hand:\n{before}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(before, after))
    print(f"{page}: updated")


def sessions(text):
    """Pairs of a command and the lines shown below it."""
    found = []
    for block in blocks(text, "console"):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def matches(shown, printed):
    return len(shown) == len(printed) and all(
        b.startswith(a[:-3]) if a.endswith("...") else a == b for a, b in zip(shown, printed))


def without_numbers(line):
    return re.sub(r"[0-9]([0-9.,]*[0-9])?", "N", line)


def run_python(page, text):
    """What the blocks print is what their comments `# prints: ...` say."""
    found = blocks(text, "python")
    if not found:
        return 0
    program = "\n".join(found)
    env = {**os.environ, "PYTHONPATH": f"{source}/bindings/python", "PYTHONDONTWRITEBYTECODE": "1",
           "RAMUS_LIBRARY": f"{build}/lib/libramus.so.0", "RAMUS_MODELS": f"{source}/models"}
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=env)
    want = re.findall(r"# prints: (.*)", program)
    printed = run.stdout.splitlines()
    if update and run.returncode == 0 and len(want) == len(printed):
        for shown, line in zip(want, printed):
            if not matches([shown], [line]):
                put_printed(page, f"# prints: {shown}\n", f"# prints: {line}\n")
    elif run.returncode or not matches(want, printed):
        fail(page, "python", f"the page says: {want}\nit prints:\n{run.stdout}{run.stderr}")
    return len(found)


def run_sessions(page, text):
    for block in blocks(text, "cmake"):
        put("CMakeLists.txt", block)
    commands = sessions(text)
    if short:
        commands = [(c, shown) for c, shown in commands if not any(part in c for part in LEFT_OUT)]
    script = PRELUDE + (SHORT if short else "") + "".join(f"{{ {c}\n}} >out.{i} 2>err.{i} </dev/null\necho $? >code.{i}\n"
                               for i, (c, _) in enumerate(commands))
    subprocess.run(["sh", "-c", script], check=False, timeout=600)
    for i, (command, shown) in enumerate(commands):
        out, err, code = (open(f"{name}.{i}", encoding="utf-8").read() for name in ("out", "err", "code"))
        if code != "0\n":
            fail(page, command, f"exit {code}{err}")
        elif short:
            printed = {without_numbers(line) for line in (out + err).splitlines()}
            for line in shown:
                if line != "..." and without_numbers(line) not in printed:
                    fail(page, command, f"the page shows:\n{line}\nit prints:\n{out}{err}")
        elif shown and not matches(shown, out.splitlines()) and update:
            lines = [shorten(a, b) for a, b in zip(out.splitlines(), shown + [""] * out.count("\n"))]
            put_printed(page, "\n".join([f"$ {command}", *shown]) + "\n", "\n".join([f"$ {command}", *lines]) + "\n")
        elif shown and not matches(shown, out.splitlines()):
            fail(page, command, "the page shows:\n" + "\n".join(shown) + "\nit prints:\n" + out)
    return len(commands)


def compile_blocks(page, text):
    cc = [*os.environ.get("CC", "cc").split(), "-std=c11", "-Wall", "-Wno-unused", "-Werror", f"-I{source}/include"]
    found = blocks(text, "c")
    for block in found:
        whole = "int main(" in block
        if whole:
            put("block.c", block)
        elif block.startswith("static "):
            put("block.c", "#include <ramus/ramus.h>\n#include <stdio.h>\n" + block)
        else:
            put("block.c", C_PRELUDE + "void f(ramus_session *session, const char *text, size_t size)\n{\n"
                "ramus_error err;\nint window;\n" + block + "}\n")
        link = ["-o", "block", f"{build}/lib/libramus.a", "-lm", "-pthread"] if whole else ["-fsyntax-only"]
        run = subprocess.run([*cc, "block.c", *link], capture_output=True, text=True, check=False)
        if not run.returncode and whole:
            run = subprocess.run(["./block"], capture_output=True, text=True, check=False)
        if run.returncode or (whole and run.stderr):
            fail(page, block.splitlines()[0] + " ...", run.stderr)
    return len(found)


def main():
    n = 0
    for page in pages:
        with open(f"{source}/{page}", encoding="utf-8") as file:
            text = file.read()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            make_files()
            n_commands, n_blocks = run_sessions(page, text), compile_blocks(page, text) + run_python(page, text)
            print(f"{page}: {n_commands} commands, {n_blocks} blocks of code")
            n += n_commands + n_blocks
            if n_commands + n_blocks == 0:
                fail(page, "no example", "")
            os.chdir("/")
    sys.exit(failures > 0 or n == 0)


main()
