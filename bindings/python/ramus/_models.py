"""Model files: which there are, and what they say of themselves."""
import ctypes
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, List, Optional

from ._library import Error, NotFound, RamusError, encode, library


@dataclass(frozen=True)
class Model:
    """A model file; None: the file does not say."""
    file: str
    bytes: int
    source_language: Optional[str]
    target_language: Optional[str]
    name: Optional[str]
    description: Optional[str]
    license: Optional[str]
    scores: Optional[str]


class OpenModel:
    """A model in memory; `pointer` is good until close()."""

    def __init__(self, path: "str | os.PathLike[str]") -> None:
        self._library, error, out = library(), Error(), ctypes.c_void_p()
        self.pointer: Optional[int] = None
        name = os.fspath(path)
        self._library.check(self._library.model_open(out, os.fsencode(name), error), error)
        self.pointer = out.value
        self.facts = Model(name, os.path.getsize(name), *(self._info(key) for key in (
            "source_language", "target_language", "name", "description", "license", "scores")))

    def _info(self, key: str) -> Optional[str]:
        value = self._library.model_info(self.pointer, key.encode())
        return None if value is None else value.decode("utf-8", "replace")

    def verify(self) -> None:
        error = Error()
        self._library.check(self._library.model_verify(self.pointer, error), error)

    def close(self) -> None:
        pointer, self.pointer = self.pointer, None
        self._library.model_close(pointer)


def _folders() -> Iterator[Path]:
    told = os.environ.get("RAMUS_MODELS")
    if told:
        yield Path(told)
        return
    yield Path(__file__).resolve().parent / "models"
    for folder in Path(library().path).resolve().parents:  # PREFIX/lib/libramus.so, or build/lib/libramus.so
        yield folder / "share" / "ramus" / "models"
        yield folder / "models"


def models() -> List[Model]:
    """The models of the folder RAMUS_MODELS; else beside this package; else installed with the library."""
    found: List[Model] = []
    for folder in _folders():
        for path in sorted(folder.glob("*-*.gguf")):
            try:
                model = OpenModel(path)
            except RamusError:
                continue
            found.append(model.facts)
            model.close()
        if found:
            return found
    return found


def language(name: str) -> str:
    """"de" of "DE", "de_AT", "German" or "Deutsch"; any other word stays."""
    code = library().find_language(encode(name))
    return name if code is None else code.decode()


def find(source: str, target: str) -> str:
    """The file of a direction."""
    there = models()
    for model in there:
        if model.source_language and model.target_language and (
                (source, target) == (model.source_language, model.target_language)
                or (language(source), language(target)) == (language(model.source_language),
                                                            language(model.target_language))):
            return model.file
    names = ", ".join(f"{m.source_language}-{m.target_language}" for m in there) or "none"
    raise NotFound(f"no model translates {source} to {target}: expected one of those that there are ({names}), "
                   "a file, or the folder of models in RAMUS_MODELS")
