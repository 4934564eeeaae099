"""The shared library: where it is, and its functions and structs as include/ramus/ramus.h has them."""
import ctypes
import ctypes.util
import os
import sys
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_size_t, c_uint,
                    c_void_p)
from itertools import accumulate
from pathlib import Path
from typing import Iterator, List, Optional

SONAME = {"darwin": "libramus.0.dylib", "win32": "ramus.dll"}.get(sys.platform, "libramus.so.0")


class RamusError(Exception):
    """A call of the library failed: its message says which thing, what was found and what was expected."""


class Stopped(RamusError):
    """The call was cancelled."""


class BadArgument(RamusError, ValueError):
    """A value that the caller chose cannot be used."""


class BadFormat(RamusError, ValueError):
    """A file is not what it should be."""


class NotFound(RamusError, LookupError):
    """What was asked for is not there."""


ERRORS = {1: BadArgument, 2: BadFormat, 5: Stopped, 7: NotFound}


class Error(Structure):
    _fields_ = [("status", c_int), ("message", c_char * 512)]


class SessionOptions(Structure):
    _fields_ = [("size", c_size_t), ("beam", c_int), ("tokens", c_int), ("batch", c_int), ("threads", c_int),
                ("details", c_bool)]


class Text(Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t)]


class Range(Structure):
    _fields_ = [("start", c_size_t), ("size", c_size_t)]


class SentencePair(Structure):
    _fields_ = [("text", c_int), ("source", Text), ("target", Text), ("log_prob", c_double), ("notes", c_uint)]


CANCEL = CFUNCTYPE(c_bool, c_void_p)
PROGRESS = CFUNCTYPE(None, c_void_p, c_int, c_int)
SENTENCE = CFUNCTYPE(None, c_void_p, POINTER(SentencePair))


class TranslateOptions(Structure):
    _fields_ = [("size", c_size_t), ("beam", c_int), ("n_best", c_int), ("scores", c_bool),
                ("length_penalty", c_double), ("max_length_ratio", c_double), ("no_repeat", c_int), ("loops", c_int),
                ("document", c_bool), ("prefix", c_char_p), ("cancel", CANCEL), ("progress", PROGRESS),
                ("arg", c_void_p), ("whole_lines", c_bool), ("unprotected", c_bool), ("format", c_char_p),
                ("wrapped", c_int), ("columns", c_char_p), ("terms", c_void_p), ("sentence", SENTENCE),
                ("search", c_int), ("to", c_char_p)]


class Token(Structure):
    _fields_ = [("piece", c_char_p), ("id", c_int), ("log_prob", c_float), ("source", c_int),
                ("gates", POINTER(c_int)), ("n_gates", c_int)]


class Translation(Structure):
    _fields_ = [("text", c_void_p), ("size", c_size_t), ("score", c_double), ("log_prob", c_double),
                ("sentences", c_int), ("notes", c_uint), ("n_source", c_int), ("n_target", c_int),
                ("source", POINTER(Token)), ("target", POINTER(Token))]


ERR = POINTER(Error)
OUT = POINTER(c_void_p)
FUNCTIONS = {  # name: what it returns, what it takes
    "version": (c_char_p, []),
    "model_open": (c_int, [OUT, c_char_p, ERR]),
    "model_close": (None, [c_void_p]),
    "model_verify": (c_int, [c_void_p, ERR]),
    "model_info": (c_char_p, [c_void_p, c_char_p]),
    "terms_open_memory": (c_int, [OUT, c_char_p, c_size_t, ERR]),
    "terms_keep": (c_int, [c_void_p, c_char_p, ERR]),
    "terms_close": (None, [c_void_p]),
    "session_create": (c_int, [OUT, c_void_p, POINTER(SessionOptions), ERR]),
    "session_destroy": (None, [c_void_p]),
    "translate_all": (c_int, [c_void_p, POINTER(Text), c_int, POINTER(TranslateOptions), POINTER(Translation), ERR]),
    "format_name": (c_char_p, [c_int]),
    "session_sentences": (c_int, [c_void_p, c_int, POINTER(POINTER(SentencePair))]),
    "session_ranges": (POINTER(Range), [c_void_p, POINTER(Token)]),
    "detect_language": (c_char_p, [c_char_p, c_size_t, POINTER(c_double)]),
    "find_language": (c_char_p, [c_char_p]),
    "split_sentences": (c_size_t, [c_char_p, c_size_t, c_char_p, POINTER(Range), c_size_t]),
}


def _candidates() -> Iterator[str]:
    """RAMUS_LIBRARY; in this package; in the prefix that Python or this package is in; what the system finds."""
    told = os.environ.get("RAMUS_LIBRARY")
    if told:
        yield told
        return
    here = Path(__file__).resolve().parent
    yield str(here / SONAME)
    for prefix in (*here.parents, Path(sys.prefix)):
        for folder in ("lib", "lib64", *(str(p.relative_to(prefix)) for p in prefix.glob("lib/*-linux-gnu"))):
            yield str(prefix / folder / SONAME)
    for source in here.parents:
        if (source / "include" / "ramus" / "ramus.h").exists():
            yield str(source / "build" / "lib" / SONAME)
    found = ctypes.util.find_library("ramus")
    if found:
        yield found


class Library:
    """The functions without their prefix: library.version()."""

    def __init__(self) -> None:
        path = next((c for c in _candidates() if "/" not in c or os.path.exists(c)), None)
        if path is None:
            raise NotFound(f"no {SONAME} beside this package, in its prefix, or in the folders of the system: "
                           "expected it there, or RAMUS_LIBRARY=FILE")
        try:
            shared = ctypes.CDLL(path)
        except OSError as error:
            raise RamusError(f"{path}: {error}") from None
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(shared, f"ramus_{name}")
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        self.path = path

    def check(self, status: int, error: Error) -> None:
        if status:
            raise ERRORS.get(status, RamusError)(error.message.decode("utf-8", "replace"))


_library: Optional[Library] = None


def library() -> Library:
    """The library, loaded when it is first needed."""
    global _library
    if _library is None:
        _library = Library()
    return _library


def encode(text: str) -> bytes:
    """Any str, also with halves of surrogate pairs, as bytes."""
    return text.encode("utf-8", "surrogatepass")


def optional(text: Optional[str]) -> Optional[bytes]:
    return None if text is None else encode(text)


class Places:
    """Characters of a str by the bytes of its UTF-8."""

    def __init__(self, data: bytes) -> None:
        self._at: Optional[List[int]] = None
        if not data.isascii():
            begins = ((byte & 0xC0) != 0x80 for byte in data)  # a character, as against what continues it
            self._at = [0, *accumulate(begins)]

    def __call__(self, byte: int) -> int:
        """How many characters begin before that byte; it begins one, or is the end."""
        return byte if self._at is None else self._at[byte]
