"""Keys and values as a browser sends them and as a TOML file has them: the same tree, within limits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from iowatt.base.errors import InputError

Tree = dict[str, Any]

MOST_LEVELS: Final = 16
MOST_VALUES: Final = 5_000
MOST_CHARS: Final = 10_000
_GREATEST: Final = 2**63 - 1


def checked_tree(given: Mapping[str, Any]) -> Tree:
    """The tree without what is null, all of it as JSON has it: dates as texts.

    Raises ``InputError`` where it is nested too deeply or too large, or a number is no number of TOML.
    """
    found = _Walk().value(given, ())
    assert isinstance(found, dict)
    return found


class _Walk:
    def __init__(self) -> None:
        self._left = MOST_VALUES

    def value(self, given: Any, path: tuple[str, ...]) -> Any:
        self._left -= 1
        place = ".".join(path)[:200] or None
        if len(path) > MOST_LEVELS:
            raise InputError("too-large", None, f"nested deeper than {MOST_LEVELS} levels")
        if self._left < 0:
            raise InputError("too-large", None, f"more than {MOST_VALUES:,} values")
        if isinstance(given, Mapping):
            named = ((_text(str(name), place), part) for name, part in given.items())
            return {name: self.value(part, (*path, name)) for name, part in named if part is not None}
        if isinstance(given, list | tuple):
            parts = (part for part in given if part is not None)
            return [self.value(part, (*path, str(number))) for number, part in enumerate(parts)]
        if isinstance(given, str):
            return _text(given, place)
        if isinstance(given, bool):
            return given
        if isinstance(given, int | float):
            return _number(given, place)
        return _text(str(given), place)


def _text(text: str, place: str | None) -> str:
    if len(text) > MOST_CHARS:
        raise InputError("too-large", place, f"a text has at most {MOST_CHARS:,} characters")
    return text.encode("utf-8", "replace").decode()


def _number(number: float, place: str | None) -> float:
    if isinstance(number, float) and not math.isfinite(number):
        raise InputError("out-of-range", place, "expected a finite number")
    if isinstance(number, int) and abs(number) > _GREATEST:
        raise InputError("out-of-range", place, "a whole number has at most 63 bits")
    return number
