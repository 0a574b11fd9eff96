"""A TOML text that becomes a model, and the place of every problem in it."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from iowatt.base import input_file, overrides, pydantic_problems
from iowatt.base.errors import Argument, InputError
from iowatt.base.locate import Lines
from iowatt.base.problems import DocumentError, KeyPath, Problem

Model = TypeVar("Model", bound=BaseModel)

#: Tables in tables: no scenario has a tenth of it, and what walks a document must not run out of stack.
MOST_LEVELS: Final = 64
_KEPT_CHARS: Final = 1 << 20
"""Longer texts are not kept."""


@lru_cache(maxsize=16)
def _loaded(text: str) -> dict[str, Any]:
    """The same text is parsed once: a search asks for it at every point. Not to be changed."""
    return _shallow(tomllib.loads(text))


def _shallow(document: dict[str, Any]) -> dict[str, Any]:
    """``document`` itself. Raises ``RecursionError`` where it is nested deeper than ``MOST_LEVELS``."""
    level: list[Any] = [document]
    for _ in range(MOST_LEVELS):
        level = [
            below
            for table in level
            for below in (table.values() if isinstance(table, dict) else table)
            if isinstance(below, dict | list)
        ]
        if not level:
            return document
    raise RecursionError(f"nested deeper than {MOST_LEVELS} levels")


class TomlDocument:
    """Parsed TOML with the lines of its keys.

    Parameters
    ----------
    text:
        The TOML.
    source:
        Its name in messages, such as the path of the file.
    sets:
        ``path=value`` overrides.
    model:
        What the document is to be, where known: errors about ``sets`` name its keys.

    Raises ``InputError`` where the text is not TOML (with its line) or an override does not fit.
    """

    def __init__(
        self, text: str, source: str, sets: Sequence[str] = (), model: type[BaseModel] | None = None
    ) -> None:
        self.source = source
        try:
            self.raw: dict[str, Any] = (
                copy.deepcopy(_loaded(text)) if len(text) < _KEPT_CHARS else _shallow(tomllib.loads(text))
            )
        except tomllib.TOMLDecodeError as error:
            raise _syntax_error(error, source) from None
        except (ValueError, RecursionError) as error:  # numbers of thousands of digits, thousands of brackets
            raise InputError("wrong-format", source, f"not valid TOML: {error}") from None
        self._text = text
        #: The override (``path=value``) by the key path that it set.
        self.overridden = overrides.apply(self.raw, sets, model)
        try:
            _shallow(self.raw)
        except RecursionError as error:
            raise InputError("too-large", Argument("set"), f"the result is {error}") from None

    @cached_property
    def _lines(self) -> Lines:
        """Asked for where something is wrong only: finding lines takes longer than parsing."""
        return Lines(self._text)

    def validate(self, model: type[Model]) -> Model:
        """The document as ``model``; all that is wrong with it in one ``DocumentError``."""
        try:
            return model.model_validate(self.raw)
        except ValidationError as error:
            self.fail(pydantic_problems.problems(error, self.raw, model))
            raise

    def fail(self, problems: Iterable[Problem]) -> None:
        """Raise one error for all of ``problems`` with their places, in the order of the text; none pass."""
        placed = [replace(p, place=p.place or self.place(p.path)) for p in problems]
        if placed:
            raise DocumentError(sorted(placed, key=lambda p: self._lines.of(p.path)), self.source)

    def is_overridden(self, path: KeyPath) -> bool:
        """Whether an override set the key at ``path``, or a table around it."""
        return any(path[:length] in self.overridden for length in range(1, len(path) + 1))

    def place(self, path: KeyPath) -> str:
        """File, line and key path of ``path``, or the override that set it."""
        shown = key_text(path, self.raw)
        for length in range(len(path), 0, -1):
            if path[:length] in self.overridden:
                return Argument("set", f"{self.overridden[path[:length]]}: {shown}")
        return f"{self.source}:{self._lines.of(path)}" + (f": {shown}" if shown else "")


def key_text(path: KeyPath, raw: Any) -> str:
    """``path`` with list elements by name where they have one: ``array.pool.disks.count``."""
    parts: list[str] = []
    here = raw
    for step in path:
        if isinstance(here, list) and isinstance(step, int) and step < len(here):
            here = here[step]
            name = here.get("name") if isinstance(here, dict) else None
            parts.append(name if isinstance(name, str) else str(step))
        else:
            here = here.get(step) if isinstance(here, dict) else None
            parts.append(str(step))
    return ".".join(parts)


SCENARIO_HINT: Final = "create one with `iowatt init`"
"""What to do where there is no scenario."""


def read_text(path: Path, hint: str | None = None) -> str:
    """The text of a TOML file; an ``InputError`` that names it where it cannot be read, with ``hint`` where
    there is none.
    """
    return input_file.text(path, "a TOML file", hint=hint)


def _syntax_error(error: tomllib.TOMLDecodeError, source: str) -> InputError:
    message = str(error)
    text, found, place = message.rpartition(" (at ")
    line = place.removeprefix("line ").split(",")[0]
    if found and line.isdecimal():
        return InputError("wrong-format", f"{source}:{line}", f"not valid TOML: {text} ({place}")
    return InputError("wrong-format", source, f"not valid TOML: {message}")
