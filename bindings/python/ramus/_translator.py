"""Translator: a model and the sessions that translate with it."""
import ctypes
import os
import queue
import threading
import time
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator, List, Optional, Sequence, Tuple, Union, overload

from ._library import (CANCEL, PROGRESS, SENTENCE, Error, Places, RamusError, SentencePair, SessionOptions, Text, Token,
                       TranslateOptions, Translation, encode, library, optional)
from ._models import Model, OpenModel, find

NOTES = ("invalid", "split", "limit", "loop", "language", "apart", "number", "doubt")  # by bit
Place = Tuple[int, int]  # text[start:end]
Cancel = Union[threading.Event, Callable[[], bool]]


@dataclass(frozen=True)
class Sentence:
    """A sentence and its translation; places are None where the text is a document."""
    source: Optional[Place]
    target: Optional[Place]
    source_text: str
    target_text: str
    log_prob: float
    notes: Tuple[str, ...]


@dataclass(frozen=True)
class SourceToken:
    piece: str  # U+2581 stands for a space
    start: int
    end: int
    gates: Tuple[int, ...]  # the branch taken in each routed sublayer


@dataclass(frozen=True)
class TargetToken(SourceToken):
    log_prob: float
    source: int  # the source token it comes from, or -1


@dataclass(frozen=True)
class Alternative:
    text: str
    score: float


@dataclass(frozen=True)
class Detailed:
    """A translation with all that is known about it."""
    text: str
    score: float  # log_prob / ((5 + tokens) / 6)^0.6; of several sentences the sum
    log_prob: float
    notes: Tuple[str, ...]
    sentences: Tuple[Sentence, ...]
    source: Tuple[SourceToken, ...]
    target: Tuple[TargetToken, ...]
    alternatives: Tuple[Alternative, ...]  # with n_best > 1, best first
    ms: float


def _notes(bits: int) -> Tuple[str, ...]:
    return tuple(name for i, name in enumerate(NOTES) if bits & 1 << i)


def _address(data: bytes) -> int:
    """Where the bytes are while the object lives."""
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0


class _Finder:
    """Finds stretches of memory in a text."""

    def __init__(self, at: int, data: bytes) -> None:
        self._at, self._size, self._places = at, len(data), Places(data)

    def place(self, text: Text) -> Optional[Place]:
        start = (text.data or 0) - self._at
        if start < 0 or start + text.size > self._size:
            return None
        return self._places(start), self._places(start + text.size)


class _Sent:
    """Chunks whose concatenation is the whole translation: what stands between sentences is copied from the source."""

    def __init__(self, text: str, data: bytes, give: Callable[[str], object]) -> None:
        self._text, self._give, self._finder = text, give, _Finder(_address(data), data)
        self._at, self._sent, self._known = 0, "", True  # known: what stands before the next sentence

    def _send(self, chunk: str) -> None:
        if chunk:
            self._give(chunk)
            self._sent += chunk

    def add(self, pair: SentencePair) -> None:
        place = self._finder.place(pair.source)
        between = self._text[self._at:place[0]] if place else "?"
        self._known = self._known and not between.strip() and (self._at == 0 or between != "")
        if place and self._known:  # else the end has the rest
            target = _string(pair.target.data, pair.target.size)
            self._send((between + target).replace("\r", " ").replace("\n", " "))
            self._at = place[1]

    def end(self, whole: str) -> None:
        if not whole.startswith(self._sent):
            raise RamusError("the sentences are not the text")
        self._send(whole[len(self._sent):])


def _string(at: int, size: int) -> str:
    return ctypes.string_at(at, size).decode("utf-8", "replace") if size else ""


