"""Results with texts of folders and files, which may hold any character."""

from __future__ import annotations

import re
from typing import Any, Final

from pydantic import model_validator

from iowatt.base.results import Result

#: Control characters, halves of surrogate pairs (folders whose names are not UTF-8), and what XML forbids.
_UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def _printable(part: Any) -> Any:
    """``part`` with question marks for unprintable characters of its texts."""
    if isinstance(part, str):
        return _UNPRINTABLE.sub("?", " ".join(part.splitlines())) if _UNPRINTABLE.search(part) else part
    if isinstance(part, list | tuple):
        return [_printable(item) for item in part]
    if isinstance(part, dict):
        return {_printable(key): _printable(value) for key, value in part.items()}
    return part


class PrintableResult(Result):
    """A part of the document whose texts are made printable."""

    @model_validator(mode="before")
    @classmethod
    def _printable_texts(cls, given: Any) -> Any:
        return _printable(given)
