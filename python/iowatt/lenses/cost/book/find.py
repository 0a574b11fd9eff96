"""Books of the library, files of one's own, and figures set on the command line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path

from pydantic import ValidationError

from iowatt.base.document import Document, read_text
from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import Problem, nearest
from iowatt.lenses.cost.book.book import Book
from iowatt.lenses.cost.book.figure import BookFile, Figure
from iowatt.lenses.cost.book.keys import KEYS, Key, known

_LONGEST_LINEAGE = 8
SET = "set on the command line"
"""The source of figures that were set there."""


@cache
def book_names() -> tuple[str, ...]:
    """Names of the library's books, sorted."""
    entries = resources.files("iowatt.model.library").joinpath("cost").iterdir()
    return tuple(sorted(e.name.removesuffix(".toml") for e in entries if e.name.endswith(".toml")))


def find_book(name: str, sets: Sequence[str] = ()) -> Book:
    """The book of a library name or of a path that ends in ``.toml``, with figures of ``KEY=VALUE`` set.

    A range is written ``KEY=VALUE:LOW..HIGH``.

    Raises
    ------
    InputError
        There is no such book; a file is wrong (file, line, key); a book extends itself; a value is none.
    """
    files: list[BookFile] = []
    place: str | None = name
    base = Path()
    while place is not None:
        file, base = _read(place, base)
        files.append(file)
        if len(files) > _LONGEST_LINEAGE:
            raise InputError(
                "out-of-range", name, f"extends more than {_LONGEST_LINEAGE} books: {_lineage(files)}"
            )
        place = file.extends
    figures: dict[str, Figure] = {}
    for file in reversed(files):
        figures |= {figure.key: figure for figure in file.figure}
    for given in sets:
        figure = _given(given)
        figures[figure.key] = figure
    notes = tuple(note for file in reversed(files) for note in file.notes)
    return Book(files[0].name, files[0].title, tuple(file.name for file in files), notes, figures)


def _lineage(files: Sequence[BookFile]) -> str:
    return ", ".join(file.name for file in files)


def _read(name: str, base: Path) -> tuple[BookFile, Path]:
    if name.endswith(".toml"):
        path = base / name
        return _parsed(read_text(path), str(path)), path.parent
    if name in book_names():
        return _shipped(name), Path()
    near = nearest(name, book_names())
    raise InputError(
        "unknown-name",
        None,
        f"there is no book of assumptions {name!r}; expected {', '.join(book_names())} or a .toml file",
        hint=near and f"did you mean {near!r}?",
    )


@cache
def _shipped(name: str) -> BookFile:
    """A book of the library, which does not change."""
    entry = resources.files("iowatt.model.library").joinpath("cost", f"{name}.toml")
    return _parsed(entry.read_text("utf-8"), f"{name}.toml")


def _parsed(text: str, where: str) -> BookFile:
    document = Document(text, where)
    file = document.validate(BookFile)
    document.fail(
        Problem("TODO", ("figure", index, "key"), message)
        for index, figure in enumerate(file.figure)
        if (message := _wrong(figure)) is not None
    )
    return file


def _wrong(figure: Figure) -> str | None:
    """What is wrong with a figure, if anything."""
    rule = known(figure.key)
    if rule is None:
        near = nearest(figure.key, [one.pattern for one in KEYS])
        more = f"; near: {near}" if near else ""
        return f"there is no assumption {figure.key!r}{more} (iowatt cost --list-assumptions has them)"
    if rule.words or isinstance(figure.value, str):
        return _wrong_word(figure, rule)
    low, high = (figure.value if end is None else end for end in (figure.low, figure.high))
    if not low <= figure.value <= high:
        return f"{figure.key} is {figure.value:g}, outside its own range of {low:g} to {high:g}"
    beyond = [value for value in (low, figure.value, high) if not rule.low <= value <= rule.high]
    if not beyond:
        return None
    accepted = f"at least {rule.low:g}" if math.isinf(rule.high) else f"{rule.low:g} to {rule.high:g}"
    return f"{figure.key} is {beyond[0]:g}; expected {accepted}"


def _wrong_word(figure: Figure, rule: Key) -> str | None:
    said = repr(figure.value) if isinstance(figure.value, str) else f"{figure.value:g}"
    if not rule.words and not rule.any_word:
        return f"{figure.key} is {said}; expected a number" + (f" in {rule.unit}" if rule.unit else "")
    if rule.words and figure.value not in rule.words:
        return f"{figure.key} is {said}; expected {' or '.join(rule.words)}"
    return None


def _given(text: str) -> Figure:
    """A figure of ``KEY=VALUE`` or ``KEY=VALUE:LOW..HIGH``."""
    key, equals, rest = text.partition("=")
    key = key.strip()
    if not equals or not key:
        raise InputError(
            "bad-syntax", Argument("set"), f"{text!r} sets nothing; expected KEY=VALUE or KEY=VALUE:LOW..HIGH"
        )
    rule = known(key)
    names = rule is not None and rule.any_word  # such as flat:0.15, which has no range
    value, colon, ends = (rest, "", "") if names else rest.partition(":")
    low, dots, high = ends.partition("..")
    if colon and not dots:
        raise InputError(
            "not-accepted", Argument("set", key), f"{rest!r} has no range; expected VALUE:LOW..HIGH"
        )
    try:
        figure = Figure(
            key=key,
            value=_value(value, key),
            low=_number(low, key) if colon else None,
            high=_number(high, key) if colon else None,
            source=SET,
            quality="given",
        )
    except ValidationError:  # characters that no text may have
        raise InputError("bad-syntax", Argument("set"), f"{text!r} is no text") from None
    wrong = _wrong(figure)
    if wrong is not None:
        raise InputError("TODO", "assumptions", wrong)
    return figure


def _value(text: str, key: str) -> float | str:
    """A number, or else the word that it is."""
    try:
        value = float(text)
    except ValueError:
        return text.strip()
    if not math.isfinite(value):
        raise InputError("bad-syntax", Argument("set", key), f"{text.strip()!r} is no number")
    return value


def _number(text: str, key: str) -> float:
    value = _value(text, key)
    if isinstance(value, str):
        raise InputError("bad-syntax", Argument("set", key), f"{value!r} is no number")
    return value