class _Call:
    """The options of one call with what must live as long. An exception in a callback ends the call, which raises it."""

    def __init__(self, *, beam: Optional[int] = None, n_best: int = 1, prefix: Optional[str] = None,
                 whole_lines: bool = False, unprotected: bool = False, format: Optional[str] = None,
                 columns: Optional[str] = None, glossary: Optional[str] = None, keep: Iterable[str] = (),
                 length_penalty: float = 0.6, max_length_ratio: float = 1.0, no_repeat: int = 0, scores: bool = True,
                 cancel: Optional[Cancel] = None, progress: Optional[Callable[[int, int], object]] = None,
                 sentence: Optional[Callable[[SentencePair], object]] = None) -> None:
        self._cancel = cancel.is_set if isinstance(cancel, threading.Event) else cancel
        self._progress, self._sentence = progress, sentence
        self.raised: Optional[BaseException] = None
        self._terms = ctypes.c_void_p()
        self._library = library()
        keep = (keep,) if isinstance(keep, str) else tuple(keep)
        if glossary is not None or keep:
            self._open_terms(encode(glossary or ""), keep)
        self.options = TranslateOptions(
            size=ctypes.sizeof(TranslateOptions), beam=beam or 0, n_best=n_best, scores=scores,
            length_penalty=length_penalty, max_length_ratio=max_length_ratio, no_repeat=no_repeat, loops=1,
            prefix=optional(prefix), cancel=CANCEL(self._asked), whole_lines=whole_lines, unprotected=unprotected,
            format=optional(format), columns=optional(columns), terms=self._terms)
        if progress:
            self.options.progress = PROGRESS(self._progressed)
        if sentence:
            self.options.sentence = SENTENCE(self._told)

    def _open_terms(self, glossary: bytes, keep: Sequence[str]) -> None:
        error = Error()
        self._library.check(self._library.terms_open_memory(self._terms, glossary, len(glossary), error), error)
        for regex in keep:
            status = self._library.terms_keep(self._terms, encode(getattr(regex, "pattern", regex)), error)
            if status:
                self.close()
            self._library.check(status, error)

    def _guard(self, body: Callable[[], Any]) -> Any:
        try:
            return body()
        except BaseException as error:  # KeyboardInterrupt, too: it comes while a callback runs
            self.raised = self.raised or error
            return None

    def _asked(self, _arg: Any) -> bool:
        return self._guard(lambda: self._cancel is not None and self._cancel()) is True or self.raised is not None

    def _progressed(self, _arg: Any, done: int, every: int) -> None:
        self._guard(lambda: self._progress and self._progress(done, every))

    def _told(self, _arg: Any, pair: Any) -> None:
        self._guard(lambda: self._sentence and self._sentence(pair.contents))

    def close(self) -> None:
        self._library.terms_close(self._terms)
        self._terms = ctypes.c_void_p()


