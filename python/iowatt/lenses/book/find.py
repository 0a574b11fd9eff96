"""Books of the library and of files, and figures set by ``KEY=VALUE``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path

from pydantic import ValidationError

from iowatt.base.document import TomlDocument, read_text
from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import Problem, nearest
from iowatt.lenses.book.book import Book, BookFigure, BookFile
from iowatt.lenses.book.book_key import BookKey
from iowatt.lenses.book.keys import KEYS, key_rule

_LONGEST_LINEAGE = 8
SET = "set on the command line"
"""The source of figures that were set there."""


@cache
def book_names() -> tuple[str, ...]:
    """Names of the library's books, sorted."""
    entries = resources.files("iowatt.model.library").joinpath("cost").iterdir()
    return tuple(sorted(e.name.removesuffix(".toml") for e in entries if e.name.endswith(".toml")))


def find_book(name: str, sets: Sequence[str] = ()) -> Book:
    """The book of a library name or ``.toml`` path, with figures set by ``KEY=VALUE[:LOW..HIGH]``.

    Raises ``InputError``: no such book, a file that is not accepted (file, line, key), a chain of books that
    is too long, a value that is not accepted.
    """
    files: list[BookFile] = []
    next_name: str | None = name
    place: str = Argument("preset")
    base = Path()
    while next_name is not None:
        file, base = _read(next_name, base, place)
        files.append(file)
        if len(files) > _LONGEST_LINEAGE:
            raise InputError(
                "too-large",
                f"{name}: extends",
                f"a chain of more than {_LONGEST_LINEAGE} books: {', '.join(file.name for file in files)}",
            )
        next_name, place = file.extends, f"{next_name}: extends"
    figures: dict[str, BookFigure] = {}
    for file in reversed(files):
        figures |= {figure.key: figure for figure in file.figure}
    for assignment in sets:
        figure = _assigned(assignment)
        figures[figure.key] = figure
    notes = tuple(note for file in reversed(files) for note in file.notes)
    return Book(files[0].name, files[0].title, tuple(file.name for file in files), notes, figures)


def _read(name: str, base: Path, place: str) -> tuple[BookFile, Path]:
    """The book ``name``, requested at ``place``, and the folder of its relative paths."""
    if name.endswith(".toml"):
        path = base / name
        return _parsed(read_text(path), str(path)), path.parent
    if name in book_names():
        return _shipped(name), Path()
    near = nearest(name, book_names())
    raise InputError(
        "unknown-name",
        place,
        f"there is no preset of assumptions {name!r}; expected {', '.join(book_names())} or a .toml file",
        hint=near and f"did you mean {near!r}?",
    )


@cache
def _shipped(name: str) -> BookFile:
    """A book of the library."""
    entry = resources.files("iowatt.model.library").joinpath("cost", f"{name}.toml")
    return _parsed(entry.read_text("utf-8"), f"{name}.toml")


def _parsed(text: str, where: str) -> BookFile:
    document = TomlDocument(text, where)
    file = document.validate(BookFile)
    problems = []
    for index, figure in enumerate(file.figure):
        try:
            _check(figure)
        except InputError as error:
            key = "key" if error.code == "unknown-name" else "value"
            problems.append(Problem(error.code, ("figure", index, key), error.message, error.hint))
    document.fail(problems)
    return file


def _check(figure: BookFigure) -> None:
    """Raise ``InputError``, without a place, where a figure's key or value is wrong."""
    rule = key_rule(figure.key)
    if rule is None:
        near = nearest(figure.key, [key.pattern for key in KEYS])
        raise InputError(
            "unknown-name",
            None,
            f"there is no assumption {figure.key!r}",
            hint=f"did you mean {near!r}?" if near else "`list_assumptions=True` lists all",
        )
    if rule.words or isinstance(figure.value, str):
        _check_word(figure, rule)
        return
    low, high = (figure.value if end is None else end for end in (figure.low, figure.high))
    if not low <= figure.value <= high:
        raise InputError(
            "conflict",
            None,
            f"{figure.key} is {figure.value:g}, outside its own range of {low:g} to {high:g}",
        )
    beyond = [value for value in (low, figure.value, high) if not rule.low <= value <= rule.high]
    if beyond:
        accepted = f"at least {rule.low:g}" if math.isinf(rule.high) else f"{rule.low:g} to {rule.high:g}"
        raise InputError("out-of-range", None, f"{figure.key} is {beyond[0]:g}; expected {accepted}")


def _check_word(figure: BookFigure, rule: BookKey) -> None:
    shown = repr(figure.value) if isinstance(figure.value, str) else f"{figure.value:g}"
    if not rule.words and not rule.any_word:
        wanted = "a number" + (f" in {rule.unit}" if rule.unit else "")
        raise InputError("wrong-type", None, f"{figure.key} is {shown}; expected {wanted}")
    if rule.words and figure.value not in rule.words:
        raise InputError("not-accepted", None, f"{figure.key} is {shown}; expected {' or '.join(rule.words)}")


def _assigned(text: str) -> BookFigure:
    """A figure of ``KEY=VALUE`` or ``KEY=VALUE:LOW..HIGH``."""
    key, equals, rest = text.partition("=")
    key = key.strip()
    if not equals or not key:
        raise InputError(
            "bad-syntax",
            Argument("assume"),
            f"{text!r} is not an assignment; expected KEY=VALUE or KEY=VALUE:LOW..HIGH",
        )
    rule = key_rule(key)
    names = rule is not None and rule.any_word  # such as flat:0.15, which has no range
    value, colon, ends = (rest, "", "") if names else rest.partition(":")
    low, dots, high = ends.partition("..")
    if colon and not dots:
        raise InputError(
            "bad-syntax", Argument("assume", key), f"{rest!r} has no range; expected VALUE:LOW..HIGH"
        )
    try:
        figure = BookFigure(
            key=key,
            value=_value(value, key),
            low=_number(low, key) if colon else None,
            high=_number(high, key) if colon else None,
            source=SET,
            quality="given",
        )
    except ValidationError:  # such as half a surrogate pair
        raise InputError("bad-syntax", Argument("assume"), f"{text!r} has invalid characters") from None
    try:
        _check(figure)
    except InputError as error:
        raise error.at(Argument("assume", key)) from None
    return figure


def _value(text: str, key: str) -> float | str:
    """A number, else a word."""
    try:
        value = float(text)
    except ValueError:
        return text.strip()
    if not math.isfinite(value):
        raise InputError("out-of-range", Argument("assume", key), f"{text.strip()!r} is not a finite number")
    return value


def _number(text: str, key: str) -> float:
    value = _value(text, key)
    if isinstance(value, str):
        raise InputError("bad-syntax", Argument("assume", key), f"{value!r} is not a number")
    return value
