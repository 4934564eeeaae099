"""Texts alone, without a model."""
import ctypes
from dataclasses import dataclass
from typing import List, Optional, Tuple

from ._library import Places, Range, encode, library, optional


@dataclass(frozen=True)
class Detected:
    detected_language: str  # "und": a different one, or it cannot be told
    confidence: float


def detect(text: str) -> List[Detected]:
    """The language of a text: the likeliest first; the last is "und". From 0.97 on a program may act on it."""
    data, certainty = encode(text), ctypes.c_double()
    language = library().detect_language(data, len(data), certainty)
    if language is None:
        return [Detected("und", 1.0)]
    return [Detected(language.decode(), certainty.value), Detected("und", 1.0 - certainty.value)]


def split_sentences(text: str, language: Optional[str] = None) -> List[Tuple[int, int]]:
    """Sentences of a text as (start, end); the language decides about abbreviations."""
    data, tag = encode(text), optional(language)
    n = library().split_sentences(data, len(data), tag, None, 0)
    ranges = (Range * n)()
    library().split_sentences(data, len(data), tag, ranges, n)
    place = Places(data)
    return [(place(r.start), place(r.start + r.size)) for r in ranges]


def formats() -> List[str]:
    """Names of the formats of documents that `format` may be."""
    names: List[str] = []
    while (name := library().format_name(len(names))) is not None:
        names.append(name.decode())
    return names


def version() -> str:
    """The version of the library."""
    return library().version().decode()
