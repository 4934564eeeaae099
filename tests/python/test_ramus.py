#!/usr/bin/env python3
"""The Python package against libramus: struct layouts as the C compiler has them, calls, callbacks, threads.

test_ramus.py needs RAMUS_LIBRARY, RAMUS_MODELS (those that ship), RAMUS (the program), SOURCE; CC: the compiler.
"""
import ctypes
import os
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

SOURCE = os.environ["SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "bindings", "python"))
sys.dont_write_bytecode = True

import ramus  # noqa: E402
from ramus import _library  # noqa: E402

TEXT = "Where is the station? I am looking for the next train. My friend is waiting there."


def program(*arguments, text=None):
    run = subprocess.run([os.environ["RAMUS"], "translate", "-q", "--to", "de", *arguments], input=text, text=True,
                         capture_output=True, check=True)
    return run.stdout


class Layout(unittest.TestCase):
    STRUCTS = {"ramus_error": _library.Error, "ramus_session_options": _library.SessionOptions,
               "ramus_text": _library.Text, "ramus_range": _library.Range, "ramus_token": _library.Token,
               "ramus_sentence_pair": _library.SentencePair, "ramus_translate_options": _library.TranslateOptions,
               "ramus_translation": _library.Translation}

    def test_structs_are_those_of_the_header(self):
        lines = []
        for name, struct in self.STRUCTS.items():
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            for field, _ in struct._fields_:
                lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), '
                             f'sizeof((({name} *)0)->{field}));')
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/a.c", "w") as file:
                file.write("#include <ramus/ramus.h>\n#include <stdio.h>\nint main(void)\n{\n" + "\n".join(lines) + "\n}\n")
            subprocess.run([*os.environ.get("CC", "cc").split(), f"-I{SOURCE}/include", "-o", f"{folder}/a", f"{folder}/a.c"],
                           check=True)
            want = subprocess.run([f"{folder}/a"], capture_output=True, text=True, check=True).stdout
        got = []
        for name, struct in self.STRUCTS.items():
            got.append(f"{name} {ctypes.sizeof(struct)}")
            got += [f"{name}.{field} {getattr(struct, field).offset} {getattr(struct, field).size}"
                    for field, _ in struct._fields_]
        self.assertEqual(want.splitlines(), got)

    def test_the_header_has_no_further_function_of_the_kind(self):
        with open(f"{SOURCE}/include/ramus/ramus.h", encoding="utf-8") as file:
            header = file.read()
        for name in _library.FUNCTIONS:
            self.assertIn(f"ramus_{name}(", header)

    def test_version(self):
        with open(f"{SOURCE}/include/ramus/ramus.h", encoding="utf-8") as file:
            self.assertIn(f'#define RAMUS_VERSION "{ramus.version()}"', file.read())


