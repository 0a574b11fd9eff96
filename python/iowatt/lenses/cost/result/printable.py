"""Results whose texts come from folders and files, so that any character may be in them."""

from __future__ import annotations

import re
from typing import Any, Final

from pydantic import model_validator

from iowatt.base.results import Result

#: Control characters, halves of surrogate pairs (folders whose names are not UTF-8), and the two characters
#: that XML forbids: neither a terminal nor a file should get them.
_UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def _printable(part: Any) -> Any:
    """The texts of a list or of the keys of a dict with question marks for what cannot be printed."""
    if isinstance(part, str):
        return _UNPRINTABLE.sub("?", " ".join(part.splitlines())) if _UNPRINTABLE.search(part) else part
    if isinstance(part, list | tuple):
        return [_printable(one) for one in part]
    if isinstance(part, dict):
        return {_printable(key): _printable(value) for key, value in part.items()}
    return part


class PrintableResult(Result):
    """A part of the document. Names come from folders and files, so that any text may be in them."""

    @model_validator(mode="before")
    @classmethod
    def _printable_texts(cls, given: Any) -> Any:
        return _printable(given)
