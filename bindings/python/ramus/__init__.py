"""Neural machine translation on the device.

>>> from ramus import Translator
>>> Translator("en-de").translate("Where is the station?")  # doctest: +SKIP
'Wo ist der Bahnhof?'

The npm package `ramus-translate` has the same names in its own spelling; docs/guide/python.md explains them.
"""
from ._library import BadArgument, BadFormat, NotFound, RamusError, Stopped
from ._models import Model, models
from ._text import Detected, detect, formats, split_sentences, version
from ._translator import Alternative, Detailed, Sentence, SourceToken, TargetToken, Translator

__all__ = ["Alternative", "BadArgument", "BadFormat", "Detailed", "Detected", "Model", "NotFound", "RamusError",
           "Sentence", "SourceToken", "Stopped", "TargetToken", "Translator", "detect", "formats", "models",
           "split_sentences", "version"]