class Translate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.translator = ramus.Translator("en-de")

    @classmethod
    def tearDownClass(cls):
        cls.translator.close()

    def test_as_the_program(self):
        lines = ["Where is the station?", "", "I have 3 cats. See https://example.org/x?a=1.", "Grüße 😀!"]
        want = program(text="\n".join(lines) + "\n").splitlines()
        self.assertEqual(self.translator.translate(lines), want)
        self.assertEqual([self.translator.translate(line) for line in lines], want)
        self.assertEqual(self.translator.translate([]), [])
        self.assertEqual(self.translator.translate(lines, beam=1),
                         program("--beam", "1", text="\n".join(lines) + "\n").splitlines())

    def test_any_str(self):
        for text in "", "\0", "a\0b", "\ud800", "日本語", "x" * 500:
            self.assertIsInstance(self.translator.translate(text, beam=1), str)

    def test_detailed(self):
        text = "Grüße 😀! The cat is here."
        found = self.translator.translate_detailed(text)
        self.assertEqual(found.text, self.translator.translate(text))
        self.assertEqual(found.alternatives, ())
        several = self.translator.translate_detailed(text, n_best=3)
        self.assertEqual(several.sentences, found.sentences)
        best = several.alternatives
        self.assertEqual((best[0].text, best[0].score), (found.text, found.score))
        self.assertGreaterEqual(len(best), 2)
        self.assertEqual([a.score for a in best], sorted((a.score for a in best), reverse=True))
        for sentence in found.sentences:
            self.assertEqual(text[slice(*sentence.source)], sentence.source_text)
            self.assertEqual(found.text[slice(*sentence.target)], sentence.target_text)
        self.assertEqual(found.sentences[-1].source_text, "The cat is here.")
        words = {text[t.start:t.end] for t in found.source}
        self.assertIn("cat", words)
        self.assertTrue(all(len(t.gates) > 0 for t in found.source))
        token = next(t for t in found.target if found.text[t.start:t.end] == "Katze")
        self.assertEqual(text[found.source[token.source].start:found.source[token.source].end], "cat")
        self.assertLess(token.log_prob, 0)
        self.assertEqual(self.translator.translate_detailed("One \ud800.").notes[:1], ("invalid",))

    def test_streaming(self):
        text = f"{TEXT} {TEXT}\nAnd a new line."
        chunks = list(self.translator.translate_streaming(text))
        self.assertEqual("".join(chunks), self.translator.translate(text))
        self.assertEqual(len(chunks), 7)
        unspaced = "One day.Two days. Three days."
        self.assertEqual("".join(self.translator.translate_streaming(unspaced)), self.translator.translate(unspaced))
        html = "<p>The <b>cat</b> is here.</p>"
        self.assertEqual("".join(self.translator.translate_streaming(html, format="html")),
                         self.translator.translate(html, format="html"))
        with self.assertRaises(ramus.BadArgument):
            list(self.translator.translate_streaming("x", format="klingon"))

    def test_a_stream_may_be_left(self):
        for chunk in self.translator.translate_streaming((TEXT + " ") * 50):
            self.assertTrue(chunk)
            break
        self.assertTrue(self.translator.translate("Hello."))

    def test_documents_glossary_keep(self):
        html = '<p class="a">The <b>cat</b> is here.</p>'
        found = self.translator.translate(html, format="html")
        self.assertRegex(found, r'^<p class="a">.*<b>.*</b>.*</p>$')
        self.assertIn("Wärmepumpe-9", self.translator.translate("The heat pump is new.", glossary="heat pump\tWärmepumpe-9\n"))
        self.assertIn("AB-12", self.translator.translate("See AB-12 now.", keep=["[A-Z]{2}-[0-9]+"]))
        self.assertIn("html", ramus.formats())
        with self.assertRaises(ramus.BadFormat):
            self.translator.translate("x", glossary="a\tb\tc\td\te\n")
        with self.assertRaises(ramus.RamusError):
            self.translator.translate("x", keep=["("])

    def test_cancel(self):
        event = threading.Event()
        event.set()
        with self.assertRaises(ramus.Stopped):
            self.translator.translate(TEXT, cancel=event)
        asked = []
        with self.assertRaises(ramus.Stopped):
            self.translator.translate(TEXT, cancel=lambda: asked.append(1) or len(asked) > 5)
        self.assertEqual(len(asked), 6)
        self.assertTrue(self.translator.translate("Hello."))

    def test_an_exception_in_a_callback_ends_the_call(self):
        def fail():
            raise KeyError("mine")
        with self.assertRaisesRegex(KeyError, "mine"):
            self.translator.translate(TEXT, cancel=fail)
        def progress(_done, _all):
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            self.translator.translate([TEXT] * 10, progress=progress)

    def test_progress(self):
        told = []
        self.translator.translate([TEXT] * 10, beam=1, progress=lambda done, every: told.append((done, every)))
        self.assertEqual(told[-1], (30, 30))

    def test_threads_take_turns(self):
        want, got = self.translator.translate(TEXT), []
        threads = [threading.Thread(target=lambda: got.append(self.translator.translate(TEXT))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(got, [want] * 4)
        with ramus.Translator("en-de", threads=2, batch=4) as two:
            self.assertEqual(two.translate([TEXT] * 10, cancel=lambda: False), [want] * 10)

    def test_wrong_options(self):
        with self.assertRaisesRegex(ramus.BadArgument, "n_best"):
            self.translator.translate_detailed("x", n_best=99)
        with self.assertRaises(TypeError):
            self.translator.translate("x", beem=1)
        with self.assertRaises(TypeError):
            self.translator.translate(7)


class Models(unittest.TestCase):
    def test_list(self):
        found = {(m.source_language, m.target_language): m for m in ramus.models()}
        self.assertEqual(set(found), {("en", "de"), ("de", "en")})
        model = found["en", "de"]
        self.assertEqual(model.bytes, os.path.getsize(model.file))

    def test_ways_to_name_one(self):
        path = next(m.file for m in ramus.models() if m.source_language == "de")
        for translator in (ramus.Translator("de-en"), ramus.Translator(path), ramus.Translator("German-EN"),
                           ramus.Translator(source_language="de_AT", target_language="English")):
            with translator:
                self.assertEqual((translator.source_language, translator.target_language), ("de", "en"))
                self.assertEqual(translator.model.file, path)
        for name in "en-fr", "en", "", "x-y-z":
            with self.assertRaisesRegex(ramus.NotFound, "de-en, en-de"):
                ramus.Translator(name)
        with self.assertRaises(ramus.RamusError):
            ramus.Translator("nowhere.gguf")
        with self.assertRaises(ramus.BadFormat):
            ramus.Translator(__file__)
        with self.assertRaises(TypeError):
            ramus.Translator()

    def test_closed(self):
        translator = ramus.Translator("en-de")
        translator.close()
        translator.close()
        for call in (lambda: translator.translate("x"), lambda: translator.model,
                     lambda: translator.translate_detailed("x")):
            with self.assertRaisesRegex(ValueError, "closed"):
                call()


class TextAlone(unittest.TestCase):
    def test_detect(self):
        found = ramus.detect("Wo ist bitte der Bahnhof? Ich suche den nächsten Zug.")
        self.assertEqual([d.detected_language for d in found], ["de", "und"])
        self.assertGreater(found[0].confidence, 0.97)
        self.assertAlmostEqual(sum(d.confidence for d in found), 1)
        self.assertEqual(ramus.detect("")[0].detected_language, "und")

    def test_sentences(self):
        text = "Grüße 😀! Am 3. Mai ist frei. Ende"
        self.assertEqual([text[a:b] for a, b in ramus.split_sentences(text, "de")],
                         ["Grüße 😀!", "Am 3. Mai ist frei.", "Ende"])
        self.assertEqual(ramus.split_sentences(""), [])


class Wheel(unittest.TestCase):
    def test_wheel_works_where_it_is_unpacked(self):
        tool = os.path.join(SOURCE, "bindings", "python", "build_wheel.py")
        library, models = os.environ["RAMUS_LIBRARY"], os.environ["RAMUS_MODELS"]
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([sys.executable, tool, folder, "--library", library, "--models", models], check=True,
                                  capture_output=True, text=True).stdout.strip()
            plain = subprocess.run([sys.executable, tool, folder], check=True, capture_output=True, text=True).stdout.strip()
            self.assertTrue(plain.endswith("-py3-none-any.whl"), plain)
            with zipfile.ZipFile(made) as wheel:
                self.assertIsNone(wheel.testzip())
                wheel.extractall(f"{folder}/site")
            env = {k: v for k, v in os.environ.items() if not k.startswith("RAMUS")}
            run = subprocess.run([sys.executable, "-c", "import ramus; print(ramus.Translator('en-de').translate('Hello.'), ramus._library.library().path)"],
                                 env={**env, "PYTHONPATH": f"{folder}/site"}, capture_output=True, text=True, cwd=folder)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(f"{folder}/site/ramus/libramus.so.0", run.stdout)


if __name__ == "__main__":
    unittest.main()