class Translator:
    """Translates with one model: Translator("en-de"), Translator("file.gguf"), or by two languages.

    Threads may share it: they take turns. `threads` share out the batches of many texts. A `with` block, or close(),
    ends it.
    """

    def __init__(self, model: "Union[str, os.PathLike[str], None]" = None, *, source_language: Optional[str] = None,
                 target_language: Optional[str] = None, beam: int = 4, batch: int = 16, threads: int = 1,
                 verify: bool = False) -> None:
        self._lock = threading.RLock()
        self._sessions: "dict[bool, int]" = {}
        self._model: Optional[OpenModel] = None
        self._library = library()
        self._asked = (beam, batch, threads)
        if model is None:
            if not source_language or not target_language:
                raise TypeError('expected Translator("en-de"), a file, or source_language and target_language')
            model = find(source_language, target_language)
        elif isinstance(model, str) and not os.path.exists(model) and "/" not in model and not model.endswith(".gguf"):
            source, _, target = model.partition("-")
            model = find(source, target)
        self._model = OpenModel(model)
        if verify:
            self._model.verify()
        self._session(False)

    @property
    def model(self) -> Model:
        """What the file says of itself."""
        return self._open().facts

    @property
    def source_language(self) -> Optional[str]:
        return self.model.source_language

    @property
    def target_language(self) -> Optional[str]:
        return self.model.target_language

    def _open(self) -> OpenModel:
        if self._model is None or self._model.pointer is None:
            raise ValueError("the translator is closed")
        return self._model

    def _session(self, details: bool) -> int:
        if details not in self._sessions:
            beam, batch, threads = self._asked
            options = SessionOptions(ctypes.sizeof(SessionOptions), beam, 0, batch, threads, details)
            error, out = Error(), ctypes.c_void_p()
            self._library.check(self._library.session_create(out, self._open().pointer, options, error), error)
            assert out.value is not None
            self._sessions[details] = out.value
        return self._sessions[details]

    def _run(self, texts: Sequence[bytes], call: _Call, details: bool) -> "ctypes.Array[Translation]":
        """The lock is held until the caller has copied what it wants."""
        self._open()
        n, n_best = len(texts), max(call.options.n_best, 1)
        given, out, error = (Text * n)(), (Translation * (n * n_best))(), Error()
        for one, data in zip(given, texts):
            one.data, one.size = _address(data), len(data)
        status = self._library.translate_all(self._session(details), given, n, call.options, out, error)
        if call.raised is not None:
            raise call.raised
        self._library.check(status, error)
        return out

    @overload
    def translate(self, text: str, **options: Any) -> str: ...

    @overload
    def translate(self, text: Sequence[str], **options: Any) -> List[str]: ...

    def translate(self, text: Union[str, Sequence[str]], **options: Any) -> Union[str, List[str]]:
        """The translation of a text, or of each of several, which is faster than one by one.

        Options: beam, prefix, whole_lines, format, columns, unprotected, glossary, keep, length_penalty,
        max_length_ratio, no_repeat, cancel, progress. docs/guide/python.md explains them.
        """
        single = isinstance(text, str)
        texts = [encode(one) for one in ([text] if single else text)]
        call = _Call(**{"scores": False, **options})
        try:
            with self._lock:
                out = self._run(texts, call, False)
                found = [_string(t.text, t.size) for t in out[::max(call.options.n_best, 1)]]
        finally:
            call.close()
        return found[0] if single else found

    def translate_streaming(self, text: str, **options: Any) -> Iterator[str]:
        """Chunks as sentences are translated; together they are the translation. Of a document one in all."""
        stop, chunks = threading.Event(), queue.SimpleQueue()  # type: Tuple[threading.Event, queue.SimpleQueue[Any]]
        asked = options.pop("cancel", None)
        asked = asked.is_set if isinstance(asked, threading.Event) else asked
        data = encode(text)
        sent = _Sent(text, data, lambda chunk: chunks.put((chunk, None)))
        listens = options.get("format") is None and not options.get("whole_lines")

        def run() -> None:
            try:
                call = _Call(**{"scores": False, **options}, sentence=sent.add if listens else None,
                             cancel=lambda: stop.is_set() or bool(asked and asked()))
                try:
                    with self._lock:
                        out = self._run([data], call, False)
                        whole = _string(out[0].text, out[0].size)
                finally:
                    call.close()
                sent.end(whole)
                chunks.put((None, None))
            except BaseException as error:
                chunks.put((None, error))

        thread = threading.Thread(target=run, name="ramus", daemon=True)
        thread.start()
        try:
            while True:
                chunk, error = chunks.get()
                if error is not None:
                    raise error
                if chunk is None:
                    return
                yield chunk
        finally:
            stop.set()
            thread.join()

    def translate_detailed(self, text: str, *, n_best: int = 1, **options: Any) -> Detailed:
        """A translation with score, notes, sentences, tokens, alignment and up to n_best alternatives."""
        data, begin = encode(text), time.perf_counter()
        call = _Call(n_best=n_best, **options)
        try:
            with self._lock:
                out = self._run([data], call, True)
                return self._detailed(data, out, n_best, begin)
        finally:
            call.close()

    def _detailed(self, data: bytes, out: "ctypes.Array[Translation]", n_best: int, begin: float) -> Detailed:
        best = out[0]
        result = ctypes.string_at(best.text, best.size)
        places, result_places = Places(data), Places(result)
        return Detailed(
            text=result.decode("utf-8", "replace"), score=best.score, log_prob=best.log_prob, notes=_notes(best.notes),
            sentences=tuple(self._sentences(data, best)),
            source=tuple(SourceToken(*token) for token, _ in self._tokens(best.source, best.n_source, places)),
            target=tuple(TargetToken(*token, log_prob=t.log_prob, source=t.source)
                         for token, t in self._tokens(best.target, best.n_target, result_places)),
            alternatives=tuple(Alternative(_string(t.text, t.size), t.score) for t in out if t.text)
            if n_best > 1 else (),
            ms=(time.perf_counter() - begin) * 1e3)

    def _tokens(self, tokens: Any, n: int, places: Places) -> "Iterator[Tuple[Tuple[str, int, int, Tuple[int, ...]], Token]]":
        ranges = self._library.session_ranges(self._session(True), tokens) if n else None
        for i in range(n):
            token, start, end = tokens[i], 0, 0
            if ranges:
                start, end = places(ranges[i].start), places(ranges[i].start + ranges[i].size)
            yield (token.piece.decode("utf-8", "replace"), start, end, tuple(token.gates[:token.n_gates])), token

    def _sentences(self, data: bytes, best: Translation) -> Iterator[Sentence]:
        pairs = ctypes.POINTER(SentencePair)()
        n = self._library.session_sentences(self._session(True), 0, pairs)
        sources = _Finder(_address(data), data)
        targets = _Finder(best.text, ctypes.string_at(best.text, best.size))
        for pair in pairs[:n]:
            yield Sentence(sources.place(pair.source), targets.place(pair.target),
                           _string(pair.source.data, pair.source.size), _string(pair.target.data, pair.target.size),
                           pair.log_prob, _notes(pair.notes))

    def close(self) -> None:
        """Frees sessions and model. Twice is fine."""
        with self._lock:
            for session in self._sessions.values():
                self._library.session_destroy(session)
            self._sessions.clear()
            if self._model is not None:
                self._model.close()

    def __enter__(self) -> "Translator":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_model", None) is not None:
            self.close()
